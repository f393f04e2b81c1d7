// tile.hpp - the shape of the kernels of convolutions and products: an invocation has one column, and sums several rows of it at a
// time. Internal to graph/kernels.
#pragma once

#include <cstdint>

#include <muster/foundation/graph/pack/pack.hpp>

namespace muster::graph {

struct Tile {
    std::int64_t rows = 1;  // that an invocation sums
    std::int64_t columns =
        32;  // of a workgroup, one for each invocation: output channels, or columns of a product
};

/// How many tiles cover `count`.
constexpr std::int64_t tiles(std::int64_t count, std::int64_t at_a_time) {
    return (count + at_a_time - 1) / at_a_time;
}

/// The tile that wastes least of a result of this size, and whose sums fit the registers of processors; no larger than the algorithm
/// says. Without that it is the same for all devices: their kernels differ in nothing.
Tile choose_tile(std::int64_t rows, std::int64_t columns, const Algorithm& algorithm);

}  // namespace muster::graph
