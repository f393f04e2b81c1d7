// The peer's instance, device, queue and memory.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "raw.hpp"

namespace muster::bench {
namespace {

constexpr VkMemoryPropertyFlags host_memory =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags device_memory = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;

RawDeviceInfo describe(VkPhysicalDevice device, VkPhysicalDeviceType& type) {
    VkPhysicalDeviceDriverProperties driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceIDProperties id{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
                                    .pNext = &driver};
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    vkGetPhysicalDeviceProperties2(device, &all);
    type = all.properties.deviceType;
    RawDeviceInfo info{.name = all.properties.deviceName,
                       .driver = std::string(driver.driverName) + ' ' + driver.driverInfo};
    std::copy_n(id.deviceUUID, VK_UUID_SIZE, info.uuid.begin());
    return info;
}

}  // namespace

void must_vulkan(const char* call, VkResult result) {
    if (result == VK_SUCCESS) return;
    std::fprintf(stderr, "%s gives %d.\n", call, static_cast<int>(result));
    std::exit(1);
}

RawDevice::RawDevice(std::optional<std::array<std::uint8_t, VK_UUID_SIZE>> uuid) {
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                        .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pApplicationInfo = &application};
    must_vulkan("vkCreateInstance", vkCreateInstance(&info, nullptr, &instance_));
    choose(uuid);
    open();
}

void RawDevice::choose(std::optional<std::array<std::uint8_t, VK_UUID_SIZE>> uuid) {
    std::uint32_t count = 0;
    must_vulkan("vkEnumeratePhysicalDevices", vkEnumeratePhysicalDevices(instance_, &count, nullptr));
    std::vector<VkPhysicalDevice> devices(count);
    must_vulkan("vkEnumeratePhysicalDevices", vkEnumeratePhysicalDevices(instance_, &count, devices.data()));
    for (const VkPhysicalDevice device : devices) {
        info_ = describe(device, type_);
        physical_ = device;
        if (!uuid || info_.uuid == *uuid) return;
    }
    std::fprintf(stderr, "There is no such Vulkan device.\n");
    std::exit(1);
}

void RawDevice::open() {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
    const auto computes = std::ranges::find_if(
        families, [](const auto& one) { return (one.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; });
    if (computes == families.end()) must_vulkan("a queue that computes", VK_ERROR_FEATURE_NOT_PRESENT);
    family_ = static_cast<std::uint32_t>(computes - families.begin());
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueFamilyIndex = family_,
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queue};
    must_vulkan("vkCreateDevice", vkCreateDevice(physical_, &info, nullptr, &device_));
    vkGetDeviceQueue(device_, family_, 0, &queue_);
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
    const VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .queueFamilyIndex = family_};
    must_vulkan("vkCreateCommandPool", vkCreateCommandPool(device_, &pool, nullptr, &pool_));
    const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    must_vulkan("vkCreateFence", vkCreateFence(device_, &fence, nullptr, &fence_));
}

RawDevice::~RawDevice() {
    vkDestroyFence(device_, fence_, nullptr);
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroyDevice(device_, nullptr);
    vkDestroyInstance(instance_, nullptr);
}

RawBufferState::~RawBufferState() {
    vkDestroyBuffer(device.handle(), buffer, nullptr);
    vkFreeMemory(device.handle(), memory, nullptr);
}

bool RawDevice::shares_memory() const {
    return type_ == VK_PHYSICAL_DEVICE_TYPE_CPU || type_ == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

std::uint32_t RawDevice::memory_type(std::uint32_t fitting, VkMemoryPropertyFlags flags) const {
    for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i)
        if ((fitting >> i & 1) != 0 && (memory_.memoryTypes[i].propertyFlags & flags) == flags) return i;
    must_vulkan("a type of memory", VK_ERROR_FEATURE_NOT_PRESENT);
    return 0;
}

RawBuffer RawDevice::make_buffer(VkDeviceSize bytes, bool mapped) const {
    RawBuffer made(new RawBufferState{.device = *this, .bytes = bytes});
    const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                  .size = bytes,
                                  .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                           VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    must_vulkan("vkCreateBuffer", vkCreateBuffer(device_, &info, nullptr, &made->buffer));
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_, made->buffer, &needs);
    const VkMemoryPropertyFlags flags = mapped ? host_memory : device_memory;
    const VkMemoryAllocateInfo memory{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .allocationSize = needs.size,
                                      .memoryTypeIndex = memory_type(needs.memoryTypeBits, flags)};
    must_vulkan("vkAllocateMemory", vkAllocateMemory(device_, &memory, nullptr, &made->memory));
    must_vulkan("vkBindBufferMemory", vkBindBufferMemory(device_, made->buffer, made->memory, 0));
    if (mapped)
        must_vulkan("vkMapMemory", vkMapMemory(device_, made->memory, 0, VK_WHOLE_SIZE, 0, &made->mapped));
    return made;
}

RawBuffer RawDevice::buffer(VkDeviceSize bytes) const { return make_buffer(bytes, shares_memory()); }

void RawDevice::copy(const RawBuffer& from, const RawBuffer& to, VkDeviceSize bytes) const {
    const std::shared_ptr<RawCommandsState> copying(
        new RawCommandsState{.device = *this, .commands = begin()});
    const VkBufferCopy region{.size = bytes};
    vkCmdCopyBuffer(copying->commands, from->buffer, to->buffer, 1, &region);
    must_vulkan("vkEndCommandBuffer", vkEndCommandBuffer(copying->commands));
    submit(copying->commands);
}

void RawDevice::write(const RawBuffer& to, std::span<const std::byte> from) const {
    if (to->mapped != nullptr) {
        std::memcpy(to->mapped, from.data(), from.size());
        return;
    }
    const RawBuffer piece = make_buffer(from.size(), true);
    std::memcpy(piece->mapped, from.data(), from.size());
    copy(piece, to, from.size());
}

void RawDevice::read(const RawBuffer& from, std::span<std::byte> to) const {
    if (from->mapped != nullptr) {
        std::memcpy(to.data(), from->mapped, to.size());
        return;
    }
    const RawBuffer piece = make_buffer(to.size(), true);
    copy(from, piece, to.size());
    std::memcpy(to.data(), piece->mapped, to.size());
}

}  // namespace muster::bench
