#include "conformance/form_types.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster::conformance {
namespace {

using Kind = FormType::Kind;

std::string_view scalar_name(char scalar) {
    return scalar == 'b'   ? "bool"
           : scalar == 'i' ? "i32"
           : scalar == 'u' ? "u32"
           : scalar == 'h' ? "f16"
           : scalar == 'c' ? "i8"
           : scalar == 'y' ? "u8"
           : scalar == 's' ? "i16"
           : scalar == 't' ? "u16"
                           : "f32";
}

bool is_signed(char scalar) { return scalar == 'i' || scalar == 'c' || scalar == 's'; }

// A scalar's text: "-2.25", or "-2.25f" if `suffixed`.
std::string scalar_text(char scalar, std::uint32_t seed, bool suffixed) {
    if (scalar == 'b') return seed % 3 != 1 ? "true" : "false";
    if (is_narrow(scalar)) {
        const std::string number = scalar_text(is_signed(scalar) ? 'i' : 'u', seed, false);
        return suffixed ? fmt::format("{}({})", scalar_name(scalar), number) : number;
    }
    if (scalar == 'u') return fmt::format("{}{}", seed * 7 % 51, suffixed ? "u" : "");
    if (scalar == 'i') return fmt::format("{}{}", static_cast<int>(seed * 5 % 37) - 11, suffixed ? "i" : "");
    return fmt::format("{:.2f}{}", 0.75 * static_cast<double>(seed * 5 % 23) - 4.5,
                       !suffixed       ? ""
                       : scalar == 'h' ? "h"
                                       : "f");
}

std::string runtime_text(char scalar, std::uint32_t seed) {
    const std::uint32_t which = seed % 16;
    if (scalar == 'b') return fmt::format("(words[{}] > 4u)", which);
    if (scalar == 'h') return fmt::format("f16(numbers[{}])", which);
    if (is_narrow(scalar))
        return fmt::format("{}({}[{}])", scalar_name(scalar), is_signed(scalar) ? "ints" : "words", which);
    return fmt::format("{}[{}]", scalar == 'u' ? "words" : scalar == 'i' ? "ints" : "numbers", which);
}

Constructor of_part(const FormType& part, Constructor how, std::uint32_t which) {
    if (how == Constructor::zero_parts && part.is_plain())
        return which % 2 == 1 ? Constructor::zero : Constructor::full;
    if (how == Constructor::mixed && part.is_plain())
        return which % 2 == 1 ? Constructor::runtime : Constructor::full;
    const bool is_of_vectors = how == Constructor::splat || how == Constructor::subvectors;
    return is_of_vectors && !part.contains_vector() ? Constructor::full : how;
}

// A constructor from halves and single components: vec4f(a, vec2f(b, c), d).
std::string of_subvectors(const FormType& type, std::uint32_t seed) {
    const std::string half = *value_text(vector_type(type.scalar, 2), Constructor::full, seed);
    const std::string one = scalar_text(type.scalar, seed + 2, false),
                      other = scalar_text(type.scalar, seed + 3, false);
    if (type.count == 2) return fmt::format("{}({})", type.name, half);
    if (type.count == 3) return fmt::format("{}({}, {})", type.name, half, one);
    return seed % 2 == 0 ? fmt::format("{}({}, {}, {})", type.name, one, half, other)
                         : fmt::format("{}({}.yx, {})", type.name, half, half);
}

std::string vector_text(const FormType& type, Constructor how, std::uint32_t seed) {
    if (how == Constructor::splat)
        return fmt::format("{}({})", type.name, scalar_text(type.scalar, seed, false));
    if (how == Constructor::subvectors) return of_subvectors(type, seed);
    std::vector<std::string> components;
    for (std::uint32_t k = 0; k < type.count; ++k)
        components.push_back(*value_text(type.part(k), of_part(type.part(k), how, k), seed + 3 * k));
    const std::string name = how == Constructor::inferred ? fmt::format("vec{}", type.count) : type.name;
    return fmt::format("{}({})", name, fmt::join(components, ", "));
}

}  // namespace

FormType scalar_type(char scalar) {
    return {.kind = Kind::scalar, .name = std::string(scalar_name(scalar)), .scalar = scalar};
}

FormType vector_type(char scalar, std::uint32_t width) {
    if (width == 1) return scalar_type(scalar);
    const std::string name = scalar == 'b' || is_narrow(scalar)
                                 ? fmt::format("vec{}<{}>", width, scalar_name(scalar))
                                 : fmt::format("vec{}{}", width, scalar);
    return {.kind = Kind::vector, .name = name, .scalar = scalar, .count = width};
}

bool is_narrow(char scalar) { return std::string_view("cyst").contains(scalar); }

std::string computed_with(const FormType& type, const std::string& value) {
    if (!type.is_plain() || !is_narrow(type.scalar)) return value;
    return fmt::format("{}({})", vector_type(is_signed(type.scalar) ? 'i' : 'u', type.count).name, value);
}

FormType array_of(FormType element, std::uint32_t count) {
    return {.kind = Kind::array,
            .name = fmt::format("array<{}, {}>", element.name, count),
            .count = count,
            .parts = {std::move(element)}};
}

FormType matrix_type(std::uint32_t columns, std::uint32_t rows, char scalar) {
    FormType type = array_of(vector_type(scalar, rows), columns);
    type.name = fmt::format("mat{}x{}{}", columns, rows, scalar);
    return type;
}

FormType structure_of(std::string name, std::vector<std::pair<std::string, FormType>> members) {
    FormType type{.kind = Kind::structure, .name = std::move(name)};
    for (auto& [named, of] : members) {
        const std::size_t space = named.rfind(' ');
        type.members.push_back(space == named.npos
                                   ? FormType::Part{named, ""}
                                   : FormType::Part{named.substr(space + 1), named.substr(0, space + 1)});
        type.parts.push_back(std::move(of));
    }
    return type;
}

FormType FormType::part(std::uint32_t which) const {
    return is_plain() ? scalar_type(scalar) : kind == Kind::array ? parts[0] : parts[which];
}

std::uint32_t FormType::part_count() const {
    return kind == Kind::structure ? static_cast<std::uint32_t>(parts.size()) : count;
}

bool FormType::contains(char wanted) const {
    return is_plain() ? scalar == wanted
                      : std::ranges::any_of(parts, [&](const FormType& one) { return one.contains(wanted); });
}

bool FormType::contains_vector() const {
    return kind == Kind::vector ||
           std::ranges::any_of(parts, [](const FormType& one) { return one.contains_vector(); });
}

std::string FormType::word() const {
    std::string text;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            text += c;
        } else if (!text.empty() && text.back() != '_') {
            text += '_';
        }
    return text.back() == '_' ? text.substr(0, text.size() - 1) : text;
}

std::vector<std::string> FormType::structures() const {
    std::vector<std::string> all;
    for (const FormType& one : parts)
        for (std::string& text : one.structures())
            if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
    if (kind != Kind::structure) return all;
    std::string text = fmt::format("struct {} {{\n", name);
    for (std::size_t k = 0; k < parts.size(); ++k)
        text += fmt::format("    {}{}: {},\n", members[k].attributes, members[k].name, parts[k].name);
    all.push_back(text + "}\n");
    return all;
}

const std::vector<FormType>& form_types() {
    static const std::vector<FormType> all = [] {
        std::vector<FormType> types;
        for (std::uint32_t width = 1; width <= 4; ++width)
            for (const char scalar : {'b', 'i', 'u', 'f'}) types.push_back(vector_type(scalar, width));
        for (std::size_t k = 0; k < 16; ++k) types.push_back(array_of(FormType(types[k]), 3));
        for (std::uint32_t columns = 2; columns <= 4; ++columns)
            for (std::uint32_t rows = 2; rows <= 4; ++rows) types.push_back(matrix_type(columns, rows));
        const auto vector = vector_type;
        const FormType b = scalar_type('b'), u = scalar_type('u'), f = scalar_type('f');
        const FormType mixed = structure_of("Mixed", {{"a", f}, {"v", vector('f', 3)}});
        const FormType flags = structure_of("Flags", {{"b", b},
                                                      {"two", vector('b', 2)},
                                                      {"three", vector('b', 3)},
                                                      {"four", vector('b', 4)},
                                                      {"n", vector('u', 3)}});
        const FormType rows = structure_of(
            "Rows", {{"before", u}, {"rows", array_of(vector('u', 3), 2)}, {"after", vector('i', 2)}});
        const FormType nested =
            structure_of("Nested", {{"one", mixed}, {"many", array_of(mixed, 2)}, {"n", u}});
        types.insert(
            types.end(),
            {array_of(array_of(vector('f', 3), 2), 2),
             array_of(array_of(scalar_type('i'), 2), 3),
             array_of(array_of(vector('b', 2), 2), 2),
             mixed,
             structure_of("Reversed", {{"v", vector('i', 3)}, {"a", u}, {"w", vector('f', 2)}}),
             flags,
             rows,
             nested,
             structure_of(
                 "Placed",
                 {{"a", u}, {"@align(16) b", vector('f', 2)}, {"@size(32) c", vector('i', 4)}, {"d", f}}),
             structure_of("Single", {{"v", vector('u', 4)}}),
             structure_of("Grid", {{"rows", array_of(array_of(vector('i', 3), 2), 2)}, {"scale", f}}),
             scalar_type('h'),
             vector('h', 2),
             vector('h', 3),
             vector('h', 4),
             array_of(scalar_type('h'), 5),
             array_of(vector('h', 3), 2),
             structure_of("Halves", {{"a", scalar_type('h')},
                                     {"v", vector('h', 3)},
                                     {"b", scalar_type('h')},
                                     {"n", u},
                                     {"w", array_of(vector('h', 2), 2)}}),
             structure_of("HalfTurned", {{"a", scalar_type('h')},
                                         {"m", matrix_type(3, 3, 'h')},
                                         {"n", matrix_type(2, 4, 'h')},
                                         {"o", matrix_type(4, 2, 'h')}}),
             scalar_type('c'),
             scalar_type('y'),
             scalar_type('s'),
             scalar_type('t'),
             vector('y', 2),
             vector('c', 3),
             vector('y', 4),
             vector('s', 3),
             vector('t', 2),
             array_of(scalar_type('y'), 5),
             array_of(vector('c', 3), 2),
             structure_of("Small", {{"a", scalar_type('y')},
                                    {"v", vector('c', 3)},
                                    {"b", scalar_type('s')},
                                    {"h", scalar_type('h')},
                                    {"n", u},
                                    {"w", array_of(vector('y', 2), 2)},
                                    {"@size(5) t", scalar_type('t')},
                                    {"c", scalar_type('c')}}),
             structure_of("Turned", {{"a", f}, {"m", matrix_type(3, 3)}, {"n", matrix_type(2, 4)}}),
             array_of(matrix_type(2, 3), 2),
             array_of(mixed, 3),
             array_of(flags, 2),
             array_of(rows, 2),
             array_of(nested, 2),
             array_of(array_of(mixed, 2), 2)});
        return types;
    }();
    return all;
}

std::string name_of(Constructor how) {
    switch (how) {
        case Constructor::zero: return "zero";
        case Constructor::full: return "full";
        case Constructor::inferred: return "inferred";
        case Constructor::splat: return "splat";
        case Constructor::subvectors: return "subvectors";
        case Constructor::zero_parts: return "zero parts";
        case Constructor::runtime: return "runtime";
        case Constructor::mixed: return "mixed";
    }
    return "";
}

bool is_constant(Constructor how) { return how != Constructor::runtime && how != Constructor::mixed; }

std::optional<std::string> value_text(const FormType& type, Constructor how, std::uint32_t seed) {
    if (how == Constructor::zero) return type.name + "()";
    const bool is_of_vectors = how == Constructor::splat || how == Constructor::subvectors;
    const bool is_of_parts = how == Constructor::zero_parts || how == Constructor::mixed;
    if (type.kind == Kind::scalar) {
        if (how == Constructor::runtime) return runtime_text(type.scalar, seed);
        if (is_of_vectors || is_of_parts) return std::nullopt;
        return scalar_text(type.scalar, seed, how == Constructor::inferred);
    }
    if (is_of_vectors && !type.contains_vector()) return std::nullopt;
    if (type.kind == Kind::vector)
        return how == Constructor::zero_parts ? std::nullopt : std::optional(vector_text(type, how, seed));
    std::vector<std::string> parts;
    for (std::uint32_t k = 0; k < type.part_count(); ++k)
        parts.push_back(*value_text(type.part(k), of_part(type.part(k), how, k), seed + 7 * k + 1));
    std::string name = type.name;
    if (how == Constructor::inferred && type.kind == Kind::array)
        name = type.is_matrix() ? name.substr(0, name.size() - 1) : "array";
    return fmt::format("{}({})", name, fmt::join(parts, ", "));
}

std::vector<Leaf> leaves(const FormType& type) {
    if (type.kind == Kind::scalar) return {{"", type.scalar}};
    std::vector<Leaf> all;
    for (std::uint32_t k = 0; k < type.part_count(); ++k) {
        const std::string step = type.kind == Kind::vector      ? fmt::format(".{}", "xyzw"[k])
                                 : type.kind == Kind::structure ? "." + type.members[k].name
                                                                : fmt::format("[{}]", k);
        for (const Leaf& leaf : leaves(type.part(k))) all.push_back({step + leaf.place, leaf.scalar});
    }
    return all;
}

std::string bits_of(char scalar, const std::string& value) {
    return scalar == 'u'       ? value
           : scalar == 'b'     ? fmt::format("select(3u, 5u, {})", value)
           : scalar == 'h'     ? fmt::format("bitcast<u32>(vec2h({}, 0))", value)
           : is_narrow(scalar) ? fmt::format("u32({})", value)
                               : fmt::format("bitcast<u32>({})", value);
}

std::string hash_function(const FormType& type) {
    std::string text = fmt::format("fn hash_{}(v: {}) -> u32 {{\n    var h = 17u;\n", type.word(), type.name);
    for (const Leaf& leaf : leaves(type))
        text += fmt::format("    h = h * 31u + {};\n", bits_of(leaf.scalar, "v" + leaf.place));
    return text + "    return h;\n}\n";
}
std::string hashed(const FormType& type, const std::string& value) {
    return fmt::format("hash_{}({})", type.word(), value);
}

}  // namespace muster::conformance
