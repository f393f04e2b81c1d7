#include <algorithm>
#include <cmath>
#include <numeric>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/portable/conversions.hpp>
#include <muster/graph/rewrite/conversion_site.hpp>

namespace muster::graph {
namespace {

using Axes = std::vector<std::int64_t>;

/// The permutation of a Transpose, also where it isn't said.
Axes permutation(const Draft& draft, NodeId node) {
    const auto said = draft.attributes(node).integers("perm");
    if (!said.empty()) return {said.begin(), said.end()};
    Axes reversed(draft.shape(draft.node(node).inputs[0]).size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return reversed;
}

/// A Reshape of `from` to a shape with at most one size that isn't a number; none if it has more.
Result<std::optional<ValueId>> add_reshape(ConversionSite& at, ValueId from, const Shape& shape) {
    Axes sizes;
    for (const Dimension& size : shape) sizes.push_back(size.is_number() ? size.number() : -1);
    const auto open = std::ranges::count(sizes, -1);
    const bool has_zero = std::ranges::find(sizes, 0) != sizes.end();
    if (open > 1 || (open == 1 && has_zero)) return std::nullopt;
    const auto count = static_cast<std::int64_t>(sizes.size());
    const ValueId to =
        at.add_constant(Tensor::of<std::int64_t>({count}, std::span<const std::int64_t>(sizes)));
    NodeSpec spec{.op = Operator::reshape, .inputs = {from, to}};
    if (has_zero) spec.attributes.push_back({"allowzero", std::int64_t{1}});
    return TRY(at.add_node(std::move(spec)));
}

Result<ConversionOutcome> join_transposes(ConversionSite& at) {
    const auto inner = at.maker(at.input(0));
    if (!inner || at.draft().node(*inner).op != Operator::transpose) return ConversionOutcome::no_match();
    const Axes first = permutation(at.draft(), *inner), second = permutation(at.draft(), at.node());
    Axes both;
    for (const std::int64_t axis : second) both.push_back(first[static_cast<std::size_t>(axis)]);
    const ValueId x = at.draft().node(*inner).inputs[0];
    if (std::ranges::is_sorted(both)) return at.replace_by(x, {*inner, at.node()});
    const ValueId joined =
        TRY(at.add_node({.op = Operator::transpose, .inputs = {x}, .attributes = {{"perm", both}}}));
    return at.replace_by(joined, {*inner, at.node()});
}

/// A Transpose that moves only axes of size 1 leaves the elements in their order.
Result<ConversionOutcome> transpose_to_reshape(ConversionSite& at) {
    const ValueId x = at.input(0);
    const Shape& shape = at.draft().shape(x);
    Axes moved = permutation(at.draft(), at.node());
    if (std::ranges::is_sorted(moved)) return at.replace_by(x, {at.node()});
    std::erase_if(moved,
                  [&](std::int64_t axis) { return shape[static_cast<std::size_t>(axis)] == Dimension(1); });
    if (!std::ranges::is_sorted(moved)) return ConversionOutcome::no_match();
    const auto reshaped = TRY(add_reshape(at, x, at.draft().shape(at.output())));
    if (!reshaped) return ConversionOutcome::refused("several sizes aren't numbers");
    return at.replace_by(*reshaped, {at.node()});
}

bool reshapes(Operator op) {
    return op == Operator::reshape || op == Operator::squeeze || op == Operator::unsqueeze ||
           op == Operator::flatten;
}

Result<ConversionOutcome> join_reshapes(ConversionSite& at) {
    const ValueId x = at.input(0);
    const Shape& shape = at.draft().shape(at.output());
    if (std::ranges::equal(at.draft().shape(x), shape, provably_equal)) return at.replace_by(x, {at.node()});
    const auto inner = at.maker(x);
    if (!inner || !reshapes(at.draft().node(*inner).op)) return ConversionOutcome::no_match();
    const ValueId from = at.draft().node(*inner).inputs[0];
    if (std::ranges::equal(at.draft().shape(from), shape, provably_equal))
        return at.replace_by(from, {*inner, at.node()});
    const auto joined = TRY(add_reshape(at, from, shape));
    if (!joined) return ConversionOutcome::refused("several sizes aren't numbers");
    return at.replace_by(*joined, {*inner, at.node()});
}

/// The padding of a Pad with zeros on spatial axes, as the attribute pads of a window;
/// none if it is anything else.
std::optional<Axes> zero_pads(const Draft& draft, NodeId pad) {
    const Draft::Node& node = draft.node(pad);
    const Tensor* pads = draft.constant(node.inputs[1]);
    const Tensor* value = node.inputs.size() > 2 ? draft.constant(node.inputs[2]) : nullptr;
    if (!pads || draft.attributes(pad).text("mode") != "constant" || node.inputs.size() > 3)
        return std::nullopt;
    if (node.inputs.size() > 2 && node.inputs[2] && !(value && floats(*value) == std::vector<float>{0}))
        return std::nullopt;
    const Axes all = integers(*pads);
    const std::size_t rank = all.size() / 2;
    if (rank < 3 || all[0] != 0 || all[1] != 0 || all[rank] != 0 || all[rank + 1] != 0) return std::nullopt;
    Axes spatial;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % rank >= 2) spatial.push_back(all[i]);
    }
    if (std::ranges::any_of(spatial, [](std::int64_t count) { return count < 0; })) return std::nullopt;
    return spatial;
}

bool all_finite(const Tensor* weights) {
    if (!weights) return false;
    return std::ranges::all_of(floats(*weights), [](float x) { return std::isfinite(x); });
}

/// With weights that are finite, a padded zero adds nothing to a sum.
Result<ConversionOutcome> pad_into_window(ConversionSite& at) {
    const auto pad = at.maker(at.input(0));
    if (!pad || at.draft().node(*pad).op != Operator::pad) return ConversionOutcome::no_match();
    if (!at.has_one_use(at.input(0))) return ConversionOutcome::refused("what Pad makes is used elsewhere");
    const auto more = zero_pads(at.draft(), *pad);
    if (!more) return ConversionOutcome::refused("Pad pads otherwise than spatial axes with zeros");
    const Attributes attributes = at.attributes();
    if (attributes.text("auto_pad") != "NOTSET") return ConversionOutcome::refused("auto_pad is said");
    const bool pool = at.op() == Operator::average_pool;
    if (!pool && !all_finite(at.draft().constant(at.input(1))))
        return ConversionOutcome::refused("W isn't a constant of finite numbers");
    if (pool && attributes.flag("ceil_mode")) return ConversionOutcome::refused("ceil_mode is 1");
    Axes pads(attributes.integers("pads").begin(), attributes.integers("pads").end());
    pads.resize(more->size());
    const bool padded = std::ranges::any_of(pads, [](std::int64_t count) { return count > 0; });
    if (pool && padded && !attributes.flag("count_include_pad"))
        return ConversionOutcome::refused("padding isn't counted");
    for (std::size_t i = 0; i < pads.size(); ++i) pads[i] += (*more)[i];
    NodeSpec spec{.op = at.op(),
                  .inputs = at.draft().node(at.node()).inputs,
                  .attributes = {attributes.said().begin(), attributes.said().end()}};
    std::erase_if(spec.attributes, [](const NamedAttribute& said) {
        return said.name == "pads" || said.name == "count_include_pad";
    });
    spec.inputs[0] = at.draft().node(*pad).inputs[0];
    spec.attributes.push_back({"pads", std::move(pads)});
    if (pool) spec.attributes.push_back({"count_include_pad", std::int64_t{1}});
    const ValueId result = TRY(at.add_node(std::move(spec)));
    return at.replace_by(result, {*pad, at.node()});
}

}  // namespace

std::vector<ConversionPattern> layout_conversions() {
    using enum Operator;
    return {
        {.name = "Transpose of Transpose joined", .function = join_transposes, .roots = {transpose}},
        {.name = "Transpose to Reshape", .function = transpose_to_reshape, .roots = {transpose}},
        {.name = "Reshape of Reshape joined",
         .function = join_reshapes,
         .roots = {reshape, squeeze, unsqueeze, flatten}},
        {.name = "Pad into Conv or AveragePool", .function = pad_into_window, .roots = {conv, average_pool}},
    };
}

}  // namespace muster::graph
