// conditions.hpp - the conditions that a pattern may set on what it captured.
//
//     constant(W, B)        each is a constant; like all conditions, true of an absent value
//     one_element(k)        constants of one element
//     equal(k, 1)           constants all of whose elements are this integer
//     absent(B)             isn't given
//     rank(x, 3, 4)         the rank is one of these
//     known(x)              all sizes are numbers
//     same_shape(a, b)      the sizes are provably equal
//     same_type(a, b)       one element type
//     type(x, f32, f16)     the element type is one of these
//     lossless(x, y)        y's element type holds every value of x's
//     per_channel(k, y, 1)  k has one element, or lies along axis 1 of y
//     trailing(axes, x, 2)  the constant axes are the last two of x
//     spatial(axes, x)      the constant axes are all of x but the first two
//     within(s, x, 1)       s broadcasts to x, and varies along the last axis at most
//     at_least(W, 0, 16)    the size of axis 0 of W is a number, and at least 16; axis -1 is the last
//     window(c, 3, 1)       the window of convolution c is 3 along each axis, moves by 1, and isn't dilated
//     not_dequantized(b)    isn't made by DequantizeLinear, so that products of integers stay what they are
//     shared(d)             what node d makes may be used outside of the match
#pragma once

#include <optional>
#include <string>

#include <muster/graph/pack/pattern_text.hpp>
#include <muster/graph/rewrite/draft.hpp>

namespace muster::graph {

/// The values that a match bound, by term of the tree; an absent one is ValueId().
struct Captured {
    const Draft& draft;
    const PatternTree& tree;
    const std::vector<ValueId>& values;
    ValueId value(std::string_view name) const {
        const std::uint32_t term = tree.find(name);
        return term == UINT32_MAX ? ValueId{} : values[term];
    }
};

/// Errors: invalid_program (no condition of that name, or not its arguments).
Result<void> check_condition(const Condition& condition, const PatternTree& tree, std::string_view pattern);
/// Why a condition isn't met: `W ("conv1.weight") isn't a constant`; none if it is.
/// Precondition: it was checked.
std::optional<std::string> refusal(const Condition& condition, const Captured& captured);

}  // namespace muster::graph
