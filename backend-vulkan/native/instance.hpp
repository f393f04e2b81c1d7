// instance.hpp - a VkInstance: the way from the loader to the devices.
//
// One per process, shared by all backends and devices, created at first use and kept: creation loads every driver,
// which takes tens of milliseconds. Threads: any.
#pragma once

#include <cstdint>
#include <memory>

#include <muster/backend-vulkan/native/loader.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

class Instance {
  public:
    /// A new one. Errors: not_found (no loader, no working driver), unavailable (too old a loader, no validation
    /// layer), out_of_memory.
    static Result<std::shared_ptr<const Instance>> create();
    /// The process's instance. An error isn't remembered.
    static Result<std::shared_ptr<const Instance>> process();
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return handle_; }
    const InstanceTable& table() const { return table_; }
    /// The version of Vulkan that it was created for, at most 1.3. A device may support less.
    std::uint32_t version() const { return version_; }

  private:
    Instance(VkInstance handle, std::uint32_t version);
    VkInstance handle_;
    InstanceTable table_;
    std::uint32_t version_;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

}  // namespace muster::vulkan
