// backend.hpp - native code for the processor at hand: kernels compiled by LLVM, vectorised by us, run on all cores.
//
// One device, of id cpu:0. Targets to emit for, on any machine: cpu:x86-64-v1 to cpu:x86-64-v4 and cpu:aarch64, as an
// object file, assembly or LLVM IR, each with a plain C entry point.
//
// The room, file by file: register (records), backend (probe, describe, open, emit), device (its properties and its
// functions), memory, compile (artifact -> executable), launch (the queue), check (the door). Peculiar to it: host (the
// machine), image (code as bytes), kernel_abi (how code is called), compiler and compiler_module (the half that needs
// LLVM, opened when something is to be compiled), compiler/ (that half), compile_elsewhere and compile_message (in another
// process, where that is asked for), ends_without_memory.
#pragma once

#include <muster/backend-cpu/device/options.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

class CpuBackend final : public Backend {
  public:
    explicit CpuBackend(CpuOptions options = {}) : options_(std::move(options)) {}
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
    CpuOptions options_;
};

}  // namespace muster::cpu
