#include <memory>

#include <fmt/format.h>

#include <muster/backend-vulkan/compile/compile.hpp>
#include <muster/backend-vulkan/compile/load_data.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {

LowerTarget lower_target(const PhysicalDevice& device, const CompileOptions& options) {
    return {.version = device.version,
            .options = options,
            .float_controls = device.float_controls,
            .double_controls = device.double_controls,
            .zero_initialize_workgroup_memory = device.zero_initialize_workgroup_memory,
            .folds_grid = true,
            .one_set = true,
            .push_constant_bytes = 0,
            .long_loops = device.long_loops,
            .subgroup_uniform_control_flow = device.subgroup_uniform_control_flow,
            .debug = false};
}

Result<Artifact> compile_spirv(const ValidProgram& program, const LowerTarget& target) {
    auto module = std::make_shared<SpirvModule>(TRY(lower(program, target)));
    Artifact artifact = make_artifact(program, target.options);
    artifact.bytes = artifact_bytes(module->words);
    artifact.format = "spirv";
    artifact.target = fmt::format("vulkan:{}", name(target.version));
    artifact.entry = module->entry;
    artifact.debug_map = std::move(module->debug_map);
    module->words = std::vector<std::uint32_t>();  // frees them, as {} does not: the artifact has them
    artifact.load_data = load_data({.module = *module});
    artifact.in_process = std::move(module);
    return artifact;
}

}  // namespace muster::vulkan
