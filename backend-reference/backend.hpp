// backend.hpp - the interpreter as a complete backend: the oracle, and the room to copy for a new one.
//
// One device, of id reference:0, that runs programs as foundation/interpreter/interpret.hpp defines them; one target,
// reference:wgsl, for which it emits the program's own text.
//
// The room, file by file: register (records), backend (probe, describe, open, emit), device (its properties
// and its functions), memory, compile (program -> artifact -> executable), launch (the queue), check (the
// door).
#pragma once

#include <muster/driver/contract/backend.hpp>

namespace muster::reference {

/// All exact operations: math is expanded into them, fast mode included.
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
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override;
};

}  // namespace muster::reference
