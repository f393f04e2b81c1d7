// sizes.hpp - the sizes of a tensor's axes, as numbers. Pure. Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace muster::graph {

using Sizes = std::vector<std::int64_t>;

/// The product of the sizes: 1 of none.
inline std::int64_t product(std::span<const std::int64_t> sizes) {
    std::int64_t result = 1;
    for (const std::int64_t size : sizes) result *= size;
    return result;
}

/// The elements between neighbours along each axis, the last axis contiguous.
inline Sizes row_major_strides(const Sizes& sizes) {
    Sizes strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
    return strides;
}

}  // namespace muster::graph
