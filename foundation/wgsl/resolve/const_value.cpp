#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <muster/foundation/semantics/semantics.hpp>
#include <muster/foundation/wgsl/resolve/const_value.hpp>

namespace muster::wgsl {
namespace {

std::unexpected<ConstFault> out_of_range(const std::string& value, TypeRef to, std::string fix) {
    return std::unexpected(
        ConstFault{"The value " + value + " doesn't fit in " + to->name + ".", std::move(fix)});
}

std::string range_of(Kind kind) {
    const Scalar scalar = info(kind).scalar;
    if (scalar == Scalar::f16) return "use a value of magnitude at most 65504.";
    if (!is_integer(scalar) && !is_narrow(scalar))
        return "use a value of magnitude at most 3.4028234663852886e+38.";
    const std::uint64_t most = UINT64_MAX >> (64 - 8 * info(scalar).bytes + (is_signed(scalar) ? 1 : 0));
    return is_signed(scalar) ? fmt::format("use a value from -{} to {}.", most + 1, most)
                             : fmt::format("use a value from 0 to {}.", most);
}

std::expected<Word, ConstFault> to_float(double value, TypeRef to) {
    if (to->kind == Kind::abstract_float || to->kind == Kind::f64) return word(value);
    const float narrow = to->kind == Kind::f16 ? float{semantics::to_f16(value)} : static_cast<float>(value);
    if (!semantics::is_finite(narrow)) return out_of_range(fmt::format("{}", value), to, range_of(to->kind));
    return word(double{narrow});
}

// The integer with the type's low bits of `value`.
std::int64_t integer_of(std::int64_t value, Kind type) {
    const Scalar scalar = info(type).scalar;
    if (!is_integer(scalar) && !is_narrow(scalar)) return value;
    const std::uint32_t rest = 64 - 8 * info(scalar).bytes;
    const auto high = static_cast<std::uint64_t>(value) << rest;
    return is_signed(scalar) ? static_cast<std::int64_t>(high) >> rest
                             : static_cast<std::int64_t>(high >> rest);
}

std::expected<Word, ConstFault> from_abstract_int(std::int64_t value, TypeRef to) {
    if (integer_of(value, to->kind) != value || (to->kind == Kind::u64 && value < 0))
        return out_of_range(std::to_string(value), to, range_of(to->kind));
    if (to->kind == Kind::f16) return to_float(static_cast<double>(value), to);
    if (to->kind == Kind::f64) return word(static_cast<double>(value));
    if (to->kind == Kind::abstract_float || to->kind == Kind::f32)
        return to->kind == Kind::f32 ? word(double{static_cast<float>(value)})
                                     : word(static_cast<double>(value));
    return word(value);
}

// Rounds toward zero and clamps to values that both types have.
std::int64_t float_to_integer(double value, Kind from, Kind to) {
    const auto of = [to](auto x) {
        if (to == Kind::i64) return semantics::to_i64(x);
        if (to == Kind::u64) return static_cast<std::int64_t>(semantics::to_u64(x));
        return to == Kind::i32 ? std::int64_t{semantics::to_i32(x)} : std::int64_t{semantics::to_u32(x)};
    };
    if (from == Kind::f64 || to == Kind::i64 || to == Kind::u64)
        return from == Kind::f32   ? of(static_cast<float>(value))
               : from == Kind::f16 ? of(semantics::to_f16(value))
                                   : of(value);
    if (from == Kind::f32) return of(static_cast<float>(value));
    if (from == Kind::f16) return of(semantics::to_f16(value));
    const double low = to == Kind::i32 ? -2147483648.0 : 0.0;
    const double high = to == Kind::i32 ? 2147483647.0 : 4294967295.0;
    return static_cast<std::int64_t>(std::trunc(std::clamp(value, low, high)));
}

std::expected<Word, ConstFault> convert_scalar(Word value, TypeRef from, TypeRef to) {
    if (from == to) return value;
    const bool from_float = from->is_float();
    if (to->kind == Kind::boolean) return word(std::int64_t{from_float ? value.f != 0 : value.i != 0});
    if (to->is_float()) {
        if (from_float) return to_float(value.f, to);
        if (from->kind == Kind::abstract_int) return from_abstract_int(value.i, to);
        if (!from->is_wide()) return to_float(static_cast<double>(value.i), to);
        // Rounded once: a float of an i64 isn't that of its double.
        const bool is_signed = from->kind == Kind::i64;
        const auto bits = static_cast<std::uint64_t>(value.i);
        if (to->kind == Kind::f64)
            return word(is_signed ? static_cast<double>(value.i) : static_cast<double>(bits));
        return to_float(double{is_signed ? static_cast<float>(value.i) : static_cast<float>(bits)}, to);
    }
    if (from_float) return word(float_to_integer(value.f, from->kind, to->kind));
    if (from->kind == Kind::abstract_int) return from_abstract_int(value.i, to);
    return word(integer_of(value.i, to->kind));
}

/// The bits of a scalar of 64 bits.
std::uint64_t wide_bits(Word value, TypeRef type) {
    return type->kind == Kind::f64 ? std::bit_cast<std::uint64_t>(value.f)
                                   : static_cast<std::uint64_t>(value.i);
}

std::uint32_t ir_word(Word value, TypeRef type) {
    if (type->kind == Kind::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value.f));
    if (type->kind == Kind::f16) return semantics::to_f16(value.f).bits();
    return static_cast<std::uint32_t>(value.i);
}

// Calls f(word, scalar type, result scalar type) for each scalar. Precondition: the
// types have the same shape.
template <class F>
std::expected<void, ConstFault> each_scalar(std::span<const Word> words, std::size_t& at, TypeRef from,
                                            TypeRef to, F& f) {
    if (from->is_scalar()) {
        if (auto done = f(words[at], from, to); !done) return done;
        ++at;
        return {};
    }
    if (from->kind == Kind::structure) {
        for (std::size_t i = 0; i < from->members.size(); ++i) {
            auto done = each_scalar(words, at, from->members[i].type, to->members[i].type, f);
            if (!done) return done;
        }
        return {};
    }
    for (std::uint32_t i = 0; i < from->count; ++i) {
        if (auto done = each_scalar(words, at, from->element, to->element, f); !done) return done;
    }
    return {};
}

std::string scalar_text(Word value, TypeRef type) {
    if (type->kind == Kind::boolean) return value.i != 0 ? "true" : "false";
    if (type->is_float()) return fmt::format("{}", value.f);
    if (type->kind == Kind::u64) return std::to_string(static_cast<std::uint64_t>(value.i));
    return std::to_string(value.i);
}

}  // namespace

ConstValue::ConstValue(TypeRef type, std::span<const Word> words)
    : type_(type), size_(static_cast<std::uint32_t>(words.size())) {
    if (words.size() <= inline_.size())
        std::ranges::copy(words, inline_.begin());
    else
        shared_ = std::make_shared<const std::vector<Word>>(words.begin(), words.end());
}

ConstValue ConstValue::zero(TypeRef type) {
    // Zero bits mean 0, 0.0 and false alike, so all large zero values share one array.
    static const auto zeros = std::make_shared<const std::vector<Word>>(max_words);
    ConstValue value;
    value.type_ = type;
    value.size_ = static_cast<std::uint32_t>(type->words);
    if (type->words > value.inline_.size()) value.shared_ = zeros;
    return value;
}

ConstValue ConstValue::part(TypeRef type, std::uint64_t first) const {
    if (!shared_ || type->words <= inline_.size())
        return ConstValue(type, words().subspan(first, type->words));
    ConstValue value = *this;
    value.type_ = type;
    value.offset_ = offset_ + static_cast<std::uint32_t>(first);
    value.size_ = static_cast<std::uint32_t>(type->words);
    return value;
}

ConstValue ConstValue::element(std::uint32_t which) const {
    if (type_->kind != Kind::structure) return part(type_->element, type_->element->words * which);
    std::uint64_t first = 0;
    for (std::uint32_t i = 0; i < which; ++i) first += type_->members[i].type->words;
    return part(type_->members[which].type, first);
}

std::string to_text(const ConstValue& value) {
    TypeRef type = value.type();
    if (type->is_scalar()) return scalar_text(value[0], type);
    if (!type->is_vector() && !type->is_matrix()) return "a value of type " + type->name;
    std::string text = type->name + "(";
    for (std::uint32_t i = 0; i < type->words; ++i) {
        if (i != 0) text += ", ";
        text += scalar_text(value[i], type->scalar());
    }
    return text + ")";
}

ConstResult convert_constant(const ConstValue& value, TypeRef to) {
    if (value.type() == to) return value;
    std::vector<Word> words;
    words.reserve(value.words().size());
    auto convert = [&](Word w, TypeRef from, TypeRef target) -> std::expected<void, ConstFault> {
        auto converted = convert_scalar(w, from, target);
        if (!converted) return std::unexpected(std::move(converted).error());
        words.push_back(*converted);
        return {};
    };
    std::size_t at = 0;
    if (auto done = each_scalar(value.words(), at, value.type(), to, convert); !done)
        return std::unexpected(std::move(done).error());
    return ConstValue(to, words);
}

namespace {

// The value's bits, in words of 32: two f16 in one, the first in the low half.
std::vector<std::uint32_t> bits_of(const ConstValue& value) {
    std::vector<std::uint32_t> bits = ir_words(value);
    if (value.type()->scalar()->kind != Kind::f16) return bits;
    for (std::size_t n = 0; 2 * n + 1 < bits.size(); ++n) bits[n] = bits[2 * n] | bits[2 * n + 1] << 16;
    bits.resize(bits.size() / 2);
    return bits;
}

}  // namespace

ConstResult reinterpret(const ConstValue& value, TypeRef to) {
    const Kind kind = to->scalar()->kind;
    std::vector<Word> words;
    const std::vector<std::uint32_t> all = bits_of(value);
    for (std::size_t n = 0; to->is_wide() && n < all.size(); n += 2) {
        const std::uint64_t bits = all[n] | std::uint64_t{all[n + 1]} << 32;
        if (kind == Kind::f64 && !semantics::is_finite(std::bit_cast<double>(bits)))
            return std::unexpected(ConstFault{
                fmt::format("bitcast of 0x{:016x} to f64 gives {}.", bits, std::bit_cast<double>(bits)),
                "const-expressions must be finite; use the bits of a finite number."});
        words.push_back(kind == Kind::f64 ? word(std::bit_cast<double>(bits))
                                          : word(static_cast<std::int64_t>(bits)));
    }
    if (to->is_wide()) return ConstValue(to, words);
    for (const std::uint32_t bits : all) {
        std::vector<float> numbers;
        if (kind == Kind::f32) numbers = {std::bit_cast<float>(bits)};
        if (kind == Kind::f16) numbers = {semantics::low_half(bits), semantics::high_half(bits)};
        for (const float number : numbers) {
            if (!semantics::is_finite(number))
                return std::unexpected(ConstFault{
                    fmt::format("bitcast of 0x{:08x} to {} gives {}.", bits, to->scalar()->name, number),
                    "const-expressions must be finite; use the bits of a finite number."});
            words.push_back(word(double{number}));
        }
        if (kind == Kind::i32) words.push_back(word(std::int64_t{static_cast<std::int32_t>(bits)}));
        if (kind == Kind::u32) words.push_back(word(std::int64_t{bits}));
    }
    return ConstValue(to, words);
}

std::vector<std::uint32_t> ir_words(const ConstValue& value) {
    std::vector<std::uint32_t> words;
    words.reserve(value.words().size());
    auto append = [&](Word w, TypeRef type, TypeRef) -> std::expected<void, ConstFault> {
        if (type->is_wide()) {
            const std::uint64_t bits = wide_bits(w, type);
            words.push_back(static_cast<std::uint32_t>(bits));
            words.push_back(static_cast<std::uint32_t>(bits >> 32));
        } else {
            words.push_back(ir_word(w, type));
        }
        return {};
    };
    std::size_t at = 0;
    (void)each_scalar(value.words(), at, value.type(), value.type(), append);
    return words;
}

}  // namespace muster::wgsl
