// handle.hpp - owners of Vulkan objects.
//
//     UniqueFence fence(device);
//     TRY(check("vkCreateFence", [&] { return table.vkCreateFence(device.handle(), &info, nullptr, fence.out()); }));
//
// The owner destroys its object, before the device. Threads: plain movable values.
#pragma once

#include <utility>

#include <muster/backend-vulkan/native/logical_device.hpp>

namespace muster::vulkan {

template <class T, auto destroy>
class Unique {
  public:
    Unique() = default;
    explicit Unique(const LogicalDevice& device) : device_(&device) {}
    Unique(Unique&& other) noexcept
        : device_(other.device_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)) {}
    Unique& operator=(Unique&& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Unique() {
        if (handle_ != VK_NULL_HANDLE) (device_->table().*destroy)(device_->handle(), handle_, nullptr);
    }
    T get() const { return handle_; }
    /// Address for the handle that a call creates. Precondition: the owner has none yet.
    T* out() { return &handle_; }

  private:
    const LogicalDevice* device_ = nullptr;
    T handle_ = VK_NULL_HANDLE;
};

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

}  // namespace muster::vulkan
