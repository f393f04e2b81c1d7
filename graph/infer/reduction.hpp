// reduction.hpp - which axes a reduction reduces.
#pragma once

#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/attribute.hpp>

namespace muster::graph {

/// The axes, sorted, from what the input `axes` has (empty if there is none). Errors: invalid_program.
Result<std::vector<std::size_t>> reduced_axes(const Attributes& attributes,
                                              std::span<const std::int64_t> axes, std::size_t rank);

}  // namespace muster::graph
