// A batch records a barrier behind each launch and each transfer, so that the next sees what it wrote. The validation
// layer (1.3.239 of Debian 12) doesn't report a missing one, and lavapipe runs one after the other anyway.
#include <string>

#include <muster/backend-vulkan/compile/compile.hpp>
#include <muster/backend-vulkan/device/batch.hpp>
#include <muster/backend-vulkan/native/check.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::vulkan;

namespace {

PFN_vkCmdDispatch dispatch = nullptr;
PFN_vkCmdCopyBuffer copy = nullptr;
PFN_vkCmdFillBuffer fill = nullptr;
PFN_vkCmdPipelineBarrier barrier = nullptr;
std::string
    recorded;  // D: a launch, C: a copy, F: a fill, B: a barrier that orders all after a launch, T: after a transfer

void VKAPI_CALL note_dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    recorded += 'D';
    dispatch(commands, x, y, z);
}

void VKAPI_CALL note_copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::uint32_t count,
                          const VkBufferCopy* ranges) {
    recorded += 'C';
    copy(commands, from, to, count, ranges);
}

void VKAPI_CALL note_fill(VkCommandBuffer commands, VkBuffer to, VkDeviceSize offset, VkDeviceSize bytes,
                          std::uint32_t word) {
    recorded += 'F';
    fill(commands, to, offset, bytes, word);
}

void VKAPI_CALL note_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                             VkDependencyFlags flags, std::uint32_t count, const VkMemoryBarrier* all,
                             std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers,
                             std::uint32_t image_count, const VkImageMemoryBarrier* images) {
    constexpr VkPipelineStageFlags kernels = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                   transfers = VK_PIPELINE_STAGE_TRANSFER_BIT;
    constexpr VkAccessFlags all_uses = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                       VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    const auto orders = [&](VkPipelineStageFlags stage, VkAccessFlags written) {
        return (from & stage) != 0 && (~to & (kernels | transfers)) == 0 && count == 1 &&
               (all->srcAccessMask & written) != 0 && (~all->dstAccessMask & all_uses) == 0;
    };
    if (orders(kernels, VK_ACCESS_SHADER_WRITE_BIT)) recorded += 'B';
    if (orders(transfers, VK_ACCESS_TRANSFER_WRITE_BIT)) recorded += 'T';
    barrier(commands, from, to, flags, count, all, buffer_count, buffers, image_count, images);
}

Result<void> record_some() {
    const auto instance = TRY(Instance::process());
    const auto device = TRY(LogicalDevice::open(instance, TRY(physical_devices(*instance)).front()));
    auto& table = const_cast<VolkDeviceTable&>(device->table());  // the object itself isn't const
    dispatch = std::exchange(table.vkCmdDispatch, note_dispatch);
    copy = std::exchange(table.vkCmdCopyBuffer, note_copy);
    fill = std::exchange(table.vkCmdFillBuffer, note_fill);
    barrier = std::exchange(table.vkCmdPipelineBarrier, note_barrier);

    const auto artifact =
        TRY(compile_spirv(test::valid(IrBuilder("empty", {1, 1, 1})), lower_target(device->physical(), {})));
    const auto executable = TRY(load_pipeline(*device, VK_NULL_HANDLE, artifact));
    const auto& pipeline = static_cast<const PipelineExecutable&>(*executable);
    UniqueCommandPool pool(*device);
    const VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                       .queueFamilyIndex = device->physical().queue.family};
    TRY(check("vkCreateCommandPool",
              [&] { return table.vkCreateCommandPool(device->handle(), &info, nullptr, pool.out()); }));
    const auto batch = TRY(Batch::make(*device, pool.get(), false));
    const LaunchRecipe launch{.executable = &pipeline,
                              .serial = pipeline.serial,
                              .sets = TRY(pipeline.descriptors.find({}, 0)),
                              .origin = {0, 0, 0}};
    const auto block = TRY(Block::make(*device, 1024, device_memory));
    const VkBuffer buffer = block->buffer.get();
    const TransferRecipe copying{.from = buffer, .to = buffer, .to_offset = 512, .bytes = 64},
        filling{.to = buffer, .bytes = 8, .word = 5};
    TRY(batch->begin());
    for (const Recipe& recipe :
         {Recipe{launch}, Recipe{launch}, Recipe{copying}, Recipe{filling}, Recipe{launch}})
        TRY(batch->add(recipe, nullptr));
    return batch->end();
}

}  // namespace

TEST_CASE("each launch and each transfer of a batch is followed by a barrier") {
    recorded.clear();
    const auto done = record_some();
    if (!done) FAIL(done.error().to_string());
    CHECK(recorded == "DBDBCTFTDB");
}
