// backend.hpp - native code for this machine's processor: kernels vectorised here, compiled
// by LLVM, run on all cores.
//
// One device, cpu:0, and on request the levels of its architecture, as cpu:x86-64-v3. Emission targets,
// available on every machine: cpu:x86-64-v1 to cpu:x86-64-v4 and cpu:aarch64, as an object file, assembly or
// LLVM IR, each with a plain C entry point.
//
// The room, by folder: backend (probe, describe, open, emit) and register (records) stand at the top. device/
// has the device's properties and functions, its memory and its queue; native/ the machine, the mapped image,
// how its code is called, and native errors; compile/ opens the compiler when something is to be compiled, in
// this process or in another one; compiler/ is that compiler, the only part that needs LLVM: lowering/
// (program -> LLVM IR), llvm/ (passes, code generation) and output/ (image, or emitted files).
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
    std::string objection(const Artifact& code, const DeviceInfo& device) const override;
    std::optional<std::uint64_t> free_memory(std::uint32_t ordinal) override;
    Result<std::string> disassemble(const Artifact& code) const override;

  private:
    std::vector<CpuOptions> devices() const;

    CpuOptions options_;
};

}  // namespace muster::cpu
