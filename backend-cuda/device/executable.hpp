// executable.hpp - an artifact loaded on a device: the kernel, and the block of its parameters.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <muster/backend-cuda/device/memory.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/backend-cuda/native/handle.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::cuda {

struct ModuleExecutable final : Executable {
    UniqueModule module;
    CUfunction function = nullptr;
    Extent3 workgroup_size;
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<Parameter> parameters;
    std::optional<std::uint32_t> origin_offset, grid_offset;
    /// Of a kernel with grid barriers, which is launched cooperatively: its state (lower.hpp). One is enough, since launches
    /// follow each other.
    std::unique_ptr<DeviceMemory> barrier_state;
    /// As the last launch had it: the next changes what it binds. The queue's: one thread at a time.
    mutable std::vector<std::byte> block;
};

/// Whether a value that is bound to the parameter goes by memory, and not within the block.
inline bool takes_memory(const Parameter& parameter) {
    return parameter.kind == ParameterKind::storage || parameter.kind == ParameterKind::uniform_memory;
}

/// Writes into the block what one binding has: memory at `address`, or where that is 0 a value.
void fill(const ModuleExecutable& executable, const Parameter& parameter, const BoundMemory& bound,
          CUdeviceptr address);
/// And the grid.
void fill_grid(const ModuleExecutable& executable, const Launch& launch);

/// What a device loads for.
struct LoadTarget {
    int cuda_version = 0;  // the driver's: 12040 is 12.4
    std::uint64_t max_workgroup_bytes = 0;
    std::uint32_t multiprocessors = 0;
};

/// From an artifact that was compiled for dispatch, in this process. PTX of a newer version than the driver knows is loaded
/// as PTX of the driver's version. Errors: invalid_argument (another artifact), compile_failed (the driver refuses it: with
/// its compiler's log), limit_exceeded (more shared memory than a workgroup may have), out_of_memory, device_lost.
Result<std::unique_ptr<Executable>> load_module(const Context& context, Transfer& transfer,
                                                const LoadTarget& target, const Artifact& artifact);

}  // namespace muster::cuda
