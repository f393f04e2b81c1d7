#include <muster/backend-vulkan/native/check.hpp>

namespace muster::vulkan {
namespace {

using enum ErrorCode;

constexpr const char* less_memory = "use less memory at once";
constexpr const char* another_driver = "update the device's driver, or use another device";

constexpr NativeCode codes[] = {
    {VK_TIMEOUT, "VK_TIMEOUT", timed_out, "wait longer"},
    {VK_NOT_READY, "VK_NOT_READY", timed_out, "wait longer"},
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY", out_of_memory, less_memory},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY", out_of_memory, less_memory},
    {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY", out_of_memory, less_memory},
    {VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL", out_of_memory, less_memory},
    {VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION", out_of_memory, less_memory},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS", out_of_memory, less_memory},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED", out_of_memory, less_memory},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST", device_lost, "open a new session"},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", unavailable, another_driver},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER", unavailable, another_driver},
    {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT", unavailable, "install the layer"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT", unsupported, another_driver},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT", unsupported, another_driver},
    {VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV", compile_failed, another_driver},
};

}  // namespace

std::optional<Error> translate(VkResult result) {
    if (result == VK_SUCCESS) return std::nullopt;
    return native_error("Vulkan", codes, result, "VkResult", another_driver);
}

}  // namespace muster::vulkan
