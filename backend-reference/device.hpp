// device.hpp - the interpreter as a device of the machine that muster runs on.
#pragma once

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/work_queue.hpp>

namespace muster::reference {

DeviceInfo host_info();

class ReferenceDevice final : public Device {
  public:
    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override;
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) override;
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override;
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override;
    Result<Submitted> submit(const Launch& launch) override;
    void abandon() override { queue_.stop(); }

  private:
    DeviceInfo info_ = host_info();
    WorkQueue queue_;
};

}  // namespace muster::reference
