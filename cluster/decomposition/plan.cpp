#include <muster/cluster/decomposition/plan.hpp>

namespace muster::cluster {

Extent3 Plan::origin(std::uint32_t begin) const {
    return {axis == 0 ? begin : 0, axis == 1 ? begin : 0, axis == 2 ? begin : 0};
}

Extent3 Plan::extent(std::uint32_t begin, std::uint32_t end) const {
    const std::uint32_t length = end - begin;
    return {axis == 0 ? length : runs.x, axis == 1 ? length : runs.y, axis == 2 ? length : runs.z};
}

}  // namespace muster::cluster
