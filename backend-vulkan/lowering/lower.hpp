// lower.hpp - a ValidProgram to SPIR-V words: structured control flow mapped one to one, names and lines kept.
//
//     LowerTarget target{.version = VulkanVersion::v1_2};
//     SpirvModule module = TRY(lower(program, target));   // module.words go to vkCreateShaderModule
//
// Pure: the same program and target, the same words; no loader, no device, no environment. What the target lacks has
// been expanded before (driver/routing/prepare.hpp: mathematics in exact mode; f32 division, square root and fma where its
// exactness says no). Every module passes spirv-val for target_environment(version). Threads: any.
//
// Bindings. Each one of Program::bindings() is a variable of Block type at a set and binding number, which the module
// tells in the same order. What a run-time array's length is, the module asks of the descriptor: bind exactly the
// bytes that the dispatch binds, as VkDescriptorBufferInfo::range.
//
// Grid. Where `folds_grid`, the module adds an origin to the workgroup id that Vulkan gives, and takes num_workgroups
// from the dispatch, so that a grid cut into several vkCmdDispatch reads as one; both come as push constants, and only
// where the program asks for what depends on them.
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

/// What to make SPIR-V for: 1.3 for Vulkan 1.1, 1.5 for 1.2, 1.6 for 1.3.
enum class VulkanVersion : std::uint8_t { v1_1, v1_2, v1_3 };

/// shaderXFloat32 of VkPhysicalDeviceFloatControlsProperties: execution modes that an exact module may ask for. In
/// core from Vulkan 1.2 on; a 1.1 device has them with VK_KHR_shader_float_controls.
struct FloatControls {
    bool denorm_preserve = false;
    bool signed_zero_inf_nan_preserve = false;
    bool rounding_rte = false;
    bool operator==(const FloatControls&) const = default;
};

/// What becomes of a program with loops that aren't seen to end in time (loop_turns.hpp), on a device whose driver ends them:
/// it runs all the same; its module tells where a loop ended that nobody left; it is refused.
enum class LongLoops : std::uint8_t { run, watched, refused };

struct LowerTarget {
    VulkanVersion version = VulkanVersion::v1_2;
    CompileOptions options = {};
    FloatControls float_controls = {};  // what the device has, whichever the mode; fast mode asks for none
    /// VK_KHR_zero_initialize_workgroup_memory's feature (core in 1.3) is enabled. Otherwise the module zeroes it itself.
    bool zero_initialize_workgroup_memory = false;
    /// The dispatch half's way: origin and grid are push constants. Otherwise Vulkan's own built-ins, which is what
    /// an emitted module does.
    bool folds_grid = false;
    /// All bindings in set 0, numbered in Program::bindings() order: one small descriptor set, whatever numbers the
    /// program has. Otherwise set and binding are the program's group and binding.
    bool one_set = false;
    /// Uniforms come as push constants, as long as these fit into so many bytes, the grid's counted. 0: none do.
    std::uint32_t push_constant_bytes = 0;
    LongLoops long_loops = LongLoops::run;
    /// Instructions say their line (OpLine), values their names. Costs module size, nothing at run time.
    bool debug = true;
};

enum class BindingKind : std::uint8_t { storage_buffer, uniform_buffer, push_constant };

struct SpirvBinding {
    BindingKind kind = BindingKind::storage_buffer;
    std::uint32_t set = 0, binding = 0;  // of buffers
    std::uint32_t offset = 0;            // of push constants, bytes
    std::uint32_t bytes = 0;             // of push constants
};

/// Of a module that watches its loops.
struct WatchedLoops {
    std::string entry;
    std::vector<std::string> places;  // of each loop: "kernel.wgsl:7:5", or which loop it is
    SpirvBinding report;  // a u32, to be 0 before: counted from 1, a loop that ended though nobody left it
};

struct SpirvModule {
    std::vector<std::uint32_t> words;
    std::string entry;  // OpEntryPoint's name: the program's
    Extent3 workgroup_size;
    std::vector<SpirvBinding> bindings;  // in Program::bindings() order
    /// Offsets of three words each among the push constants: Launch::origin and Launch::grid. Only with folds_grid,
    /// and where the program needs them.
    std::optional<std::uint32_t> origin_offset, grid_offset;
    /// Bytes of push constants in all; a multiple of 4; 0: no range. The stage is compute.
    std::uint32_t push_constant_bytes = 0;
    std::shared_ptr<const WatchedLoops> watched_loops;  // null: none is
    std::vector<DebugEntry> debug_map;  // target: byte offset of an instruction; ordered by it
};

/// Errors: limit_exceeded, where the module would have more ids or words than drivers take; unsupported, where long
/// loops are refused.
Result<SpirvModule> lower(const ValidProgram& program, const LowerTarget& target);

/// What lower() takes, the math group (for fast mode) included.
const OpSet& supported_ops();

/// "vulkan1.1", "vulkan1.2", "vulkan1.3": as in a target's arch. None for any other text.
std::optional<VulkanVersion> parse_version(std::string_view arch);
std::string_view name(VulkanVersion version);

}  // namespace muster::vulkan
