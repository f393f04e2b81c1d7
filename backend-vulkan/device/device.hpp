// device.hpp - an open Vulkan device, with the functions that the driver calls.
#pragma once

#include <memory>

#include <muster/backend-vulkan/device/launch.hpp>
#include <muster/backend-vulkan/device/memory.hpp>
#include <muster/backend-vulkan/device/options.hpp>
#include <muster/backend-vulkan/device/pipeline_cache.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::vulkan {

class VulkanDevice final : public Device {
  public:
    static Result<std::unique_ptr<VulkanDevice>> open(std::shared_ptr<const Instance> instance,
                                                      const PhysicalDevice& physical, const DeviceInfo& info,
                                                      const VulkanOptions& options);
    /// Waits for all work in flight.
    ~VulkanDevice() override;

    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override { return memory_.allocate(bytes); }
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) override { return memory_.wrap(host); }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return memory_.write(of_device(memory), offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return memory_.read(of_device(memory), offset, to);
    }
    Result<Submitted> submit(const Launch& launch) override { return queue_.submit(launch); }
    bool has_transfers() const override { return true; }
    Result<Submitted> transfer(const MemoryTransfer& transfer) override { return queue_.transfer(transfer); }
    void abandon() override {
        device_->instance().give_up();
        queue_.abandon();
    }

  private:
    VulkanDevice(std::unique_ptr<LogicalDevice> device, std::unique_ptr<Timeline> timeline,
                 PipelineCache cache, const DeviceInfo& info, const VulkanOptions& options);

    /// Dispatches no workgroups: llvmpipe compiles a pipeline at its first dispatch, and so does it while
    /// loading, within the compile budget. Skipped if it would have to wait for running work.
    Result<void> run_nothing(const Executable& executable, std::size_t binding_count);

    DeviceInfo info_;
    std::unique_ptr<LogicalDevice> device_;  // before everything created on it
    PipelineCache cache_;
    std::unique_ptr<Timeline> timeline_;
    MemoryStore memory_;
    Queue queue_;
};

}  // namespace muster::vulkan
