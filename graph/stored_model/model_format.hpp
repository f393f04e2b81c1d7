// model_format.hpp - the numbers of the file format of models' artifacts (model_artifact.hpp).
// Internal to graph/stored_model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::graph {

inline constexpr std::uint64_t model_magic = 0x0a214c45444f4d7f;  // "\x7fMODEL!\n"
/// Raised with every change of the format and of RunPlan, and when kernels of before give other bits than those
/// of today (docs/numbers.md).
inline constexpr std::uint32_t model_version = 3;
inline constexpr std::size_t model_head_bytes = 32, model_checksum_bytes = 16;

constexpr std::uint64_t blob_aligned(std::uint64_t offset) { return (offset + 63) / 64 * 64; }

}  // namespace muster::graph
