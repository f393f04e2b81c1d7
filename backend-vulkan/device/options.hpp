// options.hpp - options of the backend's devices, for tests.
#pragma once

#include <string>

namespace muster::vulkan {

/// Options that exercise each path on every machine.
struct VulkanOptions {
    std::string id = "vulkan";
    bool staged = false;      // copy as if the device had its own memory
    bool fences = false;      // as if the device had no timeline semaphores
    bool timestamps = false;  // measure by timestamps even if the device is the processor
};

}  // namespace muster::vulkan
