// device.hpp - an open CUDA device: the functions that the driver calls.
#pragma once

#include <memory>

#include <muster/backend-cuda/device/launch.hpp>
#include <muster/backend-cuda/device/memory.hpp>
#include <muster/backend-cuda/device/options.hpp>
#include <muster/backend-cuda/native/physical_device.hpp>

namespace muster::cuda {

class CudaDevice final : public Device {
  public:
    /// Errors: unavailable, out_of_memory.
    static Result<std::unique_ptr<CudaDevice>> open(std::shared_ptr<Instance> instance,
                                                    const PhysicalDevice& physical,
                                                    const CudaOptions& options);

    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override;
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return transfer_->write(on_device(memory).address() + offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return transfer_->read(on_device(memory).address() + offset, to);
    }
    Result<Submitted> submit(const Launch& launch) override { return queue_->submit(launch); }
    bool has_transfers() const override { return true; }
    Result<Submitted> transfer(const MemoryTransfer& transfer) override { return queue_->submit(transfer); }
    void abandon() override { queue_->abandon(); }

  private:
    CudaDevice(std::shared_ptr<Instance> instance, std::shared_ptr<Context> context,
               const PhysicalDevice& physical, Compiler compiler)
        : info_(physical.info),
          multiprocessors_(physical.multiprocessors),
          compiler_(std::move(compiler)),
          instance_(std::move(instance)),
          context_(std::move(context)) {}

    DeviceInfo info_;
    std::uint32_t multiprocessors_;
    Compiler compiler_;
    std::shared_ptr<Instance> instance_;
    std::shared_ptr<Context> context_;  // outlives transfer_ and queue_, which are made in it
    std::unique_ptr<Transfer> transfer_;
    std::unique_ptr<Queue> queue_;
};

}  // namespace muster::cuda
