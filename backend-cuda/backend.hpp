// backend.hpp - CUDA C++ through NVRTC, on NVIDIA's GPUs through the driver API.
//
// Devices are cuda:0, cuda:1, ... in the driver's order; DeviceInfo has the UUID that other programs know one by. Targets
// to emit for, without a driver or a device: cuda:sm_70 to cuda:sm_120 (emit.hpp). libcuda and NVRTC are opened when they
// are first needed, so that a program with this backend starts anywhere.
//
// The room, file by file: register (records), backend (probe, describe, open, emit), lower_* (program -> CUDA C++).
#pragma once

#include <string>
#include <utility>

#include <muster/backend-cuda/lower.hpp>
#include <muster/driver/backend.hpp>

namespace muster::cuda {

class CudaBackend final : public Backend {
  public:
    explicit CudaBackend(std::string id = "cuda") : id_(std::move(id)) {}
    std::string_view id() const override { return id_; }
    Result<std::vector<DeviceInfo>> probe() override;
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override;
    std::string default_arch() const override;
    std::span<const std::string> formats() const override;
    std::span<const SpecInfo> specs() const override;
    Result<Target> describe(std::string_view arch) override;
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override;

  private:
    std::string id_;
};

}  // namespace muster::cuda
