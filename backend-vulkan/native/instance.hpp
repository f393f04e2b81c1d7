// instance.hpp - a VkInstance: the way from the loader to the devices.
//
// One per process, shared by all backends and devices, created at first use and kept: creation loads
// every driver, which takes tens of milliseconds. Once a device is given up in a kernel, devices
// that are opened later get another one: lavapipe's threads, which that kernel keeps busy, belong to
// an instance. Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <muster/backend-vulkan/native/loader.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

class Instance {
  public:
    /// A new one. Errors: not_found (no loader, no working driver), unavailable (too old a loader, no
    /// validation layer), out_of_memory.
    static Result<std::shared_ptr<const Instance>> create();
    /// The process's instance, one that isn't given up. An error isn't remembered.
    static Result<std::shared_ptr<const Instance>> process();
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return handle_; }
    const InstanceTable& table() const { return table_; }
    /// The version of Vulkan that it was created for, at most 1.3. A device may support less.
    std::uint32_t version() const { return version_; }

    /// Called when a device of this instance is given up while it runs a kernel.
    void give_up() const { is_given_up_.store(true, std::memory_order_relaxed); }
    bool is_given_up() const { return is_given_up_.load(std::memory_order_relaxed); }

  private:
    Instance(VkInstance handle, std::uint32_t version);
    VkInstance handle_;
    InstanceTable table_;
    std::uint32_t version_;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    mutable std::atomic<bool> is_given_up_{false};
};

}  // namespace muster::vulkan
