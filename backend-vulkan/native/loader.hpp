// loader.hpp - the Vulkan loader, libvulkan, opened at first use, and tables of its functions.
//
// Once opened it stays open: the drivers that it loads can't be unloaded safely. A missing loader isn't
// remembered. Threads: any.
#pragma once

#include <cstdint>

#include <muster/backend-vulkan/native/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

/// Opens the loader and returns the version of Vulkan that it supports. Errors: not_found if there is no
/// loader; unavailable if it is older than Vulkan 1.1.
Result<std::uint32_t> open_loader();

/// The instance's functions that this backend calls. A plain value, so that a test can replace them.
struct InstanceTable {
    PFN_vkDestroyInstance vkDestroyInstance = nullptr;
    PFN_vkEnumeratePhysicalDevices vkEnumeratePhysicalDevices = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties vkEnumerateDeviceExtensionProperties = nullptr;
    PFN_vkGetPhysicalDeviceProperties vkGetPhysicalDeviceProperties = nullptr;
    PFN_vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceProperties2 = nullptr;
    PFN_vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceFeatures2 = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties vkGetPhysicalDeviceMemoryProperties = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties2 vkGetPhysicalDeviceMemoryProperties2 = nullptr;
    PFN_vkGetPhysicalDeviceExternalBufferProperties vkGetPhysicalDeviceExternalBufferProperties = nullptr;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties vkGetPhysicalDeviceQueueFamilyProperties = nullptr;
    PFN_vkCreateDevice vkCreateDevice = nullptr;
    // Null unless VK_EXT_debug_utils is enabled:
    PFN_vkCreateDebugUtilsMessengerEXT vkCreateDebugUtilsMessengerEXT = nullptr;
    PFN_vkDestroyDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT = nullptr;
};

/// Preconditions: the loader is open; the instance or device exists.
InstanceTable functions_of(VkInstance instance);
VolkDeviceTable functions_of(VkDevice device);

}  // namespace muster::vulkan
