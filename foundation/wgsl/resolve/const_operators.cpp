// Evaluates operators on constants, scalar by scalar.

#include <cmath>

#include <fmt/format.h>

#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/foundation/wgsl/resolve/const_value.hpp>

namespace muster::wgsl {
namespace {

using ast::BinaryOp;
using ast::UnaryOp;
using WordResult = std::expected<Word, ConstFault>;

template <class T>
std::unexpected<ConstFault> overflow(BinaryOp op, T a, T b, std::string_view type, std::string_view fix) {
    return fault(fmt::format("{} {} {} overflows {}.", a, spelling(op), b, type), std::string(fix));
}

template <class T>
bool compare(BinaryOp op, T a, T b) {
    if (op == BinaryOp::equal) return a == b;
    if (op == BinaryOp::not_equal) return a != b;
    if (op == BinaryOp::less) return a < b;
    if (op == BinaryOp::less_equal) return a <= b;
    if (op == BinaryOp::greater) return a > b;
    return a >= b;
}
// T is float or double; each operation rounds once. An f16 is computed as a float,
// and rounded by on_floats().
template <class T>
T float_value(BinaryOp op, T a, T b) {
    if (op == BinaryOp::add) return a + b;
    if (op == BinaryOp::subtract) return a - b;
    if (op == BinaryOp::multiply) return a * b;
    if (op == BinaryOp::divide) return a / b;
    return a - b * std::trunc(a / b);
}

template <class T>
WordResult on_floats(BinaryOp op, T a, T b, TypeRef type) {
    if (is_comparison(op)) return word(std::int64_t{compare(op, a, b)});
    T value = float_value(op, a, b);
    if (type->kind == Kind::f16) value = T{semantics::to_f16(value)};
    if (std::isfinite(value)) return word(double{value});
    if (b == 0 && (op == BinaryOp::divide || op == BinaryOp::remainder))
        return fault(fmt::format("{} {} {} divides by zero.", a, spelling(op), b),
                     "use a divisor that isn't zero.");
    return overflow(op, a, b, type->name, "const-expressions must stay finite; use smaller values.");
}

WordResult divide_integers(BinaryOp op, std::int64_t a, std::int64_t b, std::int64_t lowest, TypeRef type) {
    if (b == 0)
        return fault(fmt::format("{} {} 0 divides by zero.", a, spelling(op)),
                     "use a divisor that isn't zero.");
    if (b == -1 && a == lowest)
        return overflow(op, a, b, type->name,
                        "its lowest value has no positive counterpart; use a larger one.");
    return word(op == BinaryOp::divide ? a / b : a % b);
}

WordResult on_abstract_ints(BinaryOp op, std::int64_t a, std::int64_t b, TypeRef type) {
    std::int64_t value = 0;
    bool overflows = false;
    if (op == BinaryOp::add) overflows = __builtin_add_overflow(a, b, &value);
    if (op == BinaryOp::subtract) overflows = __builtin_sub_overflow(a, b, &value);
    if (op == BinaryOp::multiply) overflows = __builtin_mul_overflow(a, b, &value);
    if (op == BinaryOp::divide || op == BinaryOp::remainder)
        return divide_integers(op, a, b, INT64_MIN, type);
    if (overflows) return overflow(op, a, b, "AbstractInt, which has 64 bits", "use smaller values.");
    return word(value);
}

WordResult on_u64(BinaryOp op, std::uint64_t a, std::uint64_t b) {
    if (is_comparison(op)) return word(std::int64_t{compare(op, a, b)});
    std::uint64_t value = 0;
    if (op == BinaryOp::add) value = a + b;
    if (op == BinaryOp::subtract) value = a - b;
    if (op == BinaryOp::multiply) value = a * b;
    if ((op == BinaryOp::divide || op == BinaryOp::remainder) && b == 0)
        return fault(fmt::format("{} {} 0 divides by zero.", a, spelling(op)),
                     "use a divisor that isn't zero.");
    if (op == BinaryOp::divide) value = a / b;
    if (op == BinaryOp::remainder) value = a % b;
    return word(static_cast<std::int64_t>(value));
}

WordResult on_concrete_ints(BinaryOp op, std::int64_t a, std::int64_t b, TypeRef type) {
    if (op == BinaryOp::divide || op == BinaryOp::remainder)
        return divide_integers(op, a, b, type->kind == Kind::i32 ? INT32_MIN : INT64_MIN, type);
    std::uint64_t wide = 0;
    if (op == BinaryOp::add) wide = static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b);
    if (op == BinaryOp::subtract) wide = static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
    if (op == BinaryOp::multiply) wide = static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
    if (type->kind == Kind::i64) return word(static_cast<std::int64_t>(wide));
    const auto bits = static_cast<std::uint32_t>(wide);  // concrete integers wrap
    return word(type->kind == Kind::i32 ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits});
}

WordResult shift(BinaryOp op, std::int64_t a, std::int64_t count, TypeRef type) {
    if (type->kind == Kind::u64) {
        const auto bits = static_cast<std::uint64_t>(a);
        if (op == BinaryOp::shift_right) return word(static_cast<std::int64_t>(bits >> count));
        if (bits << count >> count != bits)
            return overflow(op, bits, static_cast<std::uint64_t>(count), type->name,
                            "shift fewer bits, or a smaller value.");
        return word(static_cast<std::int64_t>(bits << count));
    }
    if (op == BinaryOp::shift_right) return word(count >= 64 ? (a < 0 ? -1 : 0) : a >> count);
    const bool concrete = type->kind != Kind::abstract_int;
    std::int64_t value = 0;
    bool lost = count >= 64 && a != 0;
    if (!lost && count < 64) {
        value = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
        lost = (value >> count) != a;
        if (concrete && type->kind == Kind::i32) lost = lost || value < INT32_MIN || value > INT32_MAX;
        if (concrete && type->kind == Kind::u32) lost = lost || value < 0 || value > UINT32_MAX;
    }
    if (lost) return overflow(op, a, count, type->name, "shift fewer bits, or a smaller value.");
    return word(value);
}

WordResult bits(BinaryOp op, std::int64_t a, std::int64_t b) {
    if (op == BinaryOp::bit_and) return word(a & b);
    return word(op == BinaryOp::bit_or ? a | b : a ^ b);
}

WordResult on_scalars(BinaryOp op, Word a, Word b, TypeRef type) {
    switch (op) {
        case BinaryOp::bit_and:
        case BinaryOp::bit_or:
        case BinaryOp::bit_xor: return bits(op, a.i, b.i);
        case BinaryOp::logical_and: return word(std::int64_t{a.i != 0 && b.i != 0});
        case BinaryOp::logical_or: return word(std::int64_t{a.i != 0 || b.i != 0});
        case BinaryOp::shift_left:
        case BinaryOp::shift_right: return shift(op, a.i, b.i, type);
        case BinaryOp::add:
        case BinaryOp::subtract:
        case BinaryOp::multiply:
        case BinaryOp::divide:
        case BinaryOp::remainder:
        case BinaryOp::equal:
        case BinaryOp::not_equal:
        case BinaryOp::less:
        case BinaryOp::less_equal:
        case BinaryOp::greater:
        case BinaryOp::greater_equal: break;
    }
    if (type->kind == Kind::abstract_float || type->kind == Kind::f64) return on_floats(op, a.f, b.f, type);
    if (type->kind == Kind::u64)
        return on_u64(op, static_cast<std::uint64_t>(a.i), static_cast<std::uint64_t>(b.i));
    if (type->is_float()) return on_floats(op, static_cast<float>(a.f), static_cast<float>(b.f), type);
    if (is_comparison(op)) return word(std::int64_t{compare(op, a.i, b.i)});
    return type->kind == Kind::abstract_int ? on_abstract_ints(op, a.i, b.i, type)
                                            : on_concrete_ints(op, a.i, b.i, type);
}

WordResult on_scalar(UnaryOp op, Word a, TypeRef type) {
    if (op == UnaryOp::logical_not) return word(std::int64_t{a.i == 0});
    if (op == UnaryOp::complement)
        return word(type->kind == Kind::u32 ? std::int64_t{~static_cast<std::uint32_t>(a.i)} : ~a.i);
    if (type->is_float()) return word(-a.f);
    if (type->kind == Kind::abstract_int && a.i == INT64_MIN)
        return fault("-(-9223372036854775808) overflows AbstractInt, which has 64 bits.",
                     "use a smaller value.");
    const bool is_lowest = (type->kind == Kind::i32 && a.i == INT32_MIN) || a.i == INT64_MIN;
    return word(is_lowest ? a.i : -a.i);
}

}  // namespace

Op ir_op(BinaryOp op) {
    switch (op) {
        case BinaryOp::add: return Op::add;
        case BinaryOp::subtract: return Op::sub;
        case BinaryOp::multiply: return Op::mul;
        case BinaryOp::divide: return Op::div;
        case BinaryOp::remainder: return Op::rem;
        case BinaryOp::bit_and:
        case BinaryOp::logical_and: return Op::bit_and;
        case BinaryOp::bit_or:
        case BinaryOp::logical_or: return Op::bit_or;
        case BinaryOp::bit_xor: return Op::bit_xor;
        case BinaryOp::shift_left: return Op::shift_left;
        case BinaryOp::shift_right: return Op::shift_right;
        case BinaryOp::equal: return Op::eq;
        case BinaryOp::not_equal: return Op::ne;
        case BinaryOp::less: return Op::lt;
        case BinaryOp::less_equal: return Op::le;
        case BinaryOp::greater: return Op::gt;
        case BinaryOp::greater_equal: return Op::ge;
    }
    return Op::add;
}

std::string_view spelling(BinaryOp op) {
    if (op == BinaryOp::logical_and) return "&&";
    return op == BinaryOp::logical_or ? "||" : spelling_of(ir_op(op));
}

ConstResult evaluate_unary(UnaryOp op, const ConstValue& a, TypeRef result) {
    std::vector<Word> words;
    for (Word w : a.words()) {
        WordResult value = on_scalar(op, w, a.type()->scalar());
        if (!value) return std::unexpected(std::move(value).error());
        words.push_back(*value);
    }
    return ConstValue(result, words);
}

ConstResult evaluate_binary(BinaryOp op, const ConstValue& a, const ConstValue& b, TypeRef result) {
    if (ConstFault wrong = check_right_operand(op, a.type(), b); !wrong.message.empty())
        return std::unexpected(std::move(wrong));
    std::vector<Word> words;
    const std::uint32_t width = std::max(a.type()->width(), b.type()->width());
    for (std::uint32_t i = 0; i < width; ++i) {
        const Word left = a[a.type()->is_vector() ? i : 0];
        const Word right = b[b.type()->is_vector() ? i : 0];
        WordResult value = on_scalars(op, left, right, a.type()->scalar());
        if (!value) return std::unexpected(std::move(value).error());
        words.push_back(*value);
    }
    return ConstValue(result, words);
}

ConstFault check_right_operand(BinaryOp op, TypeRef left, const ConstValue& b) {
    const bool divides = op == BinaryOp::divide || op == BinaryOp::remainder;
    const bool shifts = op == BinaryOp::shift_left || op == BinaryOp::shift_right;
    for (Word w : b.words()) {
        if (divides && b.type()->is_integer() && w.i == 0)
            return {fmt::format("The right operand of {} is zero.", spelling(op)),
                    "use a divisor that isn't zero."};
        const auto bits = static_cast<std::int64_t>(8 * left->scalar()->size);
        if (shifts && left->scalar()->kind != Kind::abstract_int && w.i >= bits)
            return {fmt::format("A shift by {} is as wide as {} or wider.", w.i, left->scalar()->name),
                    fmt::format("shift by 0 to {} bits.", bits - 1)};
    }
    return {};
}

}  // namespace muster::wgsl
