// device.hpp - the machine that muster runs on, as a device for compiled kernels.
#pragma once

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/backend-cpu/compile/operations.hpp>
#include <muster/backend-cpu/device/launch.hpp>
#include <muster/backend-cpu/device/options.hpp>
#include <muster/backend-cpu/device/transfer.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

/// The sizes of subgroups: as many invocations as code may have lanes.
inline constexpr SubgroupSizes subgroup_sizes{4, 64};
/// The usual size on a machine with vectors of so many lanes.
std::uint32_t subgroup_size(std::uint32_t lanes);

DeviceInfo host_info(const CpuOptions& options);
/// The limits are the same for every arch.
DeviceLimits limits();
Exactness exactness(bool has_fma);

class CpuDevice final : public Device {
  public:
    explicit CpuDevice(const CpuOptions& options);
    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::optional<Artifact>> compile_quickly(const ValidProgram& program,
                                                    const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override;
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) override;
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override;
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override;
    Result<Submitted> submit(const Launch& launch) override { return queue_.submit(launch); }
    bool has_transfers() const override { return true; }
    Result<Submitted> transfer(const MemoryTransfer& transfer) override {
        return submit_transfer(queue_, transfer);
    }
    void abandon() override { queue_.abandon(); }

  private:
    Result<CompileRequest> request(const CompileOptions& options) const;

    CpuOptions options_;
    DeviceInfo info_;
    Queue queue_;
};

}  // namespace muster::cpu
