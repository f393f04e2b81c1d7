#include <array>
#include <type_traits>

#include <muster/foundation/interpreter/components.hpp>
#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::interpreter {
namespace {

namespace ops = scalar_operations;
using ops::slot;

template <auto F, class T, bool flush, unsigned width>
const Instruction* unary(const Instruction* i, std::uint32_t* r, Machine&) {
    for (unsigned k = 0; k < width; ++k) assign<flush>(r + i->a, k, F(operand<T, flush>(r + i->b, k)));
    return i + 1;
}
template <auto F, class T, class Second, bool flush, unsigned width>
const Instruction* binary(const Instruction* i, std::uint32_t* r, Machine&) {
    for (unsigned k = 0; k < width; ++k)
        assign<flush>(r + i->a, k, F(operand<T, flush>(r + i->b, k), operand<Second, flush>(r + i->c, k)));
    return i + 1;
}
template <auto F, class T, bool flush, unsigned width>
const Instruction* ternary(const Instruction* i, std::uint32_t* r, Machine&) {
    for (unsigned k = 0; k < width; ++k)
        assign<flush>(r + i->a, k,
                      F(operand<T, flush>(r + i->b, k), operand<T, flush>(r + i->c, k),
                        operand<T, flush>(r + i->d, k)));
    return i + 1;
}
template <auto F, class T, bool flush, bool when>
const Instruction* compare_branch(const Instruction* i, std::uint32_t* r, Machine&) {
    const bool met = F(operand<T, flush>(r + i->b, 0), operand<T, flush>(r + i->c, 0));
    return met == when ? i + static_cast<std::int32_t>(i->a) : i + 1;
}

using ByWidth = std::array<Handler, 4>;
template <class Row>
using ByOp = std::array<std::array<Row, scalar_count>, op_count>;

template <bool flush>
struct ScalarTable {
    ByOp<ByWidth> handlers{};
    ByOp<std::array<Handler, 2>> branches{};  // [false]: jumps if the comparison doesn't hold

    // Scalars without subnormals use the plain handlers when flushing, too.
    template <class T>
    static constexpr bool flushes = flush&& std::is_same_v<T, float>;
    template <class T>
    consteval ByWidth& row(Op op) {
        return handlers[slot(op)][slot(ops::scalar_of<T>)];
    }

    template <auto F, class... T>
    consteval void unary(Op op) {
        ((row<T>(op) = {interpreter::unary<F, T, flushes<T>, 1>, interpreter::unary<F, T, flushes<T>, 2>,
                        interpreter::unary<F, T, flushes<T>, 3>, interpreter::unary<F, T, flushes<T>, 4>}),
         ...);
    }
    template <auto F, class... T>
    consteval void move(Op op) {
        ((row<T>(op) = {interpreter::unary<F, T, false, 1>, interpreter::unary<F, T, false, 2>,
                        interpreter::unary<F, T, false, 3>, interpreter::unary<F, T, false, 4>}),
         ...);
    }
    template <auto F, class T, class Second>
    consteval void two(Op op) {
        row<T>(op) = {interpreter::binary<F, T, Second, flushes<T>, 1>,
                      interpreter::binary<F, T, Second, flushes<T>, 2>,
                      interpreter::binary<F, T, Second, flushes<T>, 3>,
                      interpreter::binary<F, T, Second, flushes<T>, 4>};
    }
    template <auto F, class... T>
    consteval void binary(Op op) {
        (two<F, T, T>(op), ...);
    }
    template <auto F, class... T>
    consteval void shift(Op op) {
        (two<F, T, ops::U>(op), ...);
    }
    template <auto F, class... T>
    consteval void comparison(Op op) {
        (two<F, T, T>(op), ...);
        ((branches[slot(op)][slot(ops::scalar_of<T>)] = {compare_branch<F, T, flushes<T>, false>,
                                                         compare_branch<F, T, flushes<T>, true>}),
         ...);
    }
    template <auto F, class... T>
    consteval void ternary(Op op) {
        ((row<T>(op) = {interpreter::ternary<F, T, flushes<T>, 1>, interpreter::ternary<F, T, flushes<T>, 2>,
                        interpreter::ternary<F, T, flushes<T>, 3>,
                        interpreter::ternary<F, T, flushes<T>, 4>}),
         ...);
    }
};

constexpr auto kept = ops::make_table<ScalarTable<false>>();
constexpr auto flushed = ops::make_table<ScalarTable<true>>();

template <auto F, class T, bool flush>
constexpr ByWidth converting{unary<F, T, flush, 1>, unary<F, T, flush, 2>, unary<F, T, flush, 3>,
                             unary<F, T, flush, 4>};

template <class T, bool flush = false>
Handler conversion_of(Scalar to, std::uint32_t width) {
    switch (to) {
        case Scalar::boolean:
            return converting<[](T x) { return semantics::to_bool(x); }, T, flush>[width - 1];
        case Scalar::i32: return converting<[](T x) { return semantics::to_i32(x); }, T, flush>[width - 1];
        case Scalar::u32: return converting<[](T x) { return semantics::to_u32(x); }, T, flush>[width - 1];
        case Scalar::f32: return converting<[](T x) { return semantics::to_f32(x); }, T, flush>[width - 1];
        case Scalar::f16: return converting<[](T x) { return semantics::to_f16(x); }, T, flush>[width - 1];
        case Scalar::i64: return converting<[](T x) { return semantics::to_i64(x); }, T, flush>[width - 1];
        case Scalar::u64: return converting<[](T x) { return semantics::to_u64(x); }, T, flush>[width - 1];
        case Scalar::f64: return converting<[](T x) { return semantics::to_f64(x); }, T, flush>[width - 1];
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16: break;
    }
    return nullptr;
}

template <Scalar to>
constexpr ByWidth narrowing =
    converting<[](std::uint32_t x) { return ops::narrowed(to, x); }, std::uint32_t, false>;

Handler narrowing_handler(Scalar to, std::uint32_t width) {
    if (to == Scalar::i8) return narrowing<Scalar::i8>[width - 1];
    if (to == Scalar::u8) return narrowing<Scalar::u8>[width - 1];
    return (to == Scalar::i16 ? narrowing<Scalar::i16> : narrowing<Scalar::u16>)[width - 1];
}

// `width` words of 32 bits as twice as many f16, and the reverse.
template <bool of_float, unsigned width>
const Instruction* split_halves(const Instruction* i, std::uint32_t* r, Machine&) {
    for (unsigned k = 0; k < width; ++k) {
        const std::uint32_t bits =
            of_float ? semantics::to_bits(ops::from_word<float>(r[i->b + k])) : r[i->b + k];
        r[i->a + 2 * k] = ops::to_word(semantics::low_half(bits));
        r[i->a + 2 * k + 1] = ops::to_word(semantics::high_half(bits));
    }
    return i + 1;
}
template <unsigned width>
const Instruction* join_halves(const Instruction* i, std::uint32_t* r, Machine&) {
    for (unsigned k = 0; k < width; ++k)
        r[i->a + k] = semantics::to_bits(ops::from_word<f16>(r[i->b + 2 * k]),
                                         ops::from_word<f16>(r[i->b + 2 * k + 1]));
    return i + 1;
}

const Instruction* split_double(const Instruction* i, std::uint32_t* r, Machine&) {
    const std::uint64_t bits = semantics::to_bits(operand<double, false>(r + i->b, 0));
    for (unsigned k = 0; k < 4; ++k) r[i->a + k] = bits >> (16 * k) & 0xffff;
    return i + 1;
}

/// `width`: the result's.
Handler bitcast_handler(Scalar from, Scalar to, std::uint32_t width) {
    if (from == Scalar::f16) return width * words_of(to) == 1 ? join_halves<1> : join_halves<2>;
    if (to == Scalar::f16 && from == Scalar::f64) return split_double;
    if (to == Scalar::f16 && from == Scalar::f32)
        return width == 2 ? split_halves<true, 1> : split_halves<true, 2>;
    if (to == Scalar::f16) return width == 2 ? split_halves<false, 1> : split_halves<false, 2>;
    if (from == Scalar::f64) {
        const std::uint32_t doubles = width * words_of(to) / 2;
        return converting<[](double x) { return semantics::to_bits(x); }, double, false>[doubles - 1];
    }
    const std::uint32_t floats = width * words_of(to);
    return converting<[](float x) { return semantics::to_bits(x); }, float, false>[floats - 1];
}

}  // namespace

Handler scalar_handler(Op op, Scalar scalar, std::uint32_t width, bool flush) {
    if (width < 1 || width > 4) return nullptr;
    return (flush ? flushed.handlers : kept.handlers)[slot(op)][slot(scalar)][width - 1];
}

Handler compare_branch_handler(Op op, Scalar scalar, bool when, bool flush) {
    return (flush ? flushed.branches : kept.branches)[slot(op)][slot(scalar)][when ? 1 : 0];
}

bool keeps_bits(Op op, Scalar from, Scalar to) {
    if (from == to) return true;
    if (is_float(from) || to == Scalar::f16) return false;
    if (op == Op::bitcast) return true;
    return is_integer(to) && is_wide(from) == is_wide(to);
}

Handler conversion_handler(Op op, Scalar from, Scalar to, std::uint32_t width, bool flush) {
    if (width < 1 || width > 4 || keeps_bits(op, from, to)) return nullptr;
    if (op == Op::bitcast) return bitcast_handler(from, to, width);
    if (is_narrow(to)) return narrowing_handler(to, width);
    switch (from) {
        case Scalar::boolean:
        case Scalar::u32: return conversion_of<std::uint32_t>(to, width);
        case Scalar::i32: return conversion_of<std::int32_t>(to, width);
        case Scalar::f32:
            return flush ? conversion_of<float, true>(to, width) : conversion_of<float>(to, width);
        case Scalar::f16: return conversion_of<f16>(to, width);
        case Scalar::i64: return conversion_of<std::int64_t>(to, width);
        case Scalar::u64: return conversion_of<std::uint64_t>(to, width);
        case Scalar::f64: return conversion_of<double>(to, width);
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16: break;  // keeps its bits
    }
    return nullptr;
}

}  // namespace muster::interpreter
