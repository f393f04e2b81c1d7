// physical_device.hpp - what a device says of itself: asked once, plain values after.
//
// Nothing of what a device may lack is assumed: what isn't promised here isn't used. Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/backend-vulkan/native/instance.hpp>
#include <muster/driver/contract/device_info.hpp>

namespace muster::vulkan {

struct QueueChoice {
    std::uint32_t family = 0;
    std::uint32_t timestamp_bits = 0;  // that its timestamps have; 0: it has none
};
/// The family to submit to: one for computing alone where there is one, since it runs beside what else the machine
/// draws; else any that computes. None where none does.
std::optional<QueueChoice> choose_queue(std::span<const VkQueueFamilyProperties> families);

struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VulkanVersion version = VulkanVersion::v1_1;  // that device and instance both have
    VkPhysicalDeviceProperties properties{};
    std::array<std::uint8_t, VK_UUID_SIZE> uuid{};
    std::string driver;  // name and version, in the driver's words
    VkPhysicalDeviceMemoryProperties memory{};
    std::uint64_t max_allocation_bytes = 0;
    std::uint32_t subgroup_size = 1;
    FloatControls float_controls;
    QueueChoice queue;

    // Features that are used where they are there, and extensions to enable for them on devices whose version hasn't
    // got them in core.
    bool timeline_semaphores = false;
    bool zero_initialize_workgroup_memory = false;
    std::vector<const char*> extensions;

    /// Of its driver, as the sample shows (sample.hpp). Before that, and of a GPU, loops run to their end.
    LongLoops long_loops = LongLoops::run;

    /// The processor draws: memory is the host's, and so is the clock.
    bool is_processor() const { return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
};

/// Those that compute, in the loader's order: an ordinal is a place in this list. Errors: unavailable, where there is none,
/// with why each device that there is can't be used.
Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance);
/// The same with another table, for tests.
Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance, const InstanceTable& table);

/// As the driver wants it told. `exactness`: what is promised, and what was sampled (sample.hpp).
DeviceInfo device_info(const PhysicalDevice& device, std::uint32_t ordinal, const Exactness& exactness);
/// What the device promises by its float controls alone.
Exactness promised_exactness(const FloatControls& controls);

}  // namespace muster::vulkan
