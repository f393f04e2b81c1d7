// resize.hpp - what Resize does to each axis: its scale, and the elements that each output is made of.
#pragma once

#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/attribute.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {

struct ResizeAxis {
    double scale = 1;
    std::int64_t input = 0, output = 0;
};

/// The axes of an input of these sizes; `scales` and `sizes` are null where they aren't given.
/// Errors: invalid_program.
Result<std::vector<ResizeAxis>> resize_axes(const Attributes& attributes, std::span<const std::int64_t> input,
                                            const Tensor* scales, const Tensor* sizes);

struct ResizeTap {
    std::int64_t index = 0;  // within the input
    float weight = 1;
};

/// The elements that output `at` of an axis is the weighted sum of, lowest first. Positions and weights are
/// computed in f64; a weight is rounded to f32 once. Positions beyond an end show the element at that end.
std::vector<ResizeTap> resize_taps(const Attributes& attributes, const ResizeAxis& axis, std::int64_t at);

}  // namespace muster::graph
