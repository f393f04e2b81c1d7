// lower.hpp - a ValidProgram to SPIR-V words; structured control flow maps one to one,
// names and lines are kept.
//
//     LowerTarget target{.version = VulkanVersion::v1_2};
//     SpirvModule module = TRY(lower(program, target));   // module.words go to vkCreateShaderModule
//
// Pure: the same program and target give the same words; no loader, no device, no environment.
// Precondition: what the target lacks has been expanded (driver/routing/prepare.hpp): mathematics in exact
// mode; f32 division, square root and fma if its exactness says no. Every module passes spirv-val for its
// version of Vulkan. Threads: any.
//
// Bindings. Each of Program::bindings() is a variable of Block type with a set and binding number;
// SpirvModule::bindings has them in the same order. The length of a run-time array comes from the descriptor:
// bind exactly the bytes that the dispatch binds, as VkDescriptorBufferInfo::range.
//
// Subgroups. A program that uses them becomes one of workgroups along x alone, so that the order of its
// invocations is that of their subgroups: if the workgroup is a multiple of options.subgroup_size, number i
// of subgroup s is invocation s * size + i, which Vulkan promises of pipelines with this required size and
// full subgroups, and of no others.
//
// Grid. With `folds_grid`, the module adds an origin to Vulkan's workgroup id and takes num_workgroups from
// the dispatch, so that a grid split into several vkCmdDispatch reads as one. Both are push constants,
// present only if the program needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::vulkan {

/// The version of Vulkan to lower for. SPIR-V is 1.3 for Vulkan 1.1, 1.5 for 1.2, 1.6 for 1.3.
enum class VulkanVersion : std::uint8_t { v1_1, v1_2, v1_3 };

/// Execution modes that an exact module may use: shaderXFloat32 or shaderXFloat64 of
/// VkPhysicalDeviceFloatControlsProperties. In core from Vulkan 1.2 on; a 1.1 device has them with
/// VK_KHR_shader_float_controls.
struct FloatControls {
    bool denorm_preserve = false;
    bool signed_zero_inf_nan_preserve = false;
    bool rounding_rte = false;
    bool operator==(const FloatControls&) const = default;
};

/// Treatment of a program whose loops may run too long (loop_iterations.hpp) for a driver that ends loops:
/// run it anyway; watch its loops and report one that the driver ended; refuse it.
enum class LongLoops : std::uint8_t { run, watched, refused };

struct LowerTarget {
    VulkanVersion version = VulkanVersion::v1_2;
    CompileOptions options = {};
    /// The float controls of f32 and of f64 that the device supports, in either mode; fast mode uses none.
    FloatControls float_controls = {}, double_controls = {};
    /// True if the feature of VK_KHR_zero_initialize_workgroup_memory (core in 1.3) is enabled.
    /// If not, the module zeroes.
    bool zero_initialize_workgroup_memory = false;
    /// Origin and grid are push constants, for dispatches by this backend. If false, as in emitted modules,
    /// they are Vulkan's own built-ins.
    bool folds_grid = false;
    /// All bindings are in set 0, numbered in Program::bindings() order: one small descriptor set, whatever
    /// the program's numbers. If false, set and binding are the program's group and binding.
    bool one_set = false;
    /// Uniforms become push constants as long as these, with the grid's, fit into so many bytes. 0: none do.
    std::uint32_t push_constant_bytes = 0;
    LongLoops long_loops = LongLoops::run;
    /// True if the feature of VK_KHR_shader_subgroup_uniform_control_flow is enabled.
    bool subgroup_uniform_control_flow = false;
    /// Emit lines (OpLine) and names of values. Increases the module's size, without cost at run time.
    bool debug = true;
};

enum class BindingKind : std::uint8_t { storage_buffer, uniform_buffer, push_constant };

struct SpirvBinding {
    BindingKind kind = BindingKind::storage_buffer;
    std::uint32_t set = 0, binding = 0;  // of buffers
    std::uint32_t offset = 0;            // of push constants, bytes
    std::uint32_t bytes = 0;             // of push constants
};

/// The loops that a module watches.
struct WatchedLoops {
    std::string entry;
    std::vector<std::string> places;  // by loop: "kernel.wgsl:7:5", or the loop's number
    SpirvBinding report;              // a u32: 0, or the number, from 1, of a loop that the driver ended
};

struct SpirvModule {
    std::vector<std::uint32_t> words;
    std::string entry;  // OpEntryPoint's name: the program's
    Extent3 workgroup_size;
    std::vector<SpirvBinding> bindings;  // in Program::bindings() order
    /// Push constant offsets of Launch::origin and Launch::grid, three words each. Only with folds_grid, and
    /// only if the program needs them.
    std::optional<std::uint32_t> origin_offset, grid_offset;
    /// Bytes of all push constants, a multiple of 4; 0: no range. The stage is compute.
    std::uint32_t push_constant_bytes = 0;
    std::shared_ptr<const WatchedLoops> watched_loops;  // null if no loop is watched
    std::vector<DebugEntry> debug_map;  // target: byte offset of an instruction; ordered by it
};

/// Errors: limit_exceeded if the module would have more ids or words than drivers accept; unsupported if its
/// loops may run too long and are refused.
Result<SpirvModule> lower(const ValidProgram& program, const LowerTarget& target);

/// The operations that lower() accepts, including the math group, for fast mode, and the two of subgroups
/// with which the others are written.
const OpSet& supported_ops();
/// The operations of a device or target with or without dot products of packed bytes
/// (shaderIntegerDotProduct) and atomics of 64 bits (shaderBufferInt64Atomics and shaderSharedInt64Atomics).
OpSet ops_with(bool packed_products, bool wide_atomics);

/// Parses a target's arch: "vulkan1.1", "vulkan1.2" or "vulkan1.3". None for any other text.
std::optional<VulkanVersion> parse_version(std::string_view arch);
std::string_view name(VulkanVersion version);

}  // namespace muster::vulkan
