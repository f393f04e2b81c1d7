// The peer's pipelines and command buffers.
#include "raw.hpp"

namespace muster::bench {
namespace {

std::vector<VkDescriptorSetLayoutBinding> storage_bindings(std::size_t count) {
    std::vector<VkDescriptorSetLayoutBinding> all;
    for (std::uint32_t i = 0; i < count; ++i)
        all.push_back({.binding = i,
                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                       .descriptorCount = 1,
                       .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT});
    return all;
}

void make_layouts(RawPassState& pass) {
    const VkDevice device = pass.device.handle();
    const auto bindings = storage_bindings(pass.buffers.size());
    const VkDescriptorSetLayoutCreateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .bindingCount = static_cast<std::uint32_t>(bindings.size()),
                                              .pBindings = bindings.data()};
    must_vulkan("vkCreateDescriptorSetLayout",
                vkCreateDescriptorSetLayout(device, &set, nullptr, &pass.set_layout));
    const VkPushConstantRange range{
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = static_cast<std::uint32_t>(pass.push.size() * sizeof(std::uint32_t))};
    const VkPipelineLayoutCreateInfo layout{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 1,
                                            .pSetLayouts = &pass.set_layout,
                                            .pushConstantRangeCount = pass.push.empty() ? 0u : 1u,
                                            .pPushConstantRanges = &range};
    must_vulkan("vkCreatePipelineLayout", vkCreatePipelineLayout(device, &layout, nullptr, &pass.layout));
}

void make_set(RawPassState& pass) {
    const VkDevice device = pass.device.handle();
    const auto count = static_cast<std::uint32_t>(pass.buffers.size());
    const VkDescriptorPoolSize size{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = count};
    const VkDescriptorPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = 1,
                                          .poolSizeCount = 1,
                                          .pPoolSizes = &size};
    must_vulkan("vkCreateDescriptorPool", vkCreateDescriptorPool(device, &pool, nullptr, &pass.pool));
    const VkDescriptorSetAllocateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                          .descriptorPool = pass.pool,
                                          .descriptorSetCount = 1,
                                          .pSetLayouts = &pass.set_layout};
    must_vulkan("vkAllocateDescriptorSets", vkAllocateDescriptorSets(device, &set, &pass.set));
    for (std::uint32_t i = 0; i < count; ++i) {
        const VkDescriptorBufferInfo buffer{pass.buffers[i]->buffer, 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                         .dstSet = pass.set,
                                         .dstBinding = i,
                                         .descriptorCount = 1,
                                         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                         .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    }
}

void order(VkCommandBuffer commands, VkPipelineStageFlags then, VkAccessFlags reads) {
    const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                  .dstAccessMask = reads};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, then, 0, 1, &barrier, 0, nullptr, 0,
                         nullptr);
}

void bind(VkCommandBuffer commands, const RawPassState& pass) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.layout, 0, 1, &pass.set, 0,
                            nullptr);
    if (!pass.push.empty())
        vkCmdPushConstants(commands, pass.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           static_cast<std::uint32_t>(pass.push.size() * sizeof(std::uint32_t)),
                           pass.push.data());
}

}  // namespace

VkPipeline RawDevice::pipeline(std::span<const std::uint32_t> spirv, VkPipelineLayout layout,
                               std::span<const std::uint32_t> specialised) const {
    const VkShaderModuleCreateInfo module{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = spirv.size_bytes(),
                                          .pCode = spirv.data()};
    VkShaderModule shader = VK_NULL_HANDLE;
    must_vulkan("vkCreateShaderModule", vkCreateShaderModule(device_, &module, nullptr, &shader));
    std::vector<VkSpecializationMapEntry> entries;
    for (std::uint32_t i = 0; i < specialised.size(); ++i) entries.push_back({i, 4 * i, 4});
    const VkSpecializationInfo constants{.mapEntryCount = static_cast<std::uint32_t>(entries.size()),
                                         .pMapEntries = entries.data(),
                                         .dataSize = specialised.size_bytes(),
                                         .pData = specialised.data()};
    const VkComputePipelineCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = shader,
                  .pName = "main",
                  .pSpecializationInfo = &constants},
        .layout = layout};
    VkPipeline made = VK_NULL_HANDLE;
    must_vulkan("vkCreateComputePipelines",
                vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &made));
    vkDestroyShaderModule(device_, shader, nullptr);
    return made;
}

RawPass RawDevice::pass(std::span<const std::uint32_t> spirv, std::vector<RawBuffer> buffers,
                        const RawShape& shape) const {
    const std::shared_ptr<RawPassState> made(new RawPassState{
        .device = *this, .buffers = std::move(buffers), .push = shape.push, .groups = shape.groups});
    make_layouts(*made);
    make_set(*made);
    made->pipeline = pipeline(spirv, made->layout, shape.specialised);
    return made;
}

RawPassState::~RawPassState() {
    vkDestroyPipeline(device.handle(), pipeline, nullptr);
    vkDestroyPipelineLayout(device.handle(), layout, nullptr);
    vkDestroyDescriptorPool(device.handle(), pool, nullptr);
    vkDestroyDescriptorSetLayout(device.handle(), set_layout, nullptr);
}

VkCommandBuffer RawDevice::begin() const {
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool_,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    must_vulkan("vkAllocateCommandBuffers", vkAllocateCommandBuffers(device_, &info, &commands));
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    must_vulkan("vkBeginCommandBuffer", vkBeginCommandBuffer(commands, &begin));
    return commands;
}

RawCommands RawDevice::record(std::vector<RawPass> passes, bool ordered) const {
    const std::shared_ptr<RawCommandsState> made(
        new RawCommandsState{.device = *this, .commands = begin(), .passes = std::move(passes)});
    for (std::size_t i = 0; i < made->passes.size(); ++i) {
        if (i != 0 && ordered)
            order(made->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
        const RawPass& pass = made->passes[i];
        if (i == 0 || pass != made->passes[i - 1]) bind(made->commands, *pass);
        vkCmdDispatch(made->commands, pass->groups[0], pass->groups[1], 1);
    }
    order(made->commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    must_vulkan("vkEndCommandBuffer", vkEndCommandBuffer(made->commands));
    return made;
}

RawCommandsState::~RawCommandsState() {
    vkFreeCommandBuffers(device.handle(), device.command_pool(), 1, &commands);
}

void RawDevice::submit(VkCommandBuffer commands) const {
    const VkSubmitInfo info{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    must_vulkan("vkQueueSubmit", vkQueueSubmit(queue_, 1, &info, fence_));
    must_vulkan("vkWaitForFences", vkWaitForFences(device_, 1, &fence_, VK_TRUE, UINT64_MAX));
    must_vulkan("vkResetFences", vkResetFences(device_, 1, &fence_));
}

void RawDevice::run(const RawCommands& commands) const { submit(commands->commands); }

}  // namespace muster::bench
