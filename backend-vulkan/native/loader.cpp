#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include <muster/backend-vulkan/native/check.hpp>
#include <muster/backend-vulkan/native/loader.hpp>
#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/fork.hpp>

namespace muster::vulkan {
namespace {

/// Guards volk's global variables.
std::mutex& volk_mutex() {
    static auto* const all =
        new PerProcess<std::mutex>;  // never destroyed: devices may be in use until the process ends
    return all->get();
}
constinit std::atomic<bool> is_open = false;

}  // namespace

Result<std::uint32_t> open_loader() {
    const std::lock_guard lock(volk_mutex());
    if (!is_open) {
        if (auto why = why_no_driver("libvulkan.so.1")) return std::unexpected(*std::move(why));
        if (const auto opened = check("volkInitialize", volkInitialize); !opened)
            return fail(ErrorCode::not_found, "This machine has no Vulkan loader (libvulkan.so.1).",
                        "install it, and a driver (Debian: libvulkan1, mesa-vulkan-drivers)");
        is_open = true;
    }
    const std::uint32_t version = volkGetInstanceVersion();
    if (version < VK_API_VERSION_1_1)
        return fail(ErrorCode::unavailable,
                    fmt::format("The Vulkan loader knows Vulkan {}.{}, older than the 1.1 that is needed.",
                                VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version)),
                    "install a newer loader");
    return version;
}

InstanceTable functions_of(VkInstance instance) {
    const std::lock_guard lock(volk_mutex());
    volkLoadInstanceOnly(instance);
    return {
        .vkDestroyInstance = vkDestroyInstance,
        .vkEnumeratePhysicalDevices = vkEnumeratePhysicalDevices,
        .vkEnumerateDeviceExtensionProperties = vkEnumerateDeviceExtensionProperties,
        .vkGetPhysicalDeviceProperties = vkGetPhysicalDeviceProperties,
        .vkGetPhysicalDeviceProperties2 = vkGetPhysicalDeviceProperties2,
        .vkGetPhysicalDeviceFeatures2 = vkGetPhysicalDeviceFeatures2,
        .vkGetPhysicalDeviceMemoryProperties = vkGetPhysicalDeviceMemoryProperties,
        .vkGetPhysicalDeviceMemoryProperties2 = vkGetPhysicalDeviceMemoryProperties2,
        .vkGetPhysicalDeviceExternalBufferProperties = vkGetPhysicalDeviceExternalBufferProperties,
        .vkGetPhysicalDeviceQueueFamilyProperties = vkGetPhysicalDeviceQueueFamilyProperties,
        .vkCreateDevice = vkCreateDevice,
        .vkCreateDebugUtilsMessengerEXT = vkCreateDebugUtilsMessengerEXT,
        .vkDestroyDebugUtilsMessengerEXT = vkDestroyDebugUtilsMessengerEXT,
    };
}

VolkDeviceTable functions_of(VkDevice device) {
    const std::lock_guard lock(volk_mutex());
    VolkDeviceTable table{};
    volkLoadDeviceTable(&table, device);
    return table;
}

}  // namespace muster::vulkan
