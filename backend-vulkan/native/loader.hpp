// loader.hpp - the Vulkan loader, libvulkan, opened when it is first needed; and tables of its functions.
//
// Once opened it stays open: drivers that it loaded can't be unloaded safely. That there is none is not remembered.
// Threads: any.
#pragma once

#include <cstdint>

#include <muster/backend-vulkan/native/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

/// Opens the loader and gives the version of Vulkan that it knows. Errors: unavailable, where there is no loader, or one
/// that knows no Vulkan 1.1.
Result<std::uint32_t> open_loader();

/// The functions of an instance that this backend calls. A value, so that a test can put its own in their place.
struct InstanceTable {
    PFN_vkDestroyInstance vkDestroyInstance = nullptr;
    PFN_vkEnumeratePhysicalDevices vkEnumeratePhysicalDevices = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties vkEnumerateDeviceExtensionProperties = nullptr;
    PFN_vkGetPhysicalDeviceProperties vkGetPhysicalDeviceProperties = nullptr;
    PFN_vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceProperties2 = nullptr;
    PFN_vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceFeatures2 = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties vkGetPhysicalDeviceMemoryProperties = nullptr;
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
