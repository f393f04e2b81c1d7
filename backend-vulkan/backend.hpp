// backend.hpp - SPIR-V on any device with Vulkan 1.1 or later.
//
// Devices are vulkan:0, vulkan:1, ... in the loader's order; DeviceInfo has the UUID that other programs know one by. A
// device that is the processor itself (lavapipe, SwiftShader) is said to be emulated, so that backend-cpu comes first.
// Targets to emit for, without a loader or a device: vulkan:vulkan1.1, vulkan1.2, vulkan1.3 (emit.hpp).
//
// The room, file by file: register (records), backend (probe, describe, open, emit), device (its functions), memory,
// lower_* (program -> SPIR-V), compile (-> pipeline), launch (the queue), check (the door). Peculiar to it: api and volk (Vulkan's
// functions), loader, instance, physical_device (what a device can do), logical_device and handle (Vulkan's objects), sample (what
// a device computes exactly), block, pool and free_ranges (memory in parts), transfer and barrier (copies), descriptors, batch and
// job (what is submitted), timeline (how far the device is), validation (for tests).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <muster/backend-vulkan/device/options.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::vulkan {

class VulkanBackend final : public Backend {
  public:
    explicit VulkanBackend(VulkanOptions options = {}) : options_(std::move(options)) {}
    std::string_view id() const override { return options_.id; }
    Result<std::vector<DeviceInfo>> probe() override;
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override;
    std::string default_arch() const override;
    std::span<const std::string> formats() const override;
    std::span<const SpecInfo> specs() const override;
    Result<Target> describe(std::string_view arch) override;
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override;

  private:
    struct Found;
    /// Asked once; an error isn't remembered.
    Result<std::shared_ptr<const Found>> found();

    VulkanOptions options_;
    std::mutex mutex_;
    std::shared_ptr<const Found> found_;
};

}  // namespace muster::vulkan
