// sum_blocks.hpp - the lengths of the blocks that sums in models are cut to: docs/numbers.md, "Sums in models". Evaluator and kernels
// cut by the same.
#pragma once

#include <cstdint>

namespace muster::graph {

/// The terms of a block of a row, and the partial sums of a row.
inline constexpr std::int64_t row_block = 1024, row_places = 32;
/// Most terms of a block of a product's sum.
inline constexpr std::int64_t product_block = 1024;
/// The elements of a block of a cumulative sum.
inline constexpr std::int64_t cumulative_block = 256;
/// The keys of a block of attention.
inline constexpr std::int64_t key_block = 64;

}  // namespace muster::graph
