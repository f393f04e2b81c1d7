#include <utility>

#include <muster/backend-vulkan/native/check.hpp>
#include <muster/backend-vulkan/native/logical_device.hpp>

namespace muster::vulkan {

Result<std::unique_ptr<LogicalDevice>> LogicalDevice::open(std::shared_ptr<const Instance> instance,
                                                           PhysicalDevice physical) {
    constexpr float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueFamilyIndex = physical.queue.family,
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
        .shaderZeroInitializeWorkgroupMemory = VK_TRUE};
    VkPhysicalDeviceSubgroupSizeControlFeatures sizes{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
        .subgroupSizeControl = VK_TRUE,
        .computeFullSubgroups = VK_TRUE};
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR control_flow{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
        .shaderSubgroupUniformControlFlow = VK_TRUE};
    VkPhysicalDevice16BitStorageFeatures halves{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
        .storageBuffer16BitAccess = VK_TRUE,
        .uniformAndStorageBuffer16BitAccess = VK_TRUE};
    VkPhysicalDevice8BitStorageFeatures bytes{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
        .storageBuffer8BitAccess = VK_TRUE,
        .uniformAndStorageBuffer8BitAccess = VK_TRUE};
    VkPhysicalDeviceShaderIntegerDotProductFeatures products{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
        .shaderIntegerDotProduct = VK_TRUE};
    VkPhysicalDeviceShaderAtomicInt64Features atomics{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
        .shaderBufferInt64Atomics = VK_TRUE,
        .shaderSharedInt64Atomics = VK_TRUE};
    const VkPhysicalDeviceFeatures core{.shaderFloat64 = physical.float64, .shaderInt64 = physical.int64};
    void* features = nullptr;
    const auto enable = [&](bool has, auto& feature) {
        if (!has) return;
        feature.pNext = features;
        features = &feature;
    };
    enable(physical.half_words, halves);
    enable(physical.bytes, bytes);
    enable(physical.wide_atomics, atomics);
    enable(physical.packed_products, products);
    enable(physical.timeline_semaphores, timeline);
    enable(physical.zero_initialize_workgroup_memory, zero);
    enable(physical.subgroup_size_control, sizes);
    enable(physical.subgroup_uniform_control_flow, control_flow);
    const VkDeviceCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = static_cast<std::uint32_t>(physical.extensions.size()),
        .ppEnabledExtensionNames = physical.extensions.data(),
        .pEnabledFeatures = &core};
    VkDevice handle = VK_NULL_HANDLE;
    TRY(check("vkCreateDevice",
              [&] { return instance->table().vkCreateDevice(physical.handle, &info, nullptr, &handle); }));
    return std::unique_ptr<LogicalDevice>(
        new LogicalDevice(std::move(instance), std::move(physical), handle));
}

LogicalDevice::LogicalDevice(std::shared_ptr<const Instance> instance, PhysicalDevice physical,
                             VkDevice handle)
    : instance_(std::move(instance)),
      physical_(std::move(physical)),
      handle_(handle),
      table_(functions_of(handle)) {
    table_.vkGetDeviceQueue(handle_, physical_.queue.family, 0, &queue_);
}

LogicalDevice::~LogicalDevice() { table_.vkDestroyDevice(handle_, nullptr); }

Result<void> LogicalDevice::submit(const VkSubmitInfo& info, VkFence fence) const {
    const std::lock_guard lock(queue_mutex_);
    return check("vkQueueSubmit", [&] { return table_.vkQueueSubmit(queue_, 1, &info, fence); });
}

void LogicalDevice::wait_idle() const {
    const std::lock_guard lock(queue_mutex_);
    (void)table_.vkDeviceWaitIdle(handle_);
}

}  // namespace muster::vulkan
