// Literals of constants.
#include <bit>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/c_text/types.hpp>

namespace muster::c_text {
namespace {

std::uint64_t first_scalar(Scalar scalar, std::span<const std::uint32_t> words) {
    return words[0] | (is_wide(scalar) ? std::uint64_t{words[1]} << 32 : 0);
}

// Decimal, as short as possible, if that gives the same bits whether read as float or as double; otherwise
// hexadecimal.
std::string finite_literal(std::uint32_t word) {
    const auto value = std::bit_cast<float>(word);
    std::string text = fmt::format("{}", value);
    const bool is_safe =
        std::fpclassify(value) != FP_SUBNORMAL &&
        std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)) == word &&
        std::bit_cast<std::uint32_t>(static_cast<float>(std::strtod(text.c_str(), nullptr))) == word;
    if (!is_safe) return fmt::format("{:a}f", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text + "f";
}

std::string finite_literal(double value) {
    std::string text = fmt::format("{}", value);
    if (std::fpclassify(value) == FP_SUBNORMAL) return fmt::format("{:a}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

std::string Types::scalar_literal(Scalar scalar, std::uint64_t bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    switch (scalar) {
        case Scalar::boolean: return word != 0 ? "true" : "false";
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16: return fmt::format("{}", static_cast<std::int32_t>(word));
        case Scalar::i32:
            return word == 0x80000000u ? syntax_.cast("int", {"0x80000000u"}).text
                                       : fmt::format("{}", static_cast<std::int32_t>(word));
        case Scalar::u32: return fmt::format("{}u", word);
        case Scalar::f16: return fmt::format("0x{:04x}u", word);
        case Scalar::i64:
        case Scalar::u64: {  // languages differ in the suffixes of 64 bits
            const std::string_view type = prelude_.call(scalar_name(scalar));
            const bool is_decimal = scalar == Scalar::i64 && bits != std::uint64_t{1} << 63;
            return syntax_
                .cast(type, {is_decimal ? fmt::format("{}", static_cast<std::int64_t>(bits))
                                        : fmt::format("{}u", bits)})
                .text;
        }
        case Scalar::f32:
            return std::isfinite(std::bit_cast<float>(word))
                       ? finite_literal(word)
                       : fmt::format("{}(0x{:08x}u)", prelude_.call("u32_as_f32"), word);
        case Scalar::f64:
            return std::isfinite(std::bit_cast<double>(bits))
                       ? finite_literal(std::bit_cast<double>(bits))
                       : fmt::format("{}(0x{:016x}u)", prelude_.call("u64_as_f64"), bits);
    }
    return {};
}

// The same value without a call: initialisers of constant memory allow none. NaN payloads aren't kept.
std::string Types::constant_scalar(Scalar scalar, std::uint64_t bits) {
    const double value = scalar == Scalar::f32   ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                         : scalar == Scalar::f64 ? std::bit_cast<double>(bits)
                                                 : 0.0;
    if (std::isfinite(value)) return scalar_literal(scalar, bits);
    const std::string one = scalar == Scalar::f32 ? "1.0f" : "1.0",
                      zero = scalar == Scalar::f32 ? "0.0f" : "0.0";
    if (std::isnan(value)) return zero + " / " + zero;
    return (value < 0 ? "-" : "") + one + " / " + zero;
}

std::string Types::zero(TypeId type) {
    const Type& of = table_[type];
    const bool is_scalar = of.kind == TypeKind::scalar || of.kind == TypeKind::atomic;
    return is_scalar ? scalar_literal(of.scalar, 0) : syntax_.braced(name(type), syntax_.is_cpp() ? "" : "0");
}

std::string Types::literal(TypeId type, std::span<const std::uint32_t> words) {
    if (words.empty()) return zero(type);
    const Type& of = table_[type];
    std::vector<std::string> parts;
    for (; !words.empty(); words = words.subspan(words_of(of.scalar)))
        parts.push_back(scalar_literal(of.scalar, first_scalar(of.scalar, words)));
    return of.kind == TypeKind::scalar ? parts[0] : composed(type, parts);
}

std::string Types::initialiser(TypeId type, std::span<const std::uint32_t> words) {
    return part(type, words);
}

std::string Types::part(TypeId type, std::span<const std::uint32_t>& words) {
    const Type& of = table_[type];
    if (of.kind == TypeKind::scalar) {
        const std::uint64_t bits = first_scalar(of.scalar, words);
        words = words.subspan(words_of(of.scalar));
        return constant_scalar(of.scalar, bits);
    }
    std::vector<std::string> parts;
    if (of.kind == TypeKind::structure) {
        for (const Member& member : of.members) parts.push_back(part(member.type, words));
    } else {
        const std::uint32_t count = of.kind == TypeKind::array ? of.count : of.width;
        for (std::uint32_t k = 0; k < count; ++k) parts.push_back(part(of.element, words));
    }
    return syntax_.is_cpp() ? syntax_.braced(name(type), listed(type, parts))
                            : fmt::format("{{{}}}", listed(type, parts));
}

// Text between a composite's braces.
std::string Types::listed(TypeId type, std::span<const std::string> parts) {
    const Type& of = table_[type];
    (void)name(type);
    if (of.kind == TypeKind::vector) return fmt::format("{}", fmt::join(parts, ", "));
    std::string text;
    const auto add = [&](const std::string& one) { text += text.empty() ? one : ", " + one; };
    if (of.kind == TypeKind::array) {
        const bool is_padded = is_padded_in_arrays(of.element);
        for (const std::string& one : parts) add(is_padded ? "{" + one + "}" : one);
        return fmt::format("{{{}}}", text);
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (known_[type.index].gaps[k].bytes != 0) add(syntax_.is_cpp() ? "{}" : "{0}");
        add(parts[k]);
    }
    return text;
}

std::string Types::composed(TypeId type, std::span<const std::string> parts) {
    const std::string text = listed(type, parts);
    return table_[type].kind == TypeKind::vector && syntax_.is_cpp()
               ? fmt::format("make_{}({})", name(type), text)
               : syntax_.braced(name(type), text);
}

}  // namespace muster::c_text
