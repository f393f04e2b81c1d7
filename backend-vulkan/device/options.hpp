// options.hpp - how the backend treats devices: as they are, or as a test asks.
#pragma once

#include <string>

namespace muster::vulkan {

/// For tests, which want each way on every machine.
struct VulkanOptions {
    std::string id = "vulkan";
    bool staged = false;      // as if the device had memory of its own
    bool fences = false;      // as if it had no timeline semaphores
    bool timestamps = false;  // asked of the device even where it is the processor
};

}  // namespace muster::vulkan
