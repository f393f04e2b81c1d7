#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/quantize/quantize.hpp>
#include <muster/graph/rewrite/match.hpp>

namespace muster::graph {
namespace {

/// The scale and zero point of u8 for values of this range, in which 0 is a number exactly.
struct Affine {
    float scale = 1;
    std::uint8_t zero_point = 0;
};
Affine affine_of(const ValueStatistics& statistics) {
    const float least = std::min(statistics.least, 0.0f), greatest = std::max(statistics.greatest, 0.0f);
    const float scale = (greatest - least) / 255;
    if (!(scale > 0) || !std::isfinite(scale)) return {};
    return {scale, static_cast<std::uint8_t>(std::clamp(std::nearbyint(-least / scale), 0.0f, 255.0f))};
}

/// Weights as i8, with a scale for each index of the axis, or one.
struct QuantizedWeight {
    Tensor values, scale, zero_point;
};
QuantizedWeight quantized_weight(const Tensor& weight, std::int64_t axis) {
    const std::vector<float> all = floats(weight);
    std::size_t channels = 1, step = 1;
    if (axis >= 0) {
        channels = static_cast<std::size_t>(weight.sizes()[static_cast<std::size_t>(axis)]);
        for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < weight.sizes().size(); ++i)
            step *= static_cast<std::size_t>(weight.sizes()[i]);
    }
    const auto channel = [&](std::size_t i) { return channels == 0 ? 0 : i / step % channels; };
    std::vector<float> scale(channels);
    for (std::size_t i = 0; i < all.size(); ++i)
        scale[channel(i)] =
            std::max(scale[channel(i)], std::isfinite(all[i]) ? std::fabs(all[i]) / 127 : 0.0f);
    for (float& one : scale) one = one > 0 ? one : 1;
    std::vector<std::int8_t> values(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const float rounded = std::nearbyint(all[i] / scale[channel(i)]);
        values[i] =
            static_cast<std::int8_t>(std::isnan(rounded) ? 0.0f : std::clamp(rounded, -127.0f, 127.0f));
    }
    const std::vector<std::int64_t> sizes(weight.sizes().begin(), weight.sizes().end());
    const std::vector<std::int64_t> shape =
        axis >= 0 ? std::vector{static_cast<std::int64_t>(channels)} : std::vector<std::int64_t>{};
    const std::vector<std::int8_t> zeros(channels);
    return {Tensor::of<std::int8_t>(sizes, std::span<const std::int8_t>(values)),
            Tensor::of<float>(shape, std::span<const float>(scale)),
            Tensor::of<std::int8_t>(shape, std::span<const std::int8_t>(zeros))};
}

class Quantizer {
  public:
    Quantizer(const Graph& graph, const Statistics& statistics) : draft_(graph), statistics_(statistics) {}

    Result<void> apply(const QuantizedPattern& pattern);
    Result<Quantized> finish() && { return Quantized{TRY(std::move(draft_).finish()), std::move(report_)}; }

  private:
    Result<void> apply_at(const QuantizedPattern& pattern, const Formula& formula, NodeId node);
    std::string obstacle(const QuantizedPattern& pattern, const Formula& formula, const Match& match) const;
    Result<ValueId> dequantized(ValueId value, const QuantizedValue& how);
    Result<ValueId> dequantized_activation(ValueId value, NodeId before);
    Result<ValueId> dequantized_weight(ValueId value, std::int64_t axis, NodeId before);

    Draft draft_;
    const Statistics& statistics_;
    std::map<std::pair<ValueId, std::int64_t>, ValueId> done_;  // dequantised, by value and axis
    std::vector<bool> taken_;                                   // by node
    PatternReport report_;
};

Result<ValueId> Quantizer::dequantized_activation(ValueId value, NodeId before) {
    const Affine affine = affine_of(statistics_.find(draft_.value(value).name)->second);
    const ValueId scale = draft_.add_constant(Tensor::of<float>({}, {affine.scale}), value);
    const ValueId zero = draft_.add_constant(Tensor::of<std::uint8_t>({}, {affine.zero_point}), value);
    const ValueId q = TRY(
        draft_.add_node({.op = Operator::quantize_linear, .inputs = {value, scale, zero}}, before, value));
    return draft_.add_node({.op = Operator::dequantize_linear, .inputs = {q, scale, zero}}, before, value);
}

Result<ValueId> Quantizer::dequantized_weight(ValueId value, std::int64_t axis, NodeId before) {
    const QuantizedWeight weight = quantized_weight(*draft_.constant(value), axis);
    const ValueId values = draft_.add_constant(weight.values, value);
    const ValueId scale = draft_.add_constant(weight.scale, value),
                  zero = draft_.add_constant(weight.zero_point, value);
    NodeSpec spec{.op = Operator::dequantize_linear, .inputs = {values, scale, zero}};
    if (axis >= 0) spec.attributes.push_back({"axis", axis});
    return draft_.add_node(std::move(spec), before, value);
}

/// The value, quantised and dequantised: once, right behind what makes it, for all nodes that use it.
Result<ValueId> Quantizer::dequantized(ValueId value, const QuantizedValue& how) {
    const std::int64_t axis = how.role == QuantizedValue::Role::weight ? how.channel_axis : -2;
    if (const auto known = done_.find({value, axis}); known != done_.end()) return known->second;
    const NodeId producer = draft_.value(value).producer;
    const NodeId before = producer ? draft_.next(producer) : draft_.first();
    const ValueId made =
        TRY(axis == -2 ? dequantized_activation(value, before) : dequantized_weight(value, axis, before));
    done_.emplace(std::pair{value, axis}, made);
    return made;
}

/// Why a match can't be quantised; empty if it can.
std::string Quantizer::obstacle(const QuantizedPattern& pattern, const Formula& formula,
                                const Match& match) const {
    for (const QuantizedValue& how : pattern.values) {
        const std::uint32_t term = formula.match.find(how.name);
        if (term == UINT32_MAX) return fmt::format("the formula has no {}", how.name);
        const ValueId value = match.values[term];
        if (!value) return fmt::format("{} is absent", how.name);
        const std::string name = printable(draft_.value(value).name);
        if (draft_.element(value) != ElementType::f32) return fmt::format("\"{}\" isn't of f32", name);
        if (how.role == QuantizedValue::Role::activation && !statistics_.contains(draft_.value(value).name))
            return fmt::format("there are no statistics of \"{}\"", name);
        if (how.role == QuantizedValue::Role::weight && !draft_.constant(value))
            return fmt::format("\"{}\" isn't a constant", name);
        if (how.role == QuantizedValue::Role::weight &&
            !std::ranges::all_of(floats(*draft_.constant(value)), [](float x) { return std::isfinite(x); }))
            return fmt::format("\"{}\" has elements that are infinite or NaN", name);
        if (how.channel_axis >= static_cast<std::int64_t>(draft_.shape(value).size()))
            return fmt::format("\"{}\" has no axis {}", name, how.channel_axis);
    }
    return {};
}

Result<void> Quantizer::apply_at(const QuantizedPattern& pattern, const Formula& formula, NodeId node) {
    MatchResult result = match_at(draft_, node, formula);
    if (!result.match) return {};
    std::string why = obstacle(pattern, formula, *result.match);
    if (!why.empty()) {
        if (report_.refused.size() < most_refusals)
            report_.refused.push_back({pattern.name, draft_.label(node), std::move(why)});
        return {};
    }
    for (const QuantizedValue& how : pattern.values) {
        const ValueId value = result.match->values[formula.match.find(how.name)];
        const ValueId by = TRY(dequantized(value, how));
        for (std::size_t i = 0; i < draft_.node(node).inputs.size(); ++i) {
            if (draft_.node(node).inputs[i] == value) draft_.set_input(node, i, by);
        }
    }
    taken_[node.index] = true;
    report_.used.push_back({pattern.name, Bits::changed, {draft_.label(node)}});
    return {};
}

Result<void> Quantizer::apply(const QuantizedPattern& pattern) {
    for (const std::string_view match : pattern.match) {
        const Formula formula = TRY(read_formula(match, pattern.where, pattern.name));
        const Operator op = formula.match.terms[formula.match.root].op;
        for (NodeId at = draft_.first(); at; at = draft_.next(at)) {
            if (taken_.size() <= at.index) taken_.resize(at.index + 1);
            if (draft_.node(at).op == op && !taken_[at.index]) TRY(apply_at(pattern, formula, at));
        }
    }
    return {};
}

}  // namespace

Result<Quantized> quantize(const Graph& graph, const Statistics& statistics, const Pack& pack) {
    Quantizer quantizer(graph, statistics);
    for (const QuantizedPattern& pattern : pack.quantized) TRY(quantizer.apply(pattern));
    return std::move(quantizer).finish();
}

}  // namespace muster::graph
