// logical_device.hpp - a VkDevice, opened with the features that it has and we use, and its functions.
//
// Threads: any may read; Timeline ensures that one thread at a time submits to the queue.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <muster/backend-vulkan/native/physical_device.hpp>

namespace muster::vulkan {

class LogicalDevice {
  public:
    static Result<std::unique_ptr<LogicalDevice>> open(std::shared_ptr<const Instance> instance,
                                                       PhysicalDevice physical);
    /// Precondition: none of its objects is in use or left.
    ~LogicalDevice();
    LogicalDevice(const LogicalDevice&) = delete;
    LogicalDevice& operator=(const LogicalDevice&) = delete;

    VkDevice handle() const { return handle_; }
    /// Submits to the queue. Threads: any; Vulkan allows one at a time on a queue, so this
    /// and wait_idle() take turns.
    Result<void> submit(const VkSubmitInfo& info, VkFence fence) const;
    /// Waits for all that has been submitted; who submits meanwhile waits, too.
    void wait_idle() const;

    const VolkDeviceTable& table() const { return table_; }
    const PhysicalDevice& physical() const { return physical_; }
    const VkPhysicalDeviceLimits& limits() const { return physical_.properties.limits; }
    const Instance& instance() const { return *instance_; }

  private:
    LogicalDevice(std::shared_ptr<const Instance> instance, PhysicalDevice physical, VkDevice handle);
    std::shared_ptr<const Instance> instance_;
    PhysicalDevice physical_;
    VkDevice handle_;
    VolkDeviceTable table_;
    VkQueue queue_ = VK_NULL_HANDLE;
    mutable std::mutex queue_mutex_;
};

}  // namespace muster::vulkan
