// physical_device.hpp - a device's properties, read once into plain values.
#pragma once

#include <vector>

#include <muster/backend-cuda/native/instance.hpp>
#include <muster/driver/contract/device_info.hpp>

namespace muster::cuda {

struct PhysicalDevice {
    CUdevice handle = 0;
    bool memory_pools = false;  // can allocate in stream order
    std::uint32_t multiprocessors = 0;
    DeviceInfo info;  // for the driver
};

/// In libcuda's order, which CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER change; an ordinal counts in this
/// order. Devices that can't be used are left out. Errors: unavailable (no device can be
/// used; the message says why).
Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance);

}  // namespace muster::cuda
