// executable.hpp - an artifact loaded on a device: the kernel and its parameter block.
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
    /// Grid barrier state (lower.hpp) of a kernel that is launched cooperatively. One is enough, since
    /// launches run one after another.
    std::unique_ptr<DeviceMemory> barrier_state;
    /// The parameter block, which each launch fills with its bindings and grid. Used by the queue only, one
    /// thread at a time.
    mutable std::vector<std::byte> block;
};

/// True if a value bound to the parameter is passed in memory instead of within the block.
inline bool takes_memory(const Parameter& parameter) {
    return parameter.kind == ParameterKind::storage || parameter.kind == ParameterKind::uniform_memory;
}

/// Writes one binding into the block: memory at `address`, or a value if `address` is 0.
void fill(const ModuleExecutable& executable, const Parameter& parameter, const BoundMemory& bound,
          CUdeviceptr address);
/// Writes the launch's origin and grid into the block.
void fill_grid(const ModuleExecutable& executable, const Launch& launch);

/// Properties of the device that load_module() depends on.
struct LoadTarget {
    int cuda_version = 0;  // the driver's: 12040 is 12.4
    std::uint64_t max_workgroup_bytes = 0;
    std::uint32_t multiprocessors = 0;
};

/// Loads an artifact that was compiled for dispatch in this process. PTX of a newer version than the driver
/// knows is retried as PTX of the driver's version. Errors: invalid_argument (another artifact),
/// compile_failed (the driver refuses it; with its compiler's log), limit_exceeded (more shared memory than a
/// workgroup may have), out_of_memory, device_lost.
Result<std::unique_ptr<Executable>> load_module(const Context& context, Transfer& transfer,
                                                const LoadTarget& target, const Artifact& artifact);

}  // namespace muster::cuda
