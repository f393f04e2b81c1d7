// load_data.hpp - what load() needs of a kernel besides its code, as bytes (Artifact::load_data). Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cuda {

/// Stores the source without text and debug map.
std::vector<std::byte> load_data(const CudaSource& source);
/// Errors: invalid_argument (not what load_data() gives).
Result<CudaSource> read_load_data(std::span<const std::byte> bytes);

}  // namespace muster::cuda
