// executable.hpp - an artifact loaded on a device: a pipeline, and what its dispatches bind.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <muster/backend-vulkan/device/descriptors.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::vulkan {

struct PipelineExecutable final : Executable {
    explicit PipelineExecutable(const LogicalDevice& device)
        : serial(next_serial()), descriptors(device), layout(device), pipeline(device), device_(device) {}
    /// Waits for what is in flight: where the device was taken for lost, something may be. Precondition: nobody submits.
    ~PipelineExecutable() override;

    const std::uint64_t serial;       // of no other executable in this process
    mutable Descriptors descriptors;  // the queue's: one thread at a time
    UniquePipelineLayout layout;
    UniquePipeline pipeline;
    /// As in SpirvModule.
    std::optional<std::uint32_t> origin_offset, grid_offset;
    std::uint32_t push_constant_bytes = 0;
    std::shared_ptr<const WatchedLoops> watched_loops;  // null: none is

  private:
    static std::uint64_t next_serial();
    const LogicalDevice& device_;
};

/// From an artifact of compile_spirv, or from any of format "spirv" whose bindings have their own numbers, as emitted.
/// Errors: invalid_argument (another format), compile_failed (the driver refuses it), out_of_memory.
Result<std::unique_ptr<Executable>> load_pipeline(const LogicalDevice& device, VkPipelineCache cache,
                                                  const Artifact& artifact);

}  // namespace muster::vulkan
