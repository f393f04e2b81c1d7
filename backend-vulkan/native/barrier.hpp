// barrier.hpp - the barrier that ends each submission: everything later, on the device and
// the host, sees its effects.
//
// Submissions run in order and each ends with this barrier, so none needs to begin with one.
#pragma once

#include <muster/backend-vulkan/native/api.hpp>

namespace muster::vulkan {

/// Makes what `stage` wrote visible to kernels, copies and the host; what it read may be overwritten.
inline void order_after(const VolkDeviceTable& table, VkCommandBuffer commands, VkPipelineStageFlags stage,
                        VkAccessFlags written) {
    const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = written,
                                  .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                   VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                                                   VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
    table.vkCmdPipelineBarrier(
        commands, stage,
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0,
        1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace muster::vulkan
