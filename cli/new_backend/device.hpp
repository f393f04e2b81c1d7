// device.hpp - the device: compiles and loads programs, has memory, and runs launches.
//
// Today it is this machine's memory, and muster's interpreter runs the programs. docs/writing-a-backend.md says what the
// driver promises to each function, and what it expects.
#pragma once

#include <muster/backend_sdk.hpp>

namespace backend_mine {

/// The device's properties. Routing decides from this alone.
muster::DeviceInfo device_info();

class MineDevice final : public muster::Device {
  public:
    const muster::DeviceInfo& info() const override { return info_; }
    muster::Result<muster::Artifact> compile(const muster::ValidProgram& program,
                                             const muster::CompileOptions& options) override;
    muster::Result<std::unique_ptr<muster::Executable>> load(const muster::Artifact& artifact) override;
    muster::Result<std::unique_ptr<muster::Memory>> allocate(std::uint64_t bytes) override;
    muster::Result<void> write(muster::Memory& memory, std::uint64_t offset,
                               std::span<const std::byte> from) override;
    muster::Result<void> read(const muster::Memory& memory, std::uint64_t offset,
                              std::span<std::byte> to) override;
    muster::Result<muster::Submitted> submit(const muster::Launch& launch) override;
    void abandon() override { queue_.stop(); }

  private:
    muster::DeviceInfo info_ = device_info();
    muster::WorkQueue queue_;  // NEXT 4: the API's own
};

}  // namespace backend_mine
