// around.hpp - a device or a backend around another one, which it passes everything on to: for tests that change one thing.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <muster/driver/backend.hpp>

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
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return device_->write(memory, offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return device_->read(memory, offset, to);
    }
    Result<Submitted> submit(const Launch& launch) override { return device_->submit(launch); }
    void abandon() override { device_->abandon(); }

  private:
    std::unique_ptr<Device> device_;
};

class BackendAround : public Backend {
  public:
    explicit BackendAround(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}
    std::string_view id() const override { return backend_->id(); }
    Result<std::vector<DeviceInfo>> probe() override { return backend_->probe(); }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override { return backend_->open(ordinal); }
    std::string default_arch() const override { return backend_->default_arch(); }
    std::span<const std::string> formats() const override { return backend_->formats(); }
    std::span<const SpecInfo> specs() const override { return backend_->specs(); }
    Result<Target> describe(std::string_view arch) override { return backend_->describe(arch); }
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        return backend_->emit(program, target, request);
    }

  private:
    std::unique_ptr<Backend> backend_;
};

}  // namespace muster::test
