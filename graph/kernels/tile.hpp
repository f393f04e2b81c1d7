// tile.hpp - the shape of the kernels of convolutions and products: an invocation has one column, and sums several rows of it at a
// time. Internal to graph/kernels.
#pragma once

#include <cstdint>

namespace muster::graph {

/// The columns of a workgroup, one for each invocation: output channels of a convolution, columns of a product.
inline constexpr std::int64_t tile_columns = 32;

/// The number of rows that an invocation sums at a time, for this many in all: few are wasted in the last tile, and the sums fit
/// registers.
std::int64_t tile_rows(std::int64_t rows);

}  // namespace muster::graph
