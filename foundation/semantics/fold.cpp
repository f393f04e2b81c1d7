#include <algorithm>
#include <array>
#include <bit>

#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/semantics/fold.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster {
namespace {

namespace s = semantics;
using scalar_operations::from_word;
using scalar_operations::scalar_of;
using scalar_operations::slot;
using scalar_operations::to_word;
using scalar_operations::U;
using scalar_operations::WordOf;
using Words = std::vector<std::uint32_t>;
using Operands = std::span<const ConstantValue>;
using Arguments = std::array<std::uint64_t, 3>;  // of one component: WordOf its type
using ScalarFunction = std::uint64_t (*)(const Arguments&);

// The componentwise operations: the function for one component, by operation and by the scalar of its first
// operand.
struct ScalarTable {
    std::array<std::array<ScalarFunction, scalar_count>, op_count> functions{};

    template <auto F, class... T>
    consteval void unary(Op op) {
        ((functions[slot(op)][slot(scalar_of<T>)] = [](const Arguments& a) -> std::uint64_t {
             return to_word(F(from_word<T>(WordOf<T>(a[0]))));
         }),
         ...);
    }
    template <auto F, class... T>
    consteval void binary(Op op) {
        ((functions[slot(op)][slot(scalar_of<T>)] = [](const Arguments& a) -> std::uint64_t {
             return to_word(F(from_word<T>(WordOf<T>(a[0])), from_word<T>(WordOf<T>(a[1]))));
         }),
         ...);
    }
    template <auto F, class... T>
    consteval void shift(Op op) {
        ((functions[slot(op)][slot(scalar_of<T>)] = [](const Arguments& a) -> std::uint64_t {
             return to_word(F(from_word<T>(WordOf<T>(a[0])), U(a[1])));
         }),
         ...);
    }
    template <auto F, class... T>
    consteval void ternary(Op op) {
        ((functions[slot(op)][slot(scalar_of<T>)] = [](const Arguments& a) -> std::uint64_t {
             return to_word(F(from_word<T>(WordOf<T>(a[0])), from_word<T>(WordOf<T>(a[1])),
                              from_word<T>(WordOf<T>(a[2]))));
         }),
         ...);
    }
    template <auto F, class... T>
    consteval void move(Op op) {
        unary<F, T...>(op);
    }
    template <auto F, class... T>
    consteval void comparison(Op op) {
        binary<F, T...>(op);
    }
};
constexpr ScalarTable scalar_table = scalar_operations::make_table<ScalarTable>();
static_assert(covers(scalar_table.functions,
                     {OpKind::arithmetic, OpKind::comparison, OpKind::bits, OpKind::packed}));

// `x`, which has type T, converted to the scalar `to`.
template <class T>
std::uint64_t converted_word(T x, Scalar to) {
    switch (to) {
        case Scalar::boolean: return to_word(s::to_bool(x));
        case Scalar::i32: return to_word(s::to_i32(x));
        case Scalar::u32: return s::to_u32(x);
        case Scalar::f32: return to_word(s::to_f32(x));
        case Scalar::f16: return to_word(s::to_f16(x));
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16: return scalar_operations::narrowed(to, static_cast<std::uint32_t>(to_word(x)));
        case Scalar::i64: return to_word(s::to_i64(x));
        case Scalar::u64: return to_word(s::to_u64(x));
        case Scalar::f64: return to_word(s::to_f64(x));
    }
    return 0;
}

std::uint64_t convert_word(Scalar from, Scalar to, std::uint64_t bits) {
    const auto x = static_cast<std::uint32_t>(bits);
    switch (from) {
        case Scalar::boolean: return converted_word(from_word<bool>(x), to);
        case Scalar::i32: return converted_word(from_word<std::int32_t>(x), to);
        case Scalar::u32: return converted_word(x, to);
        case Scalar::f32: return converted_word(from_word<float>(x), to);
        case Scalar::f16: return converted_word(from_word<f16>(x), to);
        case Scalar::i8:
        case Scalar::i16:
        case Scalar::u8:
        case Scalar::u16: return convert_word(widened(from), to, x);
        case Scalar::i64: return converted_word(from_word<std::int64_t>(bits), to);
        case Scalar::u64: return converted_word(bits, to);
        case Scalar::f64: return converted_word(from_word<double>(bits), to);
    }
    return 0;
}

/// Component `which` of a value's words, one or two of which are a component.
std::uint64_t component(std::span<const std::uint32_t> words, Scalar scalar, std::size_t which) {
    if (!is_wide(scalar)) return words[which];
    return words[2 * which] | std::uint64_t{words[2 * which + 1]} << 32;
}
void append(Words& to, Scalar scalar, std::uint64_t component) {
    to.push_back(static_cast<std::uint32_t>(component));
    if (is_wide(scalar)) to.push_back(static_cast<std::uint32_t>(component >> 32));
}

Words bitcast_words(Scalar from, Scalar to, std::span<const std::uint32_t> words) {
    Words bits;
    for (std::size_t i = 0; i < words.size() / words_of(from); ++i) {
        if (from == Scalar::f16 && i + 1 < words.size()) {
            bits.push_back(s::to_bits(s::low_half(words[i]), s::low_half(words[i + 1])));
            ++i;
        } else if (from == Scalar::f64) {
            append(bits, from, s::to_bits(from_word<double>(component(words, from, i))));
        } else if (from == Scalar::f32) {
            bits.push_back(s::to_bits(from_word<float>(words[i])));
        } else {
            append(bits, from, component(words, from, i));
        }
    }
    if (to != Scalar::f16) return bits;
    Words halves;
    for (const std::uint32_t x : bits) {
        halves.push_back(to_word(s::low_half(x)));
        halves.push_back(to_word(s::high_half(x)));
    }
    return halves;
}

bool is_plain(const Type& type) { return type.kind == TypeKind::scalar || type.kind == TypeKind::vector; }

std::optional<Words> componentwise(Op op, const TypeTable& types, const Type& result, Operands operands) {
    const Type& of = types[operands[0].type];
    const ScalarFunction function = scalar_table.functions[slot(op)][slot(of.scalar)];
    if (!is_plain(of) || function == nullptr || operands.size() > 3) return {};
    for (const ConstantValue& operand : operands)
        if (operand.words.size() != std::size_t{result.width} * words_of(types[operand.type].scalar))
            return {};
    Words out;
    for (std::size_t i = 0; i < result.width; ++i) {
        Arguments arguments{};
        for (std::size_t k = 0; k < operands.size(); ++k)
            arguments[k] = component(operands[k].words, types[operands[k].type].scalar, i);
        append(out, result.scalar, function(arguments));
    }
    return out;
}

std::optional<Words> converted(Op op, const Type& from, const Type& to,
                               std::span<const std::uint32_t> words) {
    if (!is_plain(from) || !is_plain(to) || words.size() != from.words) return {};
    if (op == Op::bitcast) return bitcast_words(from.scalar, to.scalar, words);
    Words out;
    for (std::size_t i = 0; i < from.width; ++i)
        append(out, to.scalar, convert_word(from.scalar, to.scalar, component(words, from.scalar, i)));
    return out;
}

std::optional<Words> selected(Operands operands) {
    const auto [if_false, if_true, condition] =
        std::array{operands[0].words, operands[1].words, operands[2].words};
    if (if_false.size() != if_true.size()) return {};
    if (condition.size() == 1)
        return Words((condition[0] ? if_true : if_false).begin(), (condition[0] ? if_true : if_false).end());
    if (condition.empty() || if_false.size() % condition.size() != 0) return {};
    const std::size_t each = if_false.size() / condition.size();
    Words out;
    for (std::size_t i = 0; i < if_false.size(); ++i)
        out.push_back(s::select(if_false[i], if_true[i], condition[i / each] != 0));
    return out;
}

// The words of a component, element or member among those of its composite; nullopt if it doesn't exist.
struct Part {
    std::uint64_t first, count;
};
std::optional<Part> part_of(const TypeTable& types, TypeId composite, std::uint64_t which) {
    const Type& type = types[composite];
    if (type.kind == TypeKind::vector)
        return which < type.width ? std::optional(Part{which * words_of(type.scalar), words_of(type.scalar)})
                                  : std::nullopt;
    if (type.kind == TypeKind::array) {
        if (which >= type.count) return {};
        const std::uint64_t count = types.scalar_words(type.element);
        return Part{which * count, count};
    }
    if (type.kind != TypeKind::structure || which >= type.members.size()) return {};
    Part part{0, 0};
    for (std::uint64_t i = 0; i <= which; ++i) {
        part.first += part.count;
        part.count = types.scalar_words(type.members[i].type);
    }
    return part;
}

std::optional<Words> extracted(const TypeTable& types, const ConstantValue& composite, std::uint64_t which) {
    const std::optional<Part> part = part_of(types, composite.type, which);
    if (!part || part->first + part->count > composite.words.size()) return {};
    const auto words = composite.words.subspan(part->first, part->count);
    return Words(words.begin(), words.end());
}

std::optional<Words> swizzled(std::span<const std::uint32_t> vector, const Type& result,
                              std::uint32_t payload) {
    Words out;
    const std::size_t each = words_of(result.scalar);
    for (std::uint32_t i = 0; i < result.width; ++i) {
        const std::size_t from = ((payload >> (2 * i)) & 3u) * each;
        if (from + each > vector.size()) return {};
        out.insert(out.end(), vector.begin() + static_cast<std::ptrdiff_t>(from),
                   vector.begin() + static_cast<std::ptrdiff_t>(from + each));
    }
    return out;
}

std::optional<Words> composed(Operands parts) {
    Words out;
    for (const ConstantValue& part : parts) out.insert(out.end(), part.words.begin(), part.words.end());
    return out;
}

std::optional<Words> composite(Op op, const TypeTable& types, TypeId result, Operands operands,
                               std::uint32_t payload) {
    if (op == Op::compose) return composed(operands);
    if (op == Op::extract) return extracted(types, operands[0], payload);
    if (op == Op::swizzle) return swizzled(operands[0].words, types[result], payload);
    if (op == Op::splat) {
        const Type& type = types[result];
        if (operands[0].words.size() != words_of(type.scalar)) return {};
        Words out;
        for (std::uint32_t i = 0; i < type.width; ++i)
            out.insert(out.end(), operands[0].words.begin(), operands[0].words.end());
        return out;
    }
    // extract_dynamic: an index out of range yields zero, as a load does; a negative index is out of range as
    // u32 too.
    if (operands[1].words.size() != 1) return {};
    if (!part_of(types, operands[0].type, operands[1].words[0])) return Words(types.scalar_words(result), 0);
    return extracted(types, operands[0], operands[1].words[0]);
}

bool is_composite_op(Op op) { return kind(op) == OpKind::composite && op != Op::select; }

std::optional<Words> folded(Op op, const TypeTable& types, TypeId result, Operands operands,
                            std::uint32_t payload) {
    if (is_composite_op(op)) return composite(op, types, result, operands, payload);
    const Type& of = types[operands[0].type];
    if (op == Op::select) return selected(operands);
    if (op == Op::convert || op == Op::bitcast) return converted(op, of, types[result], operands[0].words);
    if (op == Op::all || op == Op::any) {
        const auto is_set = [](std::uint32_t x) { return x != 0; };
        const auto words = operands[0].words;
        return Words{
            to_word(op == Op::all ? std::ranges::all_of(words, is_set) : std::ranges::any_of(words, is_set))};
    }
    return componentwise(op, types, types[result], operands);
}

// True if the operation moves values unchanged. Moves keep NaN and infinities, so that every constant has a
// text: `let bits = 0x7f800000u; bitcast<f32>(bits)` and whatever is composed of it.
bool moves(Op op) { return kind(op) == OpKind::composite || op == Op::bitcast; }

bool can_be_written(Op op, const Type& type, const Words& words) {
    if (moves(op) || !is_plain(type)) return true;
    for (std::size_t i = 0; i < words.size() / words_of(type.scalar); ++i)
        if (!is_finite_word(type.scalar, component(words, type.scalar, i))) return false;
    return true;
}

}  // namespace

bool is_finite_word(Scalar scalar, std::uint64_t word) {
    const auto low = static_cast<std::uint32_t>(word);
    if (scalar == Scalar::f16) return s::is_finite(from_word<f16>(low));
    if (scalar == Scalar::f64) return s::is_finite(from_word<double>(word));
    return scalar != Scalar::f32 || s::is_finite(from_word<float>(low));
}

std::optional<std::vector<std::uint32_t>> compute(Op op, const TypeTable& types, TypeId result,
                                                  std::span<const ConstantValue> operands,
                                                  std::uint32_t payload) {
    if (!is_exact(op) || operands.empty() || result == no_type) return {};
    if (info(op).operands >= 0 && operands.size() != static_cast<std::size_t>(info(op).operands)) return {};
    if (types.has_runtime_array(result) || types.scalar_words(result) > max_folded_words) return {};
    std::optional<Words> words = folded(op, types, result, operands, payload);
    if (!words || words->size() != types.scalar_words(result)) return {};
    return words;
}

std::optional<std::vector<std::uint32_t>> fold(Op op, const TypeTable& types, TypeId result,
                                               std::span<const ConstantValue> operands,
                                               std::uint32_t payload) {
    std::optional<Words> words = compute(op, types, result, operands, payload);
    if (words && !can_be_written(op, types[result], *words)) return {};
    return words;
}

}  // namespace muster
