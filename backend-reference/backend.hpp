// backend.hpp - the interpreter as a complete backend: the oracle, and the room to copy for a new backend.
//
// One device, reference:0, runs programs as foundation/interpreter/interpret.hpp defines them. One target,
// reference:wgsl, for which emission gives the program's own WGSL text.
//
// The room is small enough for one folder: register (records), backend (probe, describe, open, emit), device
// (properties and functions), memory, compile (program -> artifact -> executable), launch (what the queue runs).
// Larger backends sort the same parts into native/, lowering/, compile/ and device/.
#pragma once

#include <muster/driver/contract/backend.hpp>

namespace muster::reference {

/// All exact operations and those of the grid barrier; the math group is expanded, in fast mode too.
const OpSet& supported_ops();

class ReferenceBackend final : public Backend {
  public:
    std::string_view id() const override { return "reference"; }
    Result<std::vector<DeviceInfo>> probe() override;
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override;
    std::string default_arch() const override { return "wgsl"; }
    std::span<const std::string> formats() const override;
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view arch) override;
    std::optional<std::uint64_t> free_memory(std::uint32_t ordinal) override;
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override;
};

}  // namespace muster::reference
