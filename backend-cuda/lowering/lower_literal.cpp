// Literals of constants.
#include <bit>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-cuda/lowering/lower_type.hpp>

namespace muster::cuda {
namespace {

// Decimal, as short as possible, if that gives the same bits whether read as float or as double; otherwise
// hexadecimal.
std::string float_literal(std::uint32_t word) {
    const auto value = std::bit_cast<float>(word);
    if (!std::isfinite(value)) return fmt::format("__uint_as_float(0x{:08x}u)", word);
    std::string text = fmt::format("{}", value);
    const bool is_safe =
        std::fpclassify(value) != FP_SUBNORMAL &&
        std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)) == word &&
        std::bit_cast<std::uint32_t>(static_cast<float>(std::strtod(text.c_str(), nullptr))) == word;
    if (!is_safe) return fmt::format("{:a}f", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text + "f";
}

std::string i32_literal(std::uint32_t word) {
    return word == 0x80000000u ? "int(0x80000000u)" : fmt::format("{}", static_cast<std::int32_t>(word));
}

// The same value without a call: CUDA's initialisers of constant memory allow none, and NVRTC 12 has no builtin
// for it. NaN payloads aren't kept.
std::string constant_scalar(Scalar scalar, std::uint32_t word) {
    const auto value = std::bit_cast<float>(word);
    if (scalar != Scalar::f32 || std::isfinite(value)) return scalar_literal(scalar, word);
    return std::isnan(value) ? "0.0f / 0.0f" : value < 0 ? "-1.0f / 0.0f" : "1.0f / 0.0f";
}

}  // namespace

std::string scalar_literal(Scalar scalar, std::uint32_t word) {
    switch (scalar) {
        case Scalar::boolean: return word != 0 ? "true" : "false";
        case Scalar::i32: return i32_literal(word);
        case Scalar::u32: return fmt::format("{}u", word);
        case Scalar::f32: return float_literal(word);
    }
    return {};
}

std::string Types::zero(TypeId type) {
    const Type& of = table_[type];
    return of.kind == TypeKind::scalar ? scalar_literal(of.scalar, 0) : name(type) + "{}";
}

std::string Types::literal(TypeId type, std::span<const std::uint32_t> words) {
    if (words.empty()) return zero(type);
    const Type& of = table_[type];
    if (of.kind == TypeKind::scalar) return scalar_literal(of.scalar, words[0]);
    std::vector<std::string> parts;
    for (const std::uint32_t word : words) parts.push_back(scalar_literal(of.scalar, word));
    return composed(type, parts);
}

std::string Types::initialiser(TypeId type, std::span<const std::uint32_t> words) {
    return part(type, words);
}

std::string Types::part(TypeId type, std::span<const std::uint32_t>& words) {
    const Type& of = table_[type];
    if (of.kind == TypeKind::scalar) {
        const std::uint32_t word = words[0];
        words = words.subspan(1);
        return constant_scalar(of.scalar, word);
    }
    std::vector<std::string> parts;
    if (of.kind == TypeKind::structure) {
        for (const Member& member : of.members) parts.push_back(part(member.type, words));
    } else {
        const std::uint32_t count = of.kind == TypeKind::array ? of.count : of.width;
        for (std::uint32_t k = 0; k < count; ++k) parts.push_back(part(of.element, words));
    }
    if (of.kind == TypeKind::vector) return fmt::format("{}{{{}}}", name(type), fmt::join(parts, ", "));
    return composed(type, parts);
}

std::string Types::composed(TypeId type, std::span<const std::string> parts) {
    const Type& of = table_[type];
    std::string text;
    const auto add = [&](const std::string& one) { text += text.empty() ? one : ", " + one; };
    if (of.kind == TypeKind::vector) {
        for (const std::string& one : parts) add(one);
        return fmt::format("make_{}({})", name(type), text);
    }
    const std::string& type_name = name(type);
    if (of.kind == TypeKind::array) {
        const bool is_padded = is_padded_in_arrays(of.element);
        for (const std::string& one : parts) add(is_padded ? "{" + one + "}" : one);
        return fmt::format("{}{{{{{}}}}}", type_name, text);
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (known_[type.index].gaps[k].words != 0) add("{}");
        add(parts[k]);
    }
    return fmt::format("{}{{{}}}", type_name, text);
}

}  // namespace muster::cuda
