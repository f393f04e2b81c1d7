// pattern_text.hpp - the language of patterns: formulas over operators, with captures, and their trees.
//
// A formula (`match`):
//     x * 0.5 * (1 + Erf(x / 1.41421356))                # + - * / are Add, Sub, Mul, Div; a name is a capture: any value
//     d = x - ReduceMean(x, axes); d / Sqrt(ReduceMean(Pow(d, 2), axes) + eps)     # d is one value, the last formula the result
//     BatchNormalization(Conv(x, W, B?) as conv, scale, beta, mean, var) as bn     # ? may be absent; as names a node
//     Cast(x) {to = 1 | 10}                              # the attribute is one of these
//   A name that occurs twice is the same value. Add, Mul, And, Or, Equal, Min and Max of two match in both orders. A number is a
//   constant of one element, of that value rounded to the element type. Inputs that the formula doesn't have must
//   be absent. Attributes that it doesn't have must be the default, unless the node has a name. What the nodes within
//   make must be used by the match alone, and `shared(...)` lifts that.
//
// Conditions (`where`), separated by commas: `constant(W, B), rank(x, 4)`; conditions.hpp has all.
//
// A replacement (`give`):
//     s = scale / Sqrt(var + bn.epsilon); Conv(x, W * along(0, s, W), ((B | 0) - mean) * s + beta) {conv}
//   A number is a constant of the type that its operator asks for, [1, -1] one of i64; node.attribute one of that attribute;
//   (B | 0): B, or 0 if it is absent. An operation on an absent value is absent. along(a, s, W): the vector s shaped to
//   lie along axis a of W. In braces: a node's name copies its attributes; name = value, value a literal,
//   node.attribute or a captured constant of one element, sets one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/operator.hpp>

namespace muster::graph {

/// An attribute of a matched node, `bn.epsilon`, or with an empty attribute a capture.
struct Reference {
    std::string name, attribute;
};

struct AttributeTerm {
    std::string name;                    // empty: all that `copied` says
    std::vector<Attribute> values = {};  // of a match: one of these; of a replacement: one
    Reference from = {};                 // of a replacement, if `values` is empty
};

struct Term {
    enum class Kind : std::uint8_t { capture, number, integers, reference, operation, either, along, absent };
    Kind kind = Kind::capture;
    std::string name = {};  // of a capture; of an operation: what `as` or = calls it, or empty
    bool optional = false;  // of a capture
    float number = 0;
    std::vector<std::int64_t> integers = {};  // of along: the axis
    Reference reference = {};
    Operator op{};
    std::vector<std::uint32_t> inputs = {};  // indices of terms before this one
    std::vector<AttributeTerm> attributes = {};
};

/// The terms of a formula; one that is named is one term, however often its name occurs.
struct PatternTree {
    std::vector<Term> terms;
    std::uint32_t root = 0;
    /// The term of this name, or UINT32_MAX.
    std::uint32_t find(std::string_view name) const;
};

struct Condition {
    std::string name;
    std::vector<std::string> names;
    std::vector<std::int64_t> numbers;
};

/// Errors: invalid_program, with place and line, as `file`:1:5.
Result<PatternTree> parse_match(std::string_view text, std::string_view file);
/// The names that occur must be of `match`. Errors: those of parse_match().
Result<PatternTree> parse_give(std::string_view text, const PatternTree& match, std::string_view file);
Result<std::vector<Condition>> parse_where(std::string_view text, const PatternTree& match,
                                           std::string_view file);

}  // namespace muster::graph
