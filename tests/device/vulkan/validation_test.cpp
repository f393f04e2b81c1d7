// The validation layer that watches all other tests is on, and so is its synchronisation validation.
#include <algorithm>

#include <support/vulkan_validation.hpp>

#include <muster/backend-vulkan/device/block.hpp>
#include <muster/backend-vulkan/native/check.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::vulkan;

namespace {

/// Fills one buffer twice without a barrier in between.
Result<void> race() {
    const auto instance = TRY(Instance::process());
    const auto device = TRY(LogicalDevice::open(instance, TRY(physical_devices(*instance)).front()));
    const VolkDeviceTable& table = device->table();
    const auto block = TRY(Block::make(*device, 1024, device_memory));
    UniqueCommandPool pool(*device);
    const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .queueFamilyIndex = device->physical().queue.family};
    TRY(check("vkCreateCommandPool",
              [&] { return table.vkCreateCommandPool(device->handle(), &pool_info, nullptr, pool.out()); }));
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool.get(),
                                           .commandBufferCount = 1};
    TRY(check("vkAllocateCommandBuffers",
              [&] { return table.vkAllocateCommandBuffers(device->handle(), &info, &commands); }));
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    TRY(check("vkBeginCommandBuffer", [&] { return table.vkBeginCommandBuffer(commands, &begin); }));
    for (const std::uint32_t value : {1u, 2u})
        table.vkCmdFillBuffer(commands, block->buffer.get(), 0, 1024, value);
    return check("vkEndCommandBuffer", [&] { return table.vkEndCommandBuffer(commands); });
}

}  // namespace

TEST_CASE("the layer sees a write that races with another") {
    const auto raced = race();
    if (!raced) FAIL(raced.error().to_string());
    const auto messages = test::take_validation_messages();
    CHECK(std::ranges::any_of(messages, [](const std::string& message) {
        return message.find("SYNC-HAZARD-WRITE-AFTER-WRITE") != std::string::npos;
    }));
}
