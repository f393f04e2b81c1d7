// split_device.hpp - a device that owns a device, and runs programs with grid barriers on it. Internal to driver/.
//
// Every device is opened through it, and compiles programs as they are written: what the device doesn't want of them is
// expanded here. What has no grid barriers goes straight through. A program that has some runs as it is
// where the device has them and the grid fits (Executable::resident_workgroups), and else split at them (grid_split.hpp): its
// parts are compiled once, the scratch between them comes from a pool, which is emptied where memory for something else is
// missing, and each part is folded for itself. Where the host must wait for a part (gridUniformLoad), a thread of the
// device's own submits; what is submitted meanwhile queues behind. Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/split/scratch_pool.hpp>
#include <muster/driver/split/split_run.hpp>
#include <muster/driver/split/submit_queue.hpp>

namespace muster {

class SplitDevice final : public Device {
  public:
    explicit SplitDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}

    const DeviceInfo& info() const override { return inner_->info(); }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override;
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return inner_->write(memory, offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return inner_->read(memory, offset, to);
    }
    Result<Submitted> submit(const Launch& launch) override;
    void abandon() override;

  private:
    class WholeGrids;
    Result<Submitted> pass(const Launch& launch);
    Result<Submitted> submit_parts(const split::LoadedParts& parts, const Launch& launch);
    Result<std::unique_ptr<Executable>> load_nothing(const CompileOptions& options);

    // Destroyed last to first: what is still submitted needs the device.
    std::unique_ptr<Device> inner_;
    split::ScratchPool scratch_;
    split::SubmitQueue queue_;
};

}  // namespace muster
