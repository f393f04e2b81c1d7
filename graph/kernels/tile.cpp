#include <limits>

#include <muster/graph/kernels/tile.hpp>

namespace muster::graph {

std::int64_t tile_rows(std::int64_t rows) {
    std::int64_t best = 1, least = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t count : {6, 7, 5, 4, 3, 2, 1}) {
        const std::int64_t cost =
            (rows + count - 1) / count * (count + 1);  // each tile also loads its column
        if (cost < least) {
            least = cost;
            best = count;
        }
    }
    return best;
}

}  // namespace muster::graph
