// executable.hpp - an artifact loaded on a device: a pipeline, and the descriptors of its dispatches.
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
    /// Waits for the device: if it was taken for lost, work may still be in flight.
    ~PipelineExecutable() override;

    const std::uint64_t serial;       // unique in this process
    mutable Descriptors descriptors;  // used by the queue only, one thread at a time
    UniquePipelineLayout layout;
    UniquePipeline pipeline;
    /// Push constants, as in SpirvModule.
    std::optional<std::uint32_t> origin_offset, grid_offset;
    std::uint32_t push_constant_bytes = 0;
    std::shared_ptr<const WatchedLoops> watched_loops;  // null if no loop is watched

  private:
    static std::uint64_t next_serial();
    const LogicalDevice& device_;
};

/// Loads an artifact of compile_spirv, or any of format "spirv" whose bindings have their own numbers, as
/// emitted. Errors: invalid_argument (another format), compile_failed (the driver refuses it), out_of_memory.
Result<std::unique_ptr<Executable>> load_pipeline(const LogicalDevice& device, VkPipelineCache cache,
                                                  const Artifact& artifact);

}  // namespace muster::vulkan
