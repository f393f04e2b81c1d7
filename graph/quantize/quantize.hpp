// quantize.hpp - prepares a float graph for integer arithmetic, by a pack's patterns and by
// statistics of its values.
//
//     Quantized smoothed = TRY(smooth(graph, statistics, pack));            // then calibrate again: activations have changed
//     Quantized result = TRY(quantize(smoothed.graph, again, pack));        // QuantizeLinear and DequantizeLinear before products
//
// The result is a graph that other runtimes read, too: products of dequantised values, weights as constants
// of i8. Conversions then make integer products of them. Nodes whose values have no statistics stay as they
// are, and are told. Pure. Threads: any.
#pragma once

#include <muster/foundation/base/result.hpp>
#include <muster/graph/pack/pack.hpp>
#include <muster/graph/quantize/calibration.hpp>
#include <muster/graph/rewrite/rewrite.hpp>

namespace muster::graph {

struct Quantized {
    Graph graph;
    PatternReport report;
};

/// Moves scale from activations to weights: for each channel, the activation is divided by
/// largest(activation) ^ strength / largest(weights) ^ (1 - strength), and the weights are multiplied by it.
/// All products of an activation share it; one that doesn't match leaves the activation as it is. Errors:
/// invalid_program (a pattern that can't be read or applied).
Result<Quantized> smooth(const Graph& graph, const Statistics& statistics, const Pack& pack,
                         float strength = 0.5f);

/// Errors: those of smooth().
Result<Quantized> quantize(const Graph& graph, const Statistics& statistics, const Pack& pack);

}  // namespace muster::graph
