// shape_data.hpp - sizes of what is made from numbers.
#pragma once

#include <optional>
#include <utility>

#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {

/// The dimensions that Shape takes, [begin, end), with its attributes clamped to the rank.
std::pair<std::size_t, std::size_t> shape_extent(std::int64_t start, std::optional<std::int64_t> end,
                                                 std::size_t rank);

/// The number of elements of a Range: max(0, ceil((limit - start) / delta)), of floats in f32. Errors:
/// invalid_program (delta is 0, or a number isn't finite, or more than max_elements elements).
Result<std::int64_t> range_count(const Tensor& start, const Tensor& limit, const Tensor& delta);

}  // namespace muster::graph
