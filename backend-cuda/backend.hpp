// backend.hpp - the CUDA backend: compiles CUDA C++ with NVRTC and runs it on NVIDIA
// GPUs through the driver API.
//
// Devices are cuda:0, cuda:1, ... in the driver's order; DeviceInfo has the UUID by which other programs know
// a device. Kernels can be emitted for cuda:sm_70 to cuda:sm_121 without a driver or a device (emit.hpp).
// libcuda and NVRTC are opened when first needed, so a program with this backend starts on any machine.
//
// Files that every backend has: register (records), backend (probe, describe, open, emit), device (its
// functions), memory, lower_* (program to CUDA C++), launch (the queue), check (calls the driver API).
// Files of this backend only: api and loader (libcuda's functions), instance, physical_device (a device's
// limits and features), context and handle (CUDA objects), transfer (copies), values (values too large for a
// launch's parameters), executable and ptx_version (loading), batch and poll (progress of launches), nvrtc
// and compile (text to PTX and cubins), emit, arch, debug_map, and the lowering's parts (lowering.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <muster/backend-cuda/device/options.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/once.hpp>

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
    std::string objection(const Artifact& code, const DeviceInfo& device) const override;
    std::optional<std::uint64_t> free_memory(std::uint32_t ordinal) override;
    Result<std::string> disassemble(const Artifact& code) const override;

  private:
    struct Found;
    /// Probes on the first call; a failure isn't cached.
    Result<std::shared_ptr<const Found>> found();

    CudaOptions options_;
    SharedOnce<const Found> found_;
};

}  // namespace muster::cuda
