#include <algorithm>

#include <muster/graph/pack/pack.hpp>

namespace muster::graph {

bool Pack::applies_to(std::string_view backend) const {
    return backends.empty() || std::ranges::find(backends, backend) != backends.end();
}

bool Pack::keeps_bits() const {
    const auto keeps = [](const auto& pattern) { return pattern.bits == Bits::kept; };
    return std::ranges::all_of(conversion, keeps) && std::ranges::all_of(fusion, keeps);
}

}  // namespace muster::graph
