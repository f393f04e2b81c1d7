// operator_row.hpp - reads a row of the table of operators at compile time. Internal to operator.cpp.
//
//     row(Operator::gather, "Gather", 7, 13, "data:T indices:I -> output:T", "axis:int=0", "T any, I index", "moves")
//
// A port is NAME:TYPE; "!" behind the name: its elements must be constant, "?": optional, "*": variadic. TYPE
// is a variable, one capital, or a set's name. An attribute is NAME:KIND, with =DEFAULT or, behind the kind,
// "!" where it is required. The last column has words: elementwise, product, spatial, view (which moves),
// moves. A mistake doesn't compile.
#pragma once

#include <muster/graph/ir/operator.hpp>

namespace muster::graph {

struct NamedTypeSet {
    std::string_view name;
    ElementTypeSet set;
};
// clang-format off
inline constexpr std::array<NamedTypeSet, 16> type_sets{{
    // bits: f32 1, f16 2, i8 4, u8 8, i32 16, i64 32, bool 64
    {"any", {127}}, {"real", {63}}, {"float", {3}}, {"signed", {1 | 2 | 4 | 16 | 32}}, {"wide", {1 | 2 | 16 | 32}},
    {"pooled", {1 | 2 | 4 | 8}}, {"quantizable", {1 | 2 | 16}}, {"quantized", {4 | 8 | 16}}, {"byte", {4 | 8}},
    {"index", {16 | 32}}, {"mask", {1 | 2 | 64}}, {"f32", {1}}, {"u8", {8}}, {"i32", {16}}, {"i64", {32}}, {"bool", {64}},
}};
// clang-format on

/// Takes the part of `text` up to the separator, and that away.
constexpr std::string_view take(std::string_view& text, char separator) {
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    return part;
}

consteval ElementTypeSet type_set(std::string_view name) {
    for (const NamedTypeSet& row : type_sets) {
        if (row.name == name) return row.set;
    }
    throw "no such set of element types";
}

consteval ElementTypeSet variable_set(std::string_view constraints, char variable) {
    while (!constraints.empty()) {
        std::string_view constraint = take(constraints, ',');
        while (constraint.front() == ' ') constraint.remove_prefix(1);
        if (take(constraint, ' ') == std::string_view(&variable, 1)) return type_set(constraint);
    }
    throw "a type variable has no set";
}

consteval Port port(std::string_view text, std::string_view constraints) {
    Port result;
    result.name = take(text, ':');
    const auto has_mark = [&](char mark) {
        const bool has = result.name.back() == mark;
        if (has) result.name.remove_suffix(1);
        return has;
    };
    result.optional = has_mark('?');
    result.variadic = has_mark('*');
    result.constant = has_mark('!');
    if (text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z') {
        result.variable = text[0];
        result.allowed = variable_set(constraints, text[0]);
    } else {
        result.allowed = type_set(text);
    }
    return result;
}

consteval AttributeKind attribute_kind(std::string_view kind) {
    constexpr std::array<std::string_view, 7> names{"int",  "float",  "string", "tensor",
                                                    "ints", "floats", "strings"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == kind) return static_cast<AttributeKind>(i);
    }
    throw "no such kind of attribute";
}

consteval AttributeInfo attribute_row(std::string_view text) {
    AttributeInfo result;
    result.name = take(text, ':');
    std::string_view kind_name = take(text, '=');
    result.default_text = text;
    result.required = kind_name.back() == '!';
    if (result.required) kind_name.remove_suffix(1);
    result.kind = attribute_kind(kind_name);
    return result;
}

consteval void set_word(OperatorInfo& row, std::string_view word) {
    if (word == "elementwise")
        row.is_elementwise = true;
    else if (word == "product")
        row.is_product = true;
    else if (word == "spatial")
        row.is_spatial = true;
    else if (word == "view")
        row.is_view = row.only_moves = true;
    else if (word == "moves")
        row.only_moves = true;
    else
        throw "no such word about an operator";
}

consteval OperatorInfo row(Operator op, std::string_view name, std::uint8_t since, std::uint8_t form,
                           std::string_view signature, std::string_view attributes,
                           std::string_view constraints, std::string_view words = {}) {
    OperatorInfo result{.op = op, .name = name, .since = since, .form = form};
    while (!words.empty()) set_word(result, take(words, ' '));
    bool behind_arrow = false;
    while (!signature.empty()) {
        const std::string_view word = take(signature, ' ');
        if (word == "->")
            behind_arrow = true;
        else if (behind_arrow)
            result.outputs.push(port(word, constraints));
        else
            result.inputs.push(port(word, constraints));
    }
    while (!attributes.empty()) result.attributes.push(attribute_row(take(attributes, ' ')));
    return result;
}

}  // namespace muster::graph
