#include <array>

#include <fmt/format.h>

#include <muster/backend-vulkan/compile/debug_map.hpp>
#include <muster/backend-vulkan/compile/emit.hpp>
#include <muster/backend-vulkan/compile/load_data.hpp>
#include <muster/backend-vulkan/compile/tools.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/program_limits.hpp>

namespace muster::vulkan {
namespace {

// Limits of the devices in use. Vulkan itself guarantees less (128 invocations, 16 KiB), and a device may
// offer more: a module states its needs, and vkCreateComputePipelines decides.
constexpr DeviceLimits common_limits{.max_workgroup_size = {1024, 1024, 64},
                                     .max_workgroup_invocations = 1024,
                                     .max_workgroup_bytes = 32 << 10,
                                     .max_workgroups = {65535, 65535, 65535},
                                     .max_storage_binding_bytes = std::uint64_t{1} << 31,
                                     .max_uniform_binding_bytes = 1 << 16,
                                     .max_storage_bindings = 64,
                                     .max_uniform_bindings = 64,
                                     .max_private_bytes = 1 << 16};

// Vulkan allows division and square root errors of 2.5 ULP and more, and fma may round twice.
constexpr Exactness common_exactness{.round_to_nearest_even = Promise::promised,
                                     .signed_zero_inf_nan = Promise::promised};

constexpr FloatControls emitted_controls{.signed_zero_inf_nan_preserve = true, .rounding_rte = true};

// The size of most devices' subgroups. A host requires the size that the module was emitted for.
constexpr std::uint32_t usual_subgroup = 32;

Result<bool> parse_switch(std::string_view key, std::string_view value) {
    if (value != "yes" && value != "no")
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The compile spec {} is \"{}\", neither yes nor no.", key, value),
                    fmt::format("give {}=yes or leave it out", key));
    return value == "yes";
}

}  // namespace

std::span<const std::string> emission_formats() {
    static const std::array<std::string, 2> all{"spirv", "spirv-asm"};
    return all;
}

std::span<const SpecInfo> emission_specs() {
    static const std::array<SpecInfo, 1> all{
        {{"optimize", "yes: run spirv-opt's performance passes; else no"}}};
    return all;
}

std::string default_target() { return "vulkan1.2"; }

Result<Target> describe_target(std::string_view arch) {
    if (!parse_version(arch)) return no_such_target("Vulkan", arch, "vulkan1.1, vulkan1.2, vulkan1.3");
    Target target{.backend = "vulkan", .arch = std::string(arch)};
    target.limits = common_limits;
    target.ops = ops_with(arch == name(VulkanVersion::v1_3), arch != name(VulkanVersion::v1_1));
    target.scalars.set();
    target.exactness = common_exactness;
    if (arch == name(VulkanVersion::v1_1)) target.next = name(VulkanVersion::v1_2);
    if (arch == name(VulkanVersion::v1_2)) target.next = name(VulkanVersion::v1_3);
    if (arch == name(VulkanVersion::v1_3)) {
        target.subgroup_size = usual_subgroup;
        target.subgroup_sizes = {limits::least_subgroup, limits::most_subgroup};
    } else {
        target.no_subgroups = "their size can be required from the target vulkan1.3 on";
    }
    return target;
}

namespace {

/// Like compile_spirv() for a device of the target, whatever its driver does to long loops.
Result<Artifact> emit_to_load(const ValidProgram& program, const Target& target,
                              const CompileOptions& options) {
    LowerTarget lower_to{.version = parse_version(target.arch).value_or(VulkanVersion::v1_2),
                         .options = options,
                         .float_controls = emitted_controls,
                         .double_controls = emitted_controls,
                         .folds_grid = true,
                         .one_set = true,
                         .long_loops = LongLoops::refused,
                         .debug = false};
    auto module = lower(program, lower_to);
    const bool needs_long_loops = !module && module.error().code == ErrorCode::unsupported;
    lower_to.long_loops = LongLoops::run;
    if (needs_long_loops) module = lower(program, lower_to);
    if (!module) return std::unexpected(std::move(module).error());
    Artifact artifact = make_artifact(program, options);
    artifact.bytes = artifact_bytes(module->words);
    artifact.format = "spirv";
    artifact.target = target.to_string();
    artifact.entry = module->entry;
    artifact.debug_map = std::move(module->debug_map);
    artifact.load_data = load_data({.module = *std::move(module), .needs_long_loops = needs_long_loops});
    return artifact;
}

}  // namespace

Result<Artifact> emit_module(const ValidProgram& program, const Target& target, const EmitRequest& request) {
    if (request.to_load) return emit_to_load(program, target, request.options);
    bool optimized = false;
    for (const auto& [key, value] : request.options.specs)
        if (key == "optimize") optimized = TRY(parse_switch(key, value));
    const VulkanVersion version = parse_version(target.arch).value_or(VulkanVersion::v1_2);
    SpirvModule module = TRY(lower(program, {.version = version,
                                             .options = request.options,
                                             .float_controls = emitted_controls,
                                             .double_controls = emitted_controls}));
    if (optimized) {
        module.words = TRY(optimise(module.words, version));
        module.debug_map = map_lines(program, module.words);
    }
    Artifact artifact = make_artifact(program, request.options);
    for (std::size_t i = 0; i < artifact.bindings.size();
         ++i)  // what a host binds, whatever the program says
        if (module.bindings[i].kind == BindingKind::storage_buffer)
            artifact.bindings[i].space = AddressSpace::storage;
    artifact.format = request.format.empty() ? emission_formats().front() : request.format;
    if (request.format == "spirv-asm") {
        artifact.bytes = artifact_bytes(TRY(disassemble(module.words, version)));
        artifact.debug_map = in_lines(module.debug_map, module.words);
    } else {
        artifact.bytes = artifact_bytes(module.words);
        artifact.debug_map = std::move(module.debug_map);
    }
    artifact.target = target.to_string();
    artifact.entry = module.entry;
    return artifact;
}

}  // namespace muster::vulkan
