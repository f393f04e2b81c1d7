// physical_devices.hpp - one device of the machine reached by several backends, or twice by one, told by its UUID.
//
//     for (const PhysicalDevice& device : physical_devices(paths))
//         if (device.paths.size() > 1) ...    // "cuda:0", "vulkan:0": one GPU, two ways to it
//
// Nothing is dropped for it: each way is a candidate of its own, in routing as in listings. Threads: any.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/device_info.hpp>

namespace muster {

/// A way to a device: what a backend calls its own.
struct AccessPath {
    std::string backend;
    DeviceInfo device;
    std::string id() const { return backend + ":" + std::to_string(device.ordinal); }
};

struct PhysicalDevice {
    std::string name;                // as the first way calls it
    Uuid uuid{};                     // all zero where unknown: then it has one way
    std::vector<std::string> paths;  // "cuda:0", in the order given
};

/// In the order of their first ways.
std::vector<PhysicalDevice> physical_devices(std::span<const AccessPath> paths);

}  // namespace muster
