#include <string>

#include <fmt/format.h>

#include <muster/backend-vulkan/native/check.hpp>

namespace muster::vulkan {
namespace {

struct Meaning {
    VkResult result;
    const char* name;
    ErrorCode code;
    const char* fix;
};
constexpr const char* less_memory = "use less memory at once";
constexpr const char* another_driver = "update the device's driver, or use another device";

constexpr Meaning meanings[] = {
    {VK_TIMEOUT, "VK_TIMEOUT", ErrorCode::timed_out, "wait longer"},
    {VK_NOT_READY, "VK_NOT_READY", ErrorCode::timed_out, "wait longer"},
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY", ErrorCode::out_of_memory, less_memory},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY", ErrorCode::out_of_memory, less_memory},
    {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY", ErrorCode::out_of_memory, less_memory},
    {VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL", ErrorCode::out_of_memory, less_memory},
    {VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION", ErrorCode::out_of_memory, less_memory},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS", ErrorCode::out_of_memory, less_memory},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED", ErrorCode::out_of_memory, less_memory},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST", ErrorCode::device_lost, "open a new session"},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", ErrorCode::unavailable,
     another_driver},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER", ErrorCode::unavailable, another_driver},
    {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT", ErrorCode::unavailable, "install the layer"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT", ErrorCode::unsupported,
     another_driver},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT", ErrorCode::unsupported, another_driver},
    {VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV", ErrorCode::compile_failed, another_driver},
};

}  // namespace

std::optional<Error> translate(VkResult result) {
    if (result == VK_SUCCESS) return std::nullopt;
    for (const Meaning& row : meanings)
        if (row.result == result)
            return Error{row.code, fmt::format("Vulkan says: {}.", row.name), row.fix, {}};
    return Error{ErrorCode::internal,
                 fmt::format("Vulkan says: VkResult {}.", static_cast<int>(result)),
                 another_driver,
                 {}};
}

}  // namespace muster::vulkan
