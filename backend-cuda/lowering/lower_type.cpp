#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <muster/backend-cuda/lowering/lower_type.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cuda {

std::string_view scalar_name(Scalar scalar) {
    switch (scalar) {
        case Scalar::boolean: return "bool";
        case Scalar::i32: return "int";
        case Scalar::u32: return "unsigned";
        case Scalar::f32: return "float";
    }
    return "";
}

std::string vector_name(Scalar scalar, std::uint32_t width) {
    if (width == 1) return std::string(scalar_name(scalar));
    return fmt::format("{}{}", scalar == Scalar::u32 ? "uint" : scalar_name(scalar), width);
}

const std::string& Types::name(TypeId type) {
    if (known_[type.index].name.empty()) define(type);
    return known_[type.index].name;
}

void Types::define(TypeId id) {
    const Type& type = table_[id];
    std::string& name = known_[id.index].name;
    switch (type.kind) {
        case TypeKind::none: name = "void"; break;
        case TypeKind::scalar:
        case TypeKind::vector:
        case TypeKind::atomic:
            name = vector_name(type.scalar, type.width);
            if (type.scalar == Scalar::boolean && type.width > 1) prelude_.require(name);
            break;
        case TypeKind::array:
            prelude_.require("array");
            name = fmt::format("array<{}, {}>", element_name(type.element), type.count);
            break;
        case TypeKind::structure:
            lay_out(id);
            name = names_.unique_name(kernel_name(type.name));
            prelude_.add("struct " + name, definition(id));
            break;
    }
}

std::string Types::element_name(TypeId element) {
    if (!is_padded_in_arrays(element)) return name(element);
    prelude_.require("padded");
    return fmt::format("padded<{}>", name(element));
}

std::string Types::member(TypeId structure, std::uint32_t which) {
    (void)name(structure);
    return known_[structure.index].members[which];
}

bool Types::is_padded_in_arrays(TypeId element) const {
    const Type& type = table_[element];
    return type.kind == TypeKind::vector && type.width == 3 && type.scalar != Scalar::boolean;
}

bool Types::is_aggregate(TypeId type) const {
    return table_[type].kind == TypeKind::array || table_[type].kind == TypeKind::structure;
}

bool Types::is_only_array(TypeId type) const {
    const Type& of = table_[type];
    return of.kind == TypeKind::structure && of.contains_runtime_array && of.members.size() == 1;
}

std::uint32_t Types::align(TypeId id) const {
    const Type& type = table_[id];
    if (type.kind == TypeKind::vector && type.width == 3) return 4;
    if (type.kind == TypeKind::array) return is_padded_in_arrays(type.element) ? 16 : align(type.element);
    return type.align;
}

std::uint64_t Types::size(TypeId id) const {
    const Type& type = table_[id];
    return type.kind == TypeKind::vector ? 4 * std::uint64_t{type.width} : type.size;
}

// Computes the padding that puts C++'s members at WGSL's offsets.
void Types::lay_out(TypeId id) {
    const Type& type = table_[id];
    Known& known = known_[id.index];
    Names members;
    // Members can't be named like a structure: after `Inner Inner;` the name means the member.
    for (std::uint32_t t = 0; t < table_.count(); ++t)
        if (table_[TypeId{t}].kind == TypeKind::structure) (void)members.unique_name(table_[TypeId{t}].name);
    std::uint64_t end = 0;
    for (const Member& member : type.members) {
        known.members.push_back(members.unique_name(member.name));
        Gap gap;
        if (!type.contains_bool && !table_[member.type].is_runtime_array() &&
            round_up(end, align(member.type)) != member.offset) {
            const auto best = std::uint32_t{1} << std::min(std::countr_zero(member.offset), 16);
            if (round_up(end, best) == member.offset && best <= type.align) {
                gap.align = best;
            } else {
                gap.words = (member.offset - end) / 4;
            }
        }
        known.gaps.push_back(gap);
        end = member.offset + size(member.type);
    }
    if (!type.contains_bool && !type.contains_runtime_array && round_up(end, type.align) != type.size)
        known.tail_words = (type.size - end) / 4;
}

std::string Types::definition(TypeId id) {
    const Type& type = table_[id];
    const Known& known = known_[id.index];
    std::string text = type.contains_bool ? fmt::format("struct {} {{\n", known.name)
                                          : fmt::format("struct alignas({}) {} {{\n", type.align, known.name);
    const auto pad = [&](std::size_t k, std::uint64_t words) {
        if (words != 0) text += fmt::format("    unsigned padding_{}_[{}];\n", k, words);
    };
    for (std::size_t k = 0; k < type.members.size(); ++k) {
        const Member& member = type.members[k];
        if (table_[member.type].is_runtime_array()) continue;
        pad(k, known.gaps[k].words);
        const std::string aligned =
            known.gaps[k].align == 0 ? "" : fmt::format("alignas({}) ", known.gaps[k].align);
        text += fmt::format("    {}{} {};\n", aligned, name(member.type), known.members[k]);
    }
    pad(type.members.size(), known.tail_words);
    text += "};\n";
    if (!type.contains_bool && !type.contains_runtime_array)
        text += fmt::format("static_assert(sizeof({}) == {}, \"as in WGSL\");\n", known.name, type.size);
    return text;
}

bool Types::has_gaps(TypeId id) const {
    const Type& type = table_[id];
    return is_aggregate(id) && !type.contains_bool && type.size != 4 * type.words;
}

void Types::require_store(TypeId id) {
    const Type& type = table_[id];
    if (!has_gaps(id)) return prelude_.require("store_to");
    if (type.kind == TypeKind::array) {
        prelude_.require("store_to");
        if (is_padded_in_arrays(type.element)) {
            prelude_.require("store_to padded");
        } else {
            require_store(type.element);
        }
        return prelude_.require("store_to array");
    }
    if (known_[id.index].stores) return;
    known_[id.index].stores = true;
    std::string body;
    for (std::uint32_t k = 0; k < type.members.size(); ++k) {
        const TypeId of = type.members[k].type;
        const std::string& field = known_[id.index].members[k];
        if (has_gaps(of)) require_store(of);
        body += has_gaps(of) ? fmt::format("    store_to(to.{0}, from.{0});\n", field)
                             : fmt::format("    to.{0} = from.{0};\n", field);
    }
    prelude_.add(
        "store_to " + name(id),
        fmt::format("__device__ inline void store_to({0}& to, const {0}& from) {{\n{1}}}\n", name(id), body));
}

}  // namespace muster::cuda
