// backend.hpp - CUDA C++ through NVRTC, on NVIDIA's GPUs through the driver API.
//
// Devices are cuda:0, cuda:1, ... in the driver's order; DeviceInfo has the UUID that other programs know one by. Targets
// to emit for, without a driver or a device: cuda:sm_70 to cuda:sm_120 (emit.hpp). libcuda and NVRTC are opened when they
// are first needed, so that a program with this backend starts anywhere.
//
// The room, file by file: register (records), backend (probe, describe, open, emit), device (its functions), memory, lower_*
// (program -> CUDA C++), launch (the queue), check (the door). Peculiar to it: api and loader (libcuda's functions), instance,
// physical_device (what a device can do), context and handle (CUDA's objects), transfer (copies), values (large ones that a
// dispatch gives), executable and ptx_version (what is loaded), batch and poll (how far the device is); nvrtc and compile
// (the text to PTX and cubins), emit, arch, debug_map; and what the lowering is made of (lowering.hpp).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <muster/backend-cuda/device/options.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::cuda {

class CudaBackend final : public Backend {
  public:
    explicit CudaBackend(CudaOptions options = {});
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

    CudaOptions options_;
    std::mutex mutex_;
    std::shared_ptr<const Found> found_;
};

}  // namespace muster::cuda
