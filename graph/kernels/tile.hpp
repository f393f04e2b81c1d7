// tile.hpp - the shape of the kernels of convolutions and products: an invocation has one column, and sums
// several rows of it at a time. Internal to graph/kernels.
#pragma once

#include <array>
#include <cstdint>

#include <muster/graph/kernel_text/kernel_text.hpp>
#include <muster/graph/pack/pack.hpp>

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

/// The tile that wastes least of a result of this size, and whose sums fit the registers of
/// processors; no larger than the algorithm says. Without that it is the same for all devices: their
/// kernels differ in nothing.
Tile choose_tile(std::int64_t rows, std::int64_t columns, const Algorithm& algorithm);

/// Which tiles follow each other: devices take workgroups along x first. Where the second matrix, the
/// weights, fits a processor's cache, the tiles of a row do, and each element of the first matrix is read
/// once; else those of a column, and each weight is.
class TileOrder {
  public:
    TileOrder(std::int64_t rows, std::int64_t columns, std::int64_t weight_bytes)
        : rows_(static_cast<std::uint32_t>(rows)),
          columns_(static_cast<std::uint32_t>(columns)),
          row_by_row_(weight_bytes <= cached_bytes) {}

    /// Declares row_tile and column_tile, the workgroup's.
    void declare(KernelText& text) const {
        text.line("let row_tile = {};", row_by_row_ ? "group.y" : "group.x");
        text.line("let column_tile = {};", row_by_row_ ? "group.x" : "group.y");
    }
    std::array<std::uint32_t, 3> workgroups(std::int64_t along_z) const {
        const auto z = static_cast<std::uint32_t>(along_z);
        return row_by_row_ ? std::array{columns_, rows_, z} : std::array{rows_, columns_, z};
    }

  private:
    static constexpr std::int64_t cached_bytes = 192 << 10;
    std::uint32_t rows_, columns_;  // tiles
    bool row_by_row_;
};

}  // namespace muster::graph
