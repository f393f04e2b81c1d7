// physical_devices.hpp - groups by UUID the paths on which backends reach the same device of the machine.
//
//     for (const PhysicalDevice& device : physical_devices(paths))
//         if (device.paths.size() > 1) ...    // "cuda:0", "vulkan:0": one GPU on two paths
//
// This is information only: each path stays a candidate of its own in routing and in listings. Threads: any.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A device as one backend reaches it.
struct AccessPath {
    std::string backend;
    DeviceInfo device;
    std::string id() const { return backend + ":" + std::to_string(device.ordinal); }
};

struct PhysicalDevice {
    std::string name;                // by its first path
    Uuid uuid{};                     // all zero if unknown: then it has a single path
    std::vector<std::string> paths;  // "cuda:0", in the order given
};

/// Groups the paths by device, in the order of each device's first path.
std::vector<PhysicalDevice> physical_devices(std::span<const AccessPath> paths);

MUSTER_API_END
}  // namespace muster
