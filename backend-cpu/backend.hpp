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

#include <muster/driver/backend.hpp>

namespace muster::cpu {

/// All operations; the math group is used in fast mode.
const OpSet& supported_ops();

/// For tests, which want each width on every machine, and less of a machine than they have.
struct CpuOptions {
    std::string id = "cpu";
    std::uint32_t width =
        0;  // invocations that go together, a power of two up to 64; 0: as the machine likes it
    std::string arch = {};  // compile for this level, and nothing beyond it; empty: for the machine at hand
    std::uint32_t threads = 0;  // 0: as many as the process may use cores
};

/// The value of the compile spec "width". Errors: invalid_argument.
Result<std::uint32_t> parse_width(std::string_view text);

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
