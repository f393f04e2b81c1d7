// query_set.hpp - query sets: timestamps of the device's clock, in nanoseconds. Occlusion queries
// stay 0: nothing renders.
#pragma once

#include <mutex>
#include <vector>

#include <muster/webgpu/device.hpp>

struct WGPUQuerySetImpl final : muster::webgpu::DeviceObject {
    WGPUQuerySetImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device,
                     const WGPUQuerySetDescriptor& descriptor, bool is_valid)
        : DeviceObject(muster::webgpu::Kind::query_set, std::move(device),
                       muster::webgpu::label_of(descriptor.label), is_valid),
          type(descriptor.type),
          count(descriptor.count),
          values_(is_valid ? descriptor.count : 0) {}

    const WGPUQueryType type;
    const std::uint32_t count;

    void write(std::uint32_t index, std::uint64_t value);
    std::vector<std::uint64_t> read(std::uint32_t first, std::uint32_t number) const;
    void destroy();
    /// Errors: invalid_argument.
    muster::Result<void> free_for_work() const;

  private:
    mutable std::mutex mutex_;
    std::vector<std::uint64_t> values_;
    bool is_destroyed_ = false;
};

namespace muster::webgpu {

using QuerySet = ::WGPUQuerySetImpl;

/// Checks that the query of a timestamp can be written. Errors: invalid_argument, unsupported.
Result<void> check_timestamp(const GpuDevice& device, const QuerySet* set, std::uint32_t index);

}  // namespace muster::webgpu
