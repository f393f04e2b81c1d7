// debug_map.hpp - maps lines of PTX back to the program, by the line information that -lineinfo adds. Pure.
#pragma once

#include <string_view>
#include <vector>

#include <muster/backend-cuda/lowering/lower.hpp>

namespace muster::cuda {

/// Ordered by line of the PTX. Code without a source line, such as the kernel's end, has source line 0. Code
/// inlined from a helper function maps to the kernel's line that calls it.
std::vector<DebugEntry> map_ptx(const Program& program, const CudaSource& source, std::string_view ptx);

}  // namespace muster::cuda
