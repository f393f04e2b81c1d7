#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <muster/driver/c_text/types.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::c_text {
namespace {

/// The alignment that the text asks for: memory is aligned to no more than wrapped_alignment,
/// whatever WGSL's type has.
std::uint32_t most_aligned(std::uint32_t align) {
    return std::min(align, static_cast<std::uint32_t>(wrapped_alignment));
}

}  // namespace

const std::string& Types::name(TypeId type) {
    if (known_[type.index].name.empty()) define(type);
    return known_[type.index].name;
}

void Types::define(TypeId id) {
    const Type& type = table_[id];
    std::string& name = known_[id.index].name;
    if (info(type.scalar).bytes != 4 && !is_aggregate(id)) prelude_.call(scalar_name(type.scalar));
    switch (type.kind) {
        case TypeKind::none: name = "void"; break;
        case TypeKind::scalar:
        case TypeKind::vector:
        case TypeKind::atomic:
            name = syntax_.vector_name(type.scalar, type.width);
            if (type.width > 1) define_vector(id);
            break;
        case TypeKind::array: define_array(id); break;
        case TypeKind::structure:
            lay_out(id);
            name = names_.unique_name(kernel_name(dialect_, type.name));
            prelude_.add("struct " + name, definition(id));
            break;
    }
}

void Types::define_vector(TypeId id) {
    const Type& type = table_[id];
    const std::string& name = known_[id.index].name;
    const bool is_bool = type.scalar == Scalar::boolean;
    if (syntax_.is_cpp() && is_vector_of_cuda(type.scalar)) return;
    const std::string_view scalar = scalar_name(type.scalar);
    std::string members, parameters;
    for (std::uint32_t c = 0; c < type.width; ++c) {
        members += fmt::format("{}{}", c == 0 ? "" : ", ", components[c]);
        parameters += fmt::format("{}{} {}", c == 0 ? "" : ", ", scalar, components[c]);
    }
    std::string text = begin_structure(name, is_bool || type.width == 3 ? 0 : align(id)) +
                       fmt::format("    {} {};\n", scalar, members) + end_structure(name);
    if (syntax_.is_cpp())
        text += fmt::format("{} {} make_{}({}) {{ return {{{}}}; }}\n", syntax_.function_head(), name, name,
                            parameters, members);
    prelude_.add(name, text);
}

void Types::define_array(TypeId id) {
    const Type& type = table_[id];
    std::string& name = known_[id.index].name;
    if (syntax_.is_cpp()) {
        prelude_.call("array");
        name = fmt::format("array<{}, {}>", element_name(type.element), type.count);
        return;
    }
    const std::string of = element_name(type.element);
    name = fmt::format("array_{}_{}", of, type.count);
    prelude_.add(name, fmt::format("{}    {} elements[{}];\n{}", begin_structure(name, 0), of, type.count,
                                   end_structure(name)));
}

std::string Types::begin_structure(const std::string& name, std::uint32_t align) const {
    const std::string aligned = align == 0 ? "" : " " + syntax_.aligned(align);
    return syntax_.is_cpp() ? fmt::format("struct{} {} {{\n", aligned, name)
                            : fmt::format("typedef struct{} {{\n", aligned);
}

std::string Types::end_structure(const std::string& name) const {
    return syntax_.is_cpp() ? "};\n" : fmt::format("}} {};\n", name);
}

std::string Types::element_name(TypeId element) {
    if (!is_padded_in_arrays(element)) return name(element);
    const std::string& value = name(element);
    if (syntax_.is_cpp()) return fmt::format("{}<{}>", prelude_.call(padded_name(element)), value);
    std::string padded = "padded_" + value;
    prelude_.add(padded, begin_structure(padded, most_aligned(table_[element].align)) +
                             fmt::format("    {} value;\n", value) + end_structure(padded));
    return padded;
}

// The template of elements that are padded in arrays.
std::string_view Types::padded_name(TypeId element) const {
    const std::uint32_t bytes = info(table_[element].scalar).bytes;
    return bytes == 1 ? "padded_byte" : bytes == 2 ? "padded_half" : bytes == 8 ? "padded_wide" : "padded";
}

std::string Types::element(const Type& array, std::string_view whole, std::string_view index,
                           bool is_pointer) const {
    return (is_pointer ? fmt::format("{}[{}]", whole, index) : syntax_.element(whole, index)) +
           (is_padded_in_arrays(array.element) ? ".value" : "");
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
    if (type.kind == TypeKind::vector && type.width == 3) return info(type.scalar).bytes;
    if (type.kind == TypeKind::array)
        return is_padded_in_arrays(type.element) ? most_aligned(table_[type.element].align)
                                                 : align(type.element);
    return most_aligned(type.align);
}

// Computes the padding that puts the text's members at WGSL's offsets.
void Types::lay_out(TypeId id) {
    const Type& type = table_[id];
    Known& known = known_[id.index];
    Names members(dialect_);
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
            if (round_up(end, best) == member.offset && best <= align(id)) {
                gap.align = best;
            } else {
                gap.bytes = member.offset - end;
            }
        }
        known.gaps.push_back(gap);
        end = member.offset + table_[member.type].size;
    }
    if (!type.contains_bool && !type.contains_runtime_array && round_up(end, align(id)) != type.size)
        known.tail_bytes = type.size - end;
}

std::string Types::definition(TypeId id) {
    const Type& type = table_[id];
    const Known& known = known_[id.index];
    std::string text = begin_structure(known.name, type.contains_bool ? 0 : align(id));
    // Padding is aligned as what it follows: words don't follow a smaller scalar directly.
    const auto pad = [&](std::size_t k, std::uint64_t bytes) {
        const std::uint32_t unit = type.least_bytes;
        const std::string_view name = unit == 1 ? "unsigned char" : unit == 2 ? "unsigned short" : "unsigned";
        if (bytes != 0) text += fmt::format("    {} padding_{}_[{}];\n", name, k, bytes / unit);
    };
    for (std::size_t k = 0; k < type.members.size(); ++k) {
        const Member& member = type.members[k];
        if (table_[member.type].is_runtime_array()) continue;
        pad(k, known.gaps[k].bytes);
        const std::string aligned =
            known.gaps[k].align == 0 ? "" : syntax_.aligned(known.gaps[k].align) + " ";
        text += fmt::format("    {}{} {};\n", aligned, name(member.type), known.members[k]);
    }
    pad(type.members.size(), known.tail_bytes);
    text += end_structure(known.name);
    if (type.contains_bool || type.contains_runtime_array) return text;
    return text + (syntax_.is_cpp() ? fmt::format("static_assert(sizeof({}) == {}, \"as in WGSL\");\n",
                                                  known.name, type.size)
                                    : fmt::format("typedef char size_of_{0}[sizeof({0}) == {1} ? 1 : -1];\n",
                                                  known.name, type.size));
}

bool Types::has_gaps(TypeId id) const {
    const Type& type = table_[id];
    return is_aggregate(id) && !type.contains_bool && type.size != scalar_bytes(id);
}

std::uint64_t Types::scalar_bytes(TypeId id) const {
    const Type& type = table_[id];
    if (type.least_bytes == 4) return 4 * type.words;
    if (type.kind == TypeKind::array) return scalar_bytes(type.element) * type.count;
    if (type.kind != TypeKind::structure) return type.size;
    std::uint64_t bytes = 0;
    for (const Member& member : type.members) bytes += scalar_bytes(member.type);
    return bytes;
}

std::string Types::store(TypeId type, const std::string& to, std::string_view from) {
    if (!has_gaps(type)) return fmt::format("{} = {};", to, from);
    require_store(type);
    return fmt::format("{}({}, {});", syntax_.overload("store_to", name(type)), syntax_.changed_argument(to),
                       from);
}

void Types::require_store(TypeId id) {
    const Type& type = table_[id];
    const bool is_array = type.kind == TypeKind::array;
    if (syntax_.is_cpp() && is_array) {
        prelude_.call("store_to");
        if (is_padded_in_arrays(type.element)) {
            prelude_.call(fmt::format("store_to {}", padded_name(type.element)));
        } else {
            require_store(type.element);
        }
        prelude_.call("store_to array");
        return;
    }
    const std::string& of = name(id);
    if (known_[id.index].stores) return;
    known_[id.index].stores = true;
    std::string body;
    const auto add = [&](TypeId part, const std::string& which) {
        body += store(part, syntax_.changed_member() + which, "from." + which) + "\n";
    };
    if (is_array) {
        body = fmt::format("    for (unsigned i = 0u; i < {}u; ++i) ", type.count);
        add(type.element, is_padded_in_arrays(type.element) ? "elements[i].value" : "elements[i]");
    }
    for (std::uint32_t k = 0; k < type.members.size(); ++k) {
        body += "    ";
        add(type.members[k].type, known_[id.index].members[k]);
    }
    prelude_.add(
        "store_to " + of,
        fmt::format("{} void {}({}{}, const {}{} from) {{\n{}}}\n", syntax_.function_head(),
                    syntax_.overload("store_to", of), spaced(dialect_.qualifier(AddressSpace::storage)),
                    syntax_.changed_parameter(of), of, syntax_.is_cpp() ? "&" : "", body));
}

std::string Types::set_zero(TypeId type, const std::string& to) {
    if (syntax_.is_cpp()) {
        prelude_.call("set_zero");
    } else {
        require_set_zero(type);
    }
    return fmt::format("{}({});", syntax_.overload("set_zero", name(type)), syntax_.changed_argument(to));
}

void Types::require_set_zero(TypeId id) {
    const Type& type = table_[id];
    const std::string function = syntax_.overload("set_zero", name(id));
    const std::string place = is_padded_in_arrays(type.element) ? "to->elements[i].value" : "to->elements[i]";
    const std::string line = table_[type.element].kind == TypeKind::array
                                 ? set_zero(type.element, place)
                                 : fmt::format("{} = {};", place, zero(type.element));
    prelude_.add(function, fmt::format("{} void {}({}) {{\n    for (unsigned i = 0u; i < {}u; ++i) {}\n}}\n",
                                       syntax_.function_head(), function, syntax_.changed_parameter(name(id)),
                                       type.count, line));
}

}  // namespace muster::c_text
