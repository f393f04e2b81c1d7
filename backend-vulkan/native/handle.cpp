#include <muster/backend-vulkan/native/check.hpp>
#include <muster/backend-vulkan/native/handle.hpp>

namespace muster::vulkan {

Result<UniqueCommandPool> make_command_pool(const LogicalDevice& device) {
    UniqueCommandPool pool(device);
    const VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                       .queueFamilyIndex = device.physical().queue.family};
    TRY(check("vkCreateCommandPool", [&] {
        return device.table().vkCreateCommandPool(device.handle(), &info, nullptr, pool.out());
    }));
    return pool;
}

Result<VkCommandBuffer> make_commands(const LogicalDevice& device, VkCommandPool pool) {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    TRY(check("vkAllocateCommandBuffers",
              [&] { return device.table().vkAllocateCommandBuffers(device.handle(), &info, &commands); }));
    return commands;
}

Result<void> end_commands(const LogicalDevice& device, VkCommandBuffer commands) {
    auto ended = check("vkEndCommandBuffer", [&] { return device.table().vkEndCommandBuffer(commands); });
    if (!ended) (void)device.table().vkResetCommandBuffer(commands, 0);  // otherwise it can't begin again
    return ended;
}

}  // namespace muster::vulkan
