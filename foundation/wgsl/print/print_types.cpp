#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/foundation/wgsl/print/print_types.hpp>

namespace muster::wgsl {
namespace {

std::string float_constant(float value, char suffix) {
    if (!std::isfinite(value)) return fmt::format("bitcast<f32>({}u)", std::bit_cast<std::uint32_t>(value));
    std::string text = fmt::format("{}", value);  // the shortest text that reads back as this value
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text + suffix;
}

}  // namespace

std::string scalar_constant(Scalar scalar, std::uint64_t bits, const PredeclaredWords& words) {
    const auto word = static_cast<std::uint32_t>(bits);
    switch (scalar) {
        case Scalar::boolean: return word != 0 ? "true" : "false";
        case Scalar::i32:
            // The literal 2147483648i doesn't exist, so neither does its negation.
            if (word == 0x80000000u) return words("i32") + "(-2147483648)";
            return fmt::format("{}i", static_cast<std::int32_t>(word));
        case Scalar::u32: return fmt::format("{}u", word);
        case Scalar::f32: return float_constant(std::bit_cast<float>(word), 'f');
        case Scalar::f16: return float_constant(semantics::low_half(word), 'h');
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16:
            return fmt::format("{}({})", words(info(scalar).name), static_cast<std::int32_t>(word));
        case Scalar::i64:  // as with i32
            if (bits == std::uint64_t{1} << 63) return words("i64") + "(-9223372036854775807li - 1)";
            return fmt::format("{}li", static_cast<std::int64_t>(bits));
        case Scalar::u64: return fmt::format("{}lu", bits);
        case Scalar::f64: {
            const auto value = std::bit_cast<double>(bits);
            if (!std::isfinite(value))
                return fmt::format("{}<{}>({}lu)", words("bitcast"), words("f64"), bits);
            std::string text = fmt::format("{}", value);
            if (text.find_first_of(".e") == std::string::npos) text += ".0";
            return text + "lf";
        }
    }
    return {};
}

TypePrinter::TypePrinter(const Program& program, NameSet& names, const PredeclaredWords& words)
    : types_(program.types()), word_(words), names_(types_.count()), members_(types_.count()) {
    for (std::uint32_t i = fixed_type_count; i < types_.count(); ++i) {
        const Type& type = types_[TypeId{i}];
        if (type.kind != TypeKind::structure) continue;
        names_[i] = names.unique_name(type.name);
        NameSet members;
        for (const Member& each : type.members) members_[i].push_back(members.unique_name(each.name));
    }
}

std::string TypePrinter::name(TypeId id) const {
    const Type& type = types_[id];
    if (type.kind == TypeKind::structure) return names_[id.index];
    if (type.kind == TypeKind::array && !type.is_runtime_array())
        return fmt::format("{}<{}, {}>", word_("array"), name(type.element), type.count);
    if (type.kind == TypeKind::array) return fmt::format("{}<{}>", word_("array"), name(type.element));
    const std::string scalar = word_(info(type.scalar).name);
    if (type.kind == TypeKind::atomic) return fmt::format("{}<{}>", word_("atomic"), scalar);
    if (type.kind == TypeKind::vector)
        return fmt::format("{}<{}>", word_(fmt::format("vec{}", type.width)), scalar);
    return type.kind == TypeKind::scalar ? scalar : types_.name(id);
}

std::string TypePrinter::member(TypeId structure, std::uint32_t which) const {
    return members_[structure.index][which];
}

std::string TypePrinter::declarations() const {
    std::string out;
    for (std::uint32_t i = fixed_type_count; i < types_.count(); ++i)
        if (types_[TypeId{i}].kind == TypeKind::structure) declare(TypeId{i}, out);
    return out;
}

// Reproduces offsets, size and alignment, not the original attributes. An alignment larger than the members'
// own goes on the first member, whose offset is 0 anyway; a gap becomes the @size of the member before it.
void TypePrinter::declare(TypeId id, std::string& out) const {
    const Type& type = types_[id];
    std::uint32_t natural = 1;
    for (const Member& each : type.members) natural = std::max(natural, types_[each.type].align);
    out += fmt::format("struct {} {{\n", names_[id.index]);
    for (std::size_t i = 0; i < type.members.size(); ++i) {
        const Member& each = type.members[i];
        const Type& of = types_[each.type];
        const bool last = i + 1 == type.members.size();
        const std::uint64_t next = last ? type.size : type.members[i + 1].offset;
        const std::uint32_t next_align = last ? type.align : types_[type.members[i + 1].type].align;
        out += "    ";
        if (i == 0 && type.align > natural) out += fmt::format("@align({}) ", type.align);
        if (round_up(each.offset + of.size, next_align) != next)
            out += fmt::format("@size({}) ", next - each.offset);
        out += fmt::format("{}: {},\n", members_[id.index][i], name(each.type));
    }
    out += "}\n\n";
}

std::string TypePrinter::constant(TypeId id, std::span<const std::uint32_t> words,
                                  const ScalarText& scalar) const {
    const Type& type = types_[id];
    if (type.kind == TypeKind::scalar) {
        const std::uint64_t low = words.empty() ? 0 : words[0], high = words.size() < 2 ? 0 : words[1];
        return scalar(type.scalar, low | high << 32);
    }
    std::string out = name(id) + "(";
    const auto part = [&](TypeId of) {
        const std::uint64_t count = types_.scalar_words(of);
        if (out.back() != '(') out += ", ";
        const auto mine = words.subspan(0, count);
        const bool zero = std::ranges::all_of(mine, [](std::uint32_t word) { return word == 0; });
        out += constant(of, zero ? std::span<const std::uint32_t>{} : mine, scalar);
        words = words.subspan(count);
    };
    if (!words.empty()) {
        const std::uint32_t parts = type.kind == TypeKind::vector ? type.width : type.count;
        for (std::uint32_t i = 0; i < parts && type.kind != TypeKind::structure; ++i) part(type.element);
        for (const Member& each : type.members) part(each.type);
    }
    return out + ")";
}

}  // namespace muster::wgsl
