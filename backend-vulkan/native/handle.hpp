// handle.hpp - owners of Vulkan objects (unique_handle.hpp).
#pragma once

#include <muster/backend-vulkan/native/logical_device.hpp>
#include <muster/driver/support/unique_handle.hpp>

namespace muster::vulkan {

template <class T, auto function>
void destroy(const LogicalDevice& device, T handle) {
    (device.table().*function)(device.handle(), handle, nullptr);
}
template <class T, auto function>
using Unique = UniqueHandle<T, LogicalDevice, destroy<T, function>>;

using UniqueBuffer = Unique<VkBuffer, &VolkDeviceTable::vkDestroyBuffer>;
using UniqueCommandPool = Unique<VkCommandPool, &VolkDeviceTable::vkDestroyCommandPool>;
using UniqueDescriptorPool = Unique<VkDescriptorPool, &VolkDeviceTable::vkDestroyDescriptorPool>;
using UniqueDescriptorSetLayout =
    Unique<VkDescriptorSetLayout, &VolkDeviceTable::vkDestroyDescriptorSetLayout>;
using UniqueFence = Unique<VkFence, &VolkDeviceTable::vkDestroyFence>;
using UniqueMemory = Unique<VkDeviceMemory, &VolkDeviceTable::vkFreeMemory>;
using UniquePipeline = Unique<VkPipeline, &VolkDeviceTable::vkDestroyPipeline>;
using UniquePipelineCache = Unique<VkPipelineCache, &VolkDeviceTable::vkDestroyPipelineCache>;
using UniquePipelineLayout = Unique<VkPipelineLayout, &VolkDeviceTable::vkDestroyPipelineLayout>;
using UniqueQueryPool = Unique<VkQueryPool, &VolkDeviceTable::vkDestroyQueryPool>;
using UniqueSemaphore = Unique<VkSemaphore, &VolkDeviceTable::vkDestroySemaphore>;
using UniqueShaderModule = Unique<VkShaderModule, &VolkDeviceTable::vkDestroyShaderModule>;

/// A pool for the device's queue, whose command buffers are reset one by one. Errors: out_of_memory.
Result<UniqueCommandPool> make_command_pool(const LogicalDevice& device);
/// A command buffer, freed with its pool. Errors: out_of_memory.
Result<VkCommandBuffer> make_commands(const LogicalDevice& device, VkCommandPool pool);
/// Ends the recording; after an error it can begin again.
Result<void> end_commands(const LogicalDevice& device, VkCommandBuffer commands);

}  // namespace muster::vulkan
