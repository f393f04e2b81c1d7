// kernel_abi.hpp - how compiled code is called: the contract between the compiler and the launch.
//
// A kernel is one function of plain C types without relocations: everything that it needs comes in as
// arguments. Threads: a kernel may be called from many threads at once, each with its own scratch; the calls
// of one launch may run their workgroups in any order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::cpu {

struct KernelBinding {
    std::byte* data;      // aligned to at least 4 bytes
    std::uint64_t bytes;  // of the binding; a run-time array's length follows from it
};

/// One launch: workgroup_id runs over [origin, origin + extent); num_workgroups reads as grid.
struct KernelArguments {
    const KernelBinding* bindings;  // in Program::bindings() order
    std::uint32_t origin[3];
    std::uint32_t extent[3];
    std::uint32_t grid[3];
};

/// Runs workgroups [begin, end) of the launch, numbered within extent, x fastest. scratch:
/// ImageHeader::scratch_bytes bytes, aligned to scratch_align, for workgroup memory, values that live across
/// barriers and large private variables. Its content before the call doesn't matter.
using KernelFunction = void (*)(const KernelArguments* arguments, std::uint64_t begin, std::uint64_t end,
                                std::byte* scratch);

inline constexpr std::size_t scratch_align = 64;
inline constexpr const char* kernel_symbol = "muster_kernel";

}  // namespace muster::cpu
