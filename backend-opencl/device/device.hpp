// device.hpp - an open OpenCL device: the functions that the driver calls.
#pragma once

#include <muster/backend-opencl/device/launch.hpp>

namespace muster::opencl {

class OpenClDevice final : public Device {
  public:
    /// Errors: unavailable, out_of_memory.
    static Result<std::unique_ptr<Device>> open(const PhysicalDevice& physical);

    const DeviceInfo& info() const override { return physical_.info; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override;
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return queue_->write(buffer_of(memory), offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return queue_->read(buffer_of(memory), offset, to);
    }
    Result<Submitted> submit(const Launch& launch) override { return queue_->submit(launch); }
    void abandon() override { queue_->lose(); }

  private:
    explicit OpenClDevice(const PhysicalDevice& physical) : physical_(physical), context_(*physical_.api) {}
    Builder builder() const { return {physical_, context_.get()}; }

    PhysicalDevice physical_;
    UniqueContext context_;  // outlives queue_, which is made in it
    std::unique_ptr<Queue> queue_;
};

}  // namespace muster::opencl
