// backend.hpp - the OpenCL backend: compiles OpenCL C with the device's own driver, from OpenCL 1.2 on.
//
// It reaches devices that have neither CUDA nor a Vulkan driver. Devices are opencl:0, opencl:1, ...
// over all platforms, in the order of the loader, which is opened when it is first needed. This room is
// built as a third party's would be: of muster it includes backend_sdk.hpp alone. docs/opencl.md has
// what it needs, and its limits.
#pragma once

#include <muster/backend-opencl/native/physical_device.hpp>

namespace muster::opencl {

class OpenClBackend final : public Backend {
  public:
    using FindApi = Result<std::shared_ptr<const Api>> (*)();
    /// A test passes an API of its own.
    explicit OpenClBackend(FindApi find_api = process_api) : find_api_(find_api) {}

    std::string_view id() const override { return "opencl"; }
    Result<std::vector<DeviceInfo>> probe() override;
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override;
    /// Targets are the versions of OpenCL from 1.2 on, with what their full profile promises, and the limits
    /// that GPUs have in common. The text is the same for each.
    std::string default_arch() const override { return "1.2"; }
    std::span<const std::string> formats() const override;
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view arch) override;
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override;
    std::string objection(const Artifact& code, const DeviceInfo& device) const override;
    std::optional<std::uint64_t> free_memory(std::uint32_t ordinal) override;

  private:
    using Devices = std::vector<PhysicalDevice>;
    /// Probes on the first call; a failure isn't cached.
    Result<std::shared_ptr<const Devices>> found();

    FindApi find_api_;
    SharedOnce<const Devices> found_;
};

}  // namespace muster::opencl
