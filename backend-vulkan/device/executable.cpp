#include <atomic>
#include <vector>

#include <muster/backend-vulkan/compile/load_data.hpp>
#include <muster/backend-vulkan/device/executable.hpp>
#include <muster/backend-vulkan/native/check.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/words.hpp>

namespace muster::vulkan {
namespace {

/// The layout of an artifact from elsewhere: that of lower() without folds_grid and one_set.
SpirvModule as_emitted(const Artifact& artifact) {
    SpirvModule module;
    module.entry = artifact.entry;
    for (const BindingLayout& one : artifact.bindings)
        module.bindings.push_back({.kind = one.space == AddressSpace::uniform ? BindingKind::uniform_buffer
                                                                              : BindingKind::storage_buffer,
                                   .set = one.group,
                                   .binding = one.binding});
    return module;
}

/// The data that code of another process is loaded with.
Result<LoadData> stored_data(const LogicalDevice& device, const Artifact& artifact) {
    if (artifact.load_data.empty()) return LoadData{.module = as_emitted(artifact)};
    LoadData data = TRY(read_load_data(artifact.load_data));
    if (data.needs_long_loops && device.physical().long_loops != LongLoops::run)
        return fail(ErrorCode::unsupported,
                    "The kernel has loops that may run long, its code doesn't watch them, and this device's "
                    "driver ends "
                    "such loops.",
                    "compile it on this machine");
    return data;
}

Result<UniqueShaderModule> make_shader(const LogicalDevice& device, const Artifact& artifact) {
    const std::vector<std::uint32_t> words = words_in(artifact.bytes);
    const VkShaderModuleCreateInfo info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                        .codeSize = words.size() * sizeof(std::uint32_t),
                                        .pCode = words.data()};
    UniqueShaderModule shader(device);
    TRY(check("vkCreateShaderModule", [&] {
        return device.table().vkCreateShaderModule(device.handle(), &info, nullptr, shader.out());
    }));
    return shader;
}

Result<void> make_layout(const LogicalDevice& device, PipelineExecutable& executable) {
    const VkPushConstantRange range{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                    .size = executable.push_constant_bytes};
    const auto layouts = executable.descriptors.layouts();
    const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .setLayoutCount = static_cast<std::uint32_t>(layouts.size()),
                                          .pSetLayouts = layouts.data(),
                                          .pushConstantRangeCount = range.size != 0 ? 1u : 0u,
                                          .pPushConstantRanges = &range};
    return check("vkCreatePipelineLayout", [&] {
        return device.table().vkCreatePipelineLayout(device.handle(), &info, nullptr,
                                                     executable.layout.out());
    });
}

/// How a pipeline states the size of its subgroups.
struct SubgroupStage {
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    const void* next = nullptr;
    VkPipelineShaderStageCreateFlags flags = 0;

    SubgroupStage(const Subgroups& subgroups, const Artifact& artifact) {
        size.requiredSubgroupSize = artifact.options.subgroup_size;
        if (size.requiredSubgroupSize == 0) return;
        if (subgroups.is_required) next = &size;
        if (artifact.workgroup_size.count() % size.requiredSubgroupSize == 0)
            flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
    SubgroupStage(const SubgroupStage&) = delete;
    SubgroupStage& operator=(const SubgroupStage&) = delete;
};

/// Creates the pipeline; a refusal by the driver's compiler becomes compile_failed,
/// unless it ran out of memory.
Result<void> make_pipeline(const LogicalDevice& device, VkPipelineCache cache, VkShaderModule shader,
                           const std::string& entry, const SubgroupStage& subgroups,
                           PipelineExecutable& executable) {
    const VkComputePipelineCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = subgroups.next,
                  .flags = subgroups.flags,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = shader,
                  .pName = entry.c_str()},
        .layout = executable.layout.get()};
    auto made = check("vkCreateComputePipelines", [&] {
        return device.table().vkCreateComputePipelines(device.handle(), cache, 1, &info, nullptr,
                                                       executable.pipeline.out());
    });
    if (made || made.error().code == ErrorCode::out_of_memory || made.error().code == ErrorCode::device_lost)
        return made;
    made.error().code = ErrorCode::compile_failed;
    return made;
}

}  // namespace

std::uint64_t PipelineExecutable::next_serial() {
    static constinit std::atomic<std::uint64_t> made{0};
    return ++made;
}

PipelineExecutable::~PipelineExecutable() {
    if (pipeline.get() == VK_NULL_HANDLE) return;  // nothing uses it, and others may submit
    device_.wait_idle();
}

Result<std::unique_ptr<Executable>> load_pipeline(const LogicalDevice& device, VkPipelineCache cache,
                                                  const Artifact& artifact) {
    if (artifact.format != "spirv") return not_loadable("Vulkan", "SPIR-V", artifact.format);
    const LoadData elsewhere = artifact.in_process ? LoadData{} : TRY(stored_data(device, artifact));
    const SpirvModule& module =
        artifact.in_process ? *static_cast<const SpirvModule*>(artifact.in_process.get()) : elsewhere.module;
    auto executable = std::make_unique<PipelineExecutable>(device);
    executable->origin_offset = module.origin_offset;
    executable->grid_offset = module.grid_offset;
    executable->push_constant_bytes = module.push_constant_bytes;
    executable->watched_loops = module.watched_loops;
    std::vector<SpirvBinding> bindings = module.bindings;
    if (module.watched_loops) bindings.push_back(module.watched_loops->report);
    TRY(executable->descriptors.create(bindings));
    TRY(make_layout(device, *executable));
    const UniqueShaderModule shader = TRY(make_shader(device, artifact));
    TRY(make_pipeline(device, cache, shader.get(), module.entry,
                      SubgroupStage(device.physical().subgroups, artifact), *executable));
    return executable;
}

}  // namespace muster::vulkan
