#include <algorithm>
#include <cmath>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/evaluate.hpp>
#include <muster/graph/quantize/calibration.hpp>
#include <muster/graph/rewrite/draft.hpp>

namespace muster::graph {
namespace {

constexpr std::size_t bin_count = 4096;

}  // namespace

/// Doubles the reach until it has `to`, two bins on each side becoming one.
void Calibration::Histogram::widen(float to) {
    if (bins.empty()) bins.resize(bin_count);
    if (reach == 0) reach = to;
    while (reach < to) {
        std::vector<std::uint64_t> wider(bin_count);
        for (std::size_t i = 0; i < bin_count; ++i) wider[bin_count / 4 + i / 2] += bins[i];
        bins = std::move(wider);
        reach *= 2;
    }
}

void Calibration::add(std::string_view value, const Tensor& tensor) {
    if (!is_float(tensor.element())) return;
    Histogram& histogram = histograms_[std::string(value)];
    const std::vector<float> all = floats(tensor);
    const std::size_t channels = tensor.sizes().empty() ? 1 : static_cast<std::size_t>(tensor.sizes().back());
    histogram.channel_maxima.resize(std::max(histogram.channel_maxima.size(), channels));
    float largest = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!std::isfinite(all[i])) continue;
        float& maximum = histogram.channel_maxima[i % channels];
        maximum = std::max(maximum, std::fabs(all[i]));
        largest = std::max(largest, maximum);
    }
    histogram.widen(largest);
    for (const float x : all) {
        if (!std::isfinite(x)) continue;
        histogram.least = std::min(histogram.least, x);
        histogram.greatest = std::max(histogram.greatest, x);
        const float at =
            histogram.reach > 0 ? (x / histogram.reach + 1) / 2 * static_cast<float>(bin_count) : 0;
        ++histogram.bins[std::min(static_cast<std::size_t>(at), bin_count - 1)];
        ++histogram.count;
    }
}

/// The value below which this part of the elements lies, at a bin's middle.
float Calibration::cut(const Histogram& histogram, double part) const {
    const double wanted = part * static_cast<double>(histogram.count);
    double seen = 0;
    std::size_t bin = 0;
    for (; bin + 1 < bin_count; ++bin) {
        seen += static_cast<double>(histogram.bins[bin]);
        if (seen > wanted) break;
    }
    const float position = (static_cast<float>(bin) + 0.5f) / static_cast<float>(bin_count);
    return (position * 2 - 1) * histogram.reach;
}

Statistics Calibration::finish() const {
    Statistics statistics;
    const double outside = (100 - options_.percentile) / 200;
    for (const auto& [name, histogram] : histograms_) {
        ValueStatistics& of = statistics[name];
        of = {histogram.least, histogram.greatest, histogram.channel_maxima};
        if (outside <= 0 || histogram.count == 0) continue;
        of.least = std::clamp(cut(histogram, outside), histogram.least, 0.0f);
        of.greatest = std::clamp(cut(histogram, 1 - outside), 0.0f, histogram.greatest);
    }
    return statistics;
}

Result<void> calibrate(const Graph& graph, std::span<const Tensor> inputs, Calibration& calibration) {
    GraphBuilder builder{std::string(graph.name())};
    std::vector<ValueId> ids(graph.value_count());
    std::vector<ValueId> watched;
    for (std::uint32_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value({i});
        if (value.constant)
            ids[i] = TRY(builder.constant(value.name, *value.constant));
        else if (!value.producer)
            ids[i] = TRY(builder.input(value.name, value.type));
        if (!value.constant && is_float(value.type.element)) watched.push_back({i});
        if (!value.producer || ids[i]) continue;
        NodeSpec spec{.op = graph.node(value.producer).op, .name = graph.node(value.producer).name};
        for (const ValueId input : graph.inputs(value.producer))
            spec.inputs.push_back(input ? ids[input.index] : input);
        for (const ValueId output : graph.outputs(value.producer))
            spec.outputs.push_back(output ? graph.value(output).name : "");
        const auto said = graph.attributes(value.producer).said();
        spec.attributes.assign(said.begin(), said.end());
        const std::vector<ValueId> made = TRY(builder.node(std::move(spec)));
        for (std::size_t at = 0; at < made.size(); ++at) {
            if (const ValueId output = graph.outputs(value.producer)[at]) ids[output.index] = made[at];
        }
    }
    if (watched.empty()) return {};
    for (const ValueId id : watched) TRY(builder.output(ids[id.index]));
    const Graph all = TRY(std::move(builder).finish());
    const std::vector<Tensor> values = TRY(evaluate(all, inputs));
    for (std::size_t i = 0; i < values.size(); ++i) calibration.add(graph.value(watched[i]).name, values[i]);
    return {};
}

}  // namespace muster::graph
