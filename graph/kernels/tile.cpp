#include <limits>

#include <muster/graph/kernels/tile.hpp>

namespace muster::graph {
namespace {

/// The cost of one turn of a tile's loop, in vectors of 8 multiplied and added: loads and broadcasts are half
/// as much. With 32 columns, up to 6 rows fit the registers; measured on Zen 4 with and without AVX-512, 4 x
/// 32 and 8 x 16 are the fastest.
double turn(const Tile& tile) {
    const double vectors = static_cast<double>(tile.columns) / 8, rows = static_cast<double>(tile.rows);
    return rows * vectors + 0.5 * rows + 0.5 * vectors;
}

}  // namespace

Tile choose_tile(std::int64_t rows, std::int64_t columns, const Algorithm& algorithm) {
    const auto is_too_large = [](std::int64_t size, std::uint32_t most) {
        return most != 0 && size > std::int64_t{most};
    };
    Tile best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::int64_t wide : {32, 16, 8}) {
        if (wide > 8 && is_too_large(wide, algorithm.columns)) continue;
        for (const std::int64_t high : {4, 6, 5, 8, 3, 2, 1}) {
            if ((wide == 32 && high > 6) || (high > 1 && is_too_large(high, algorithm.rows))) continue;
            const Tile tile{high, wide};
            const double cost = static_cast<double>(tiles(rows, high) * tiles(columns, wide)) * turn(tile);
            if (cost >= least) continue;
            least = cost;
            best = tile;
        }
    }
    return best;
}

}  // namespace muster::graph
