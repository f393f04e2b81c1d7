// physical_device.hpp - a device's own description: queried once, plain values from then on.
//
// Nothing optional is assumed: what isn't promised here isn't used. Threads: plain values.
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

/// The uses of each buffer.
inline constexpr VkBufferUsageFlags buffer_usage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

struct QueueChoice {
    std::uint32_t family = 0;
    std::uint32_t timestamp_bits = 0;  // valid bits of a timestamp; 0: no timestamps
};
/// The queue family to submit to: preferably one for compute without graphics, since it runs beside what the
/// machine draws; otherwise any with compute. None if there is none.
std::optional<QueueChoice> choose_queue(std::span<const VkQueueFamilyProperties> families);

/// The sizes and operations of subgroups, as the device reports them.
struct Subgroups {
    std::uint32_t usual = 1;   // the size of a pipeline that asks for none
    SubgroupSizes sizes;       // those that a pipeline may require; 0: the device doesn't tell
    bool is_required = false;  // a pipeline has to require its size, because it may vary otherwise
    std::uint32_t most = 0;    // of subgroups in a workgroup, where a size is required
    std::string missing;       // why kernels can't use them; empty if they can
};

struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VulkanVersion version = VulkanVersion::v1_1;  // supported by both device and instance
    VkPhysicalDeviceProperties properties{};
    std::array<std::uint8_t, VK_UUID_SIZE> uuid{};
    std::string driver;  // name and version, as the driver states them
    VkPhysicalDeviceMemoryProperties memory{};
    std::uint64_t max_allocation_bytes = 0;
    std::uint64_t import_alignment =
        0;  // of the host memory that it uses in place, address and size; 0: none
    Subgroups subgroups;
    FloatControls float_controls, double_controls;
    QueueChoice queue;

    // Optional features, and the extensions to enable for them on devices whose core version lacks them.
    bool timeline_semaphores = false;
    bool zero_initialize_workgroup_memory = false;
    bool subgroup_size_control = false;  // both features: required sizes, and full subgroups
    bool subgroup_uniform_control_flow = false;
    // Access to storage and uniform buffers that scalars of less than a word need.
    bool half_words = false, bytes = false;
    bool int64 = false, float64 = false;
    bool wide_atomics = false;     // of 64 bits, in buffers and shared memory
    bool packed_products = false;  // dot products of four bytes in a word
    std::vector<const char*> extensions;

    DeviceHardware hardware;
    bool tells_free_memory = false;

    /// The driver's treatment of long loops, as sampled (sample.hpp). Until then, and for
    /// GPUs, they run to their end.
    LongLoops long_loops = LongLoops::run;

    /// True if the device is the processor itself: memory and clock are the host's.
    bool is_processor() const { return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
    /// True if the host's memory is the device's own. Others reach it through a bus, which a copy crosses
    /// once and kernels cross at each access.
    bool shares_memory() const {
        return is_processor() || properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    }
};

/// The usable devices, in the loader's order; the ordinal is the index. Errors: not_found if there is no
/// device; unavailable if none can be used, with a reason for each.
Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance);
/// Overload with another table, for tests.
Result<std::vector<PhysicalDevice>> physical_devices(const Instance& instance, const InstanceTable& table);

/// The device's free memory now; none if its driver doesn't tell.
std::optional<std::uint64_t> free_memory(const InstanceTable& table, const PhysicalDevice& device);

/// The subgroups of a device that says this of them. A version without `sizes` leaves them zero.
Subgroups subgroups_of(const VkPhysicalDeviceLimits& vk, const VkPhysicalDeviceSubgroupProperties& has,
                       const VkPhysicalDeviceSubgroupSizeControlProperties& sizes);

/// The device's description for the driver. `exactness`: what is promised, and what was sampled (sample.hpp).
DeviceInfo device_info(const PhysicalDevice& device, std::uint32_t ordinal, const Exactness& exactness);
/// The exactness that the device promises by float controls alone.
Exactness promised_exactness(const FloatControls& controls);

}  // namespace muster::vulkan
