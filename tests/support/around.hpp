// around.hpp - a device that wraps another one and forwards every call, for tests that change one thing.
// (forwarding_backend.hpp of the driver wraps a backend.)
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/forwarding_backend.hpp>

namespace muster::test {

class DeviceAround : public Device {
  public:
    explicit DeviceAround(std::unique_ptr<Device> device) : device_(std::move(device)) {}
    const DeviceInfo& info() const override { return device_->info(); }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override {
        return device_->compile(program, options);
    }
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override {
        return device_->load(artifact);
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        return device_->allocate(bytes);
    }
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) override { return device_->wrap(host); }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return device_->write(memory, offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return device_->read(memory, offset, to);
    }
    Result<Submitted> submit(const Launch& launch) override { return device_->submit(launch); }
    bool has_transfers() const override { return device_->has_transfers(); }
    Result<Submitted> transfer(const MemoryTransfer& transfer) override {
        return device_->transfer(transfer);
    }
    void abandon() override { device_->abandon(); }

  private:
    std::unique_ptr<Device> device_;
};

}  // namespace muster::test
