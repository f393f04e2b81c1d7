// logical_device.hpp - a VkDevice: opened with what it has of what we use, and its functions.
//
// Threads: reads; who submits to the queue sees to it that nobody else does (timeline.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include <muster/backend-vulkan/native/physical_device.hpp>

namespace muster::vulkan {

class LogicalDevice {
  public:
    static Result<std::unique_ptr<LogicalDevice>> open(std::shared_ptr<const Instance> instance,
                                                       PhysicalDevice physical);
    /// Precondition: nothing of it is in use, and all that was created on it is destroyed.
    ~LogicalDevice();
    LogicalDevice(const LogicalDevice&) = delete;
    LogicalDevice& operator=(const LogicalDevice&) = delete;

    VkDevice handle() const { return handle_; }
    VkQueue queue() const { return queue_; }
    const VolkDeviceTable& table() const { return table_; }
    const PhysicalDevice& physical() const { return physical_; }
    const VkPhysicalDeviceLimits& limits() const { return physical_.properties.limits; }

  private:
    LogicalDevice(std::shared_ptr<const Instance> instance, PhysicalDevice physical, VkDevice handle);
    std::shared_ptr<const Instance> instance_;
    PhysicalDevice physical_;
    VkDevice handle_;
    VolkDeviceTable table_;
    VkQueue queue_ = VK_NULL_HANDLE;
};

}  // namespace muster::vulkan
