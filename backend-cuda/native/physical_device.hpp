// physical_device.hpp - what a device says of itself: asked once, plain values after.
#pragma once

#include <vector>

#include <muster/backend-cuda/native/instance.hpp>
#include <muster/driver/contract/device_info.hpp>

namespace muster::cuda {

struct PhysicalDevice {
    CUdevice handle = 0;
    bool memory_pools = false;  // allocates in the order of a stream
    std::uint32_t multiprocessors = 0;
    DeviceInfo info;  // as the driver wants it told
};

/// In the order of libcuda, which CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER change: an ordinal is a place in this list.
/// Errors: unavailable, where there is none that can be used, with why.
Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance);

}  // namespace muster::cuda
