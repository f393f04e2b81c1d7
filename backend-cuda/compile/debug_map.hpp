// debug_map.hpp - from lines of PTX back to the program: what -lineinfo leaves there. Pure.
#pragma once

#include <string_view>
#include <vector>

#include <muster/backend-cuda/lowering/lower.hpp>

namespace muster::cuda {

/// Ordered by line of the PTX. What comes from nowhere in the source, as the kernel's end does, has line 0 there. Of what
/// was inlined (a function in front of the kernel) it is the place in the kernel.
std::vector<DebugEntry> map_ptx(const Program& program, const CudaSource& source, std::string_view ptx);

}  // namespace muster::cuda
