// A batch records a barrier between two launches, so that the second sees what the first wrote. The validation
// layer (1.3.239 of Debian 12) doesn't report a missing one, and lavapipe runs one launch after the other
// anyway.
#include <string>

#include <muster/backend-vulkan/compile/compile.hpp>
#include <muster/backend-vulkan/device/batch.hpp>
#include <muster/backend-vulkan/native/check.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::vulkan;

namespace {

PFN_vkCmdDispatch dispatch = nullptr;
PFN_vkCmdPipelineBarrier barrier = nullptr;
std::string recorded;  // D: a launch, B: a barrier that orders kernels, b: any other

void VKAPI_CALL note_dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    recorded += 'D';
    dispatch(commands, x, y, z);
}

void VKAPI_CALL note_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                             VkDependencyFlags flags, std::uint32_t count, const VkMemoryBarrier* all,
                             std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers,
                             std::uint32_t image_count, const VkImageMemoryBarrier* images) {
    constexpr VkAccessFlags reads_and_writes = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    const bool orders = (from & to & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT) != 0 && count == 1 &&
                        (all->srcAccessMask & VK_ACCESS_SHADER_WRITE_BIT) != 0 &&
                        (all->dstAccessMask & reads_and_writes) == reads_and_writes;
    recorded += orders ? 'B' : 'b';
    barrier(commands, from, to, flags, count, all, buffer_count, buffers, image_count, images);
}

Result<void> record_three() {
    const auto instance = TRY(Instance::process());
    const auto device = TRY(LogicalDevice::open(instance, TRY(physical_devices(*instance)).front()));
    auto& table = const_cast<VolkDeviceTable&>(device->table());  // the object itself isn't const
    dispatch = std::exchange(table.vkCmdDispatch, note_dispatch);
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
    const Recipe recipe{.executable = &pipeline,
                        .serial = pipeline.serial,
                        .sets = TRY(pipeline.descriptors.find({}, 0)),
                        .origin = {0, 0, 0}};
    TRY(batch->begin());
    for (int i = 0; i < 3; ++i) TRY(batch->add(recipe, nullptr));
    return batch->end();
}

}  // namespace

TEST_CASE("each launch of a batch is followed by a barrier") {
    recorded.clear();
    const auto done = record_three();
    if (!done) FAIL(done.error().to_string());
    CHECK(recorded == "DBDBDB");
}
