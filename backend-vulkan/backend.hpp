// backend.hpp - runs SPIR-V on any device with Vulkan 1.1 or later.
//
// Devices are vulkan:0, vulkan:1, ... in the loader's order; DeviceInfo has the UUID by which other programs
// identify them. A device that is the processor itself (lavapipe, SwiftShader) counts as emulated:
// backend-cpu comes first. Targets for emission, which needs neither loader nor device: vulkan:vulkan1.1,
// vulkan1.2, vulkan1.3 (emit.hpp).
//
// The room, by folder: backend (probe, describe, open, emit) and register (records) stand at the top.
// lowering/ turns a program into SPIR-V words, purely; compile/ makes artifacts of them, for a device or to
// emit, with SPIRV-Tools and debug maps; native/ has Vulkan itself: functions, loader, instance, devices,
// handles, errors, barriers and the timeline of what was submitted; device/ is the opened device: its
// functions, its memory (blocks, pools, copies), pipelines and descriptors, the queue with its batches, and
// the sample of what a device computes exactly.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <muster/backend-vulkan/device/options.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/once.hpp>

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
    std::string objection(const Artifact& code, const DeviceInfo& device) const override;
    std::optional<std::uint64_t> free_memory(std::uint32_t ordinal) override;
    Result<std::string> disassemble(const Artifact& code) const override;

  private:
    struct Found;
    /// Found at the first call, and anew once the instance is given up; an error isn't remembered.
    Result<std::shared_ptr<const Found>> found();

    VulkanOptions options_;
    SharedOnce<const Found> found_;
};

}  // namespace muster::vulkan
