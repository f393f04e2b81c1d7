// slice.hpp - which elements a Slice takes of one axis.
#pragma once

#include <cstdint>

namespace muster::graph {

struct SliceAxis {
    std::int64_t start = 0, step = 1, count = 0;
};

/// ONNX's rule: negative positions count from the end, and all are clamped to the axis.
/// Precondition: step isn't 0.
SliceAxis slice_axis(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step);

}  // namespace muster::graph
