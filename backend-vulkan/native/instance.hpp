// instance.hpp - a VkInstance: what leads from the loader to the devices.
//
// One per process, shared by all backends and devices, created when first asked for and kept: creating one loads every
// driver, tens of milliseconds. Threads: any.
#pragma once

#include <cstdint>
#include <memory>

#include <muster/backend-vulkan/native/loader.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

class Instance {
  public:
    /// A new one. Errors: unavailable (no loader, no driver that works, no validation layer), out_of_memory.
    static Result<std::shared_ptr<const Instance>> create();
    /// The process's. An error isn't remembered.
    static Result<std::shared_ptr<const Instance>> process();
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    VkInstance handle() const { return handle_; }
    const InstanceTable& table() const { return table_; }
    /// Of Vulkan: what it was created for, at most 1.3. A device may know less.
    std::uint32_t version() const { return version_; }

  private:
    Instance(VkInstance handle, std::uint32_t version);
    VkInstance handle_;
    InstanceTable table_;
    std::uint32_t version_;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

}  // namespace muster::vulkan
