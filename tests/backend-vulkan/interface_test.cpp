// A module's interface for the dispatch half, and its requirements on a device.
#include <string>

#include <fmt/format.h>

#include "backend-vulkan/workshop.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::vulkan::test;

namespace {

constexpr std::string_view scaled = R"(@group(2) @binding(7) var<uniform> a: f32;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> size: vec4u;
@compute @workgroup_size(64)
fn scaled(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
    if id.x < size.x * grid.x { y[id.x] = a * x[id.x] + 1; }
})";

using Capabilities = std::vector<std::uint32_t>;
constexpr auto shader = static_cast<std::uint32_t>(spv::Capability::Shader);

/// Counts sums and products of floats that a driver may contract.
std::size_t contractible(const SpirvModule& module) {
    const std::vector<Instruction> code = instructions(module.words);
    const auto is_kept_apart = [&](const Instruction& one) {
        return std::ranges::any_of(code, [&](const Instruction& other) {
            return other.op == spv::Op::OpDecorate && other.operands[0] == one.operands[1] &&
                   other.operands[1] == static_cast<std::uint32_t>(spv::Decoration::NoContraction);
        });
    };
    return static_cast<std::size_t>(std::ranges::count_if(code, [&](const Instruction& one) {
        const bool may = one.op == spv::Op::OpFAdd || one.op == spv::Op::OpFSub ||
                         one.op == spv::Op::OpFMul || one.op == spv::Op::OpFNegate;
        return may && !is_kept_apart(one);
    }));
}

}  // namespace

TEST_CASE("bindings are at the program's groups and bindings, or numbered in one set") {
    const SpirvModule emitted = lowered(scaled);
    REQUIRE(emitted.bindings.size() == 4);
    CHECK(emitted.entry == "scaled");
    CHECK(emitted.workgroup_size == Extent3{64, 1, 1});
    const std::array<std::pair<std::uint32_t, std::uint32_t>, 4> places{{{0, 3}, {0, 5}, {1, 0}, {2, 7}}};
    for (std::size_t i = 0; i < places.size(); ++i) {
        CHECK(emitted.bindings[i].set == places[i].first);
        CHECK(emitted.bindings[i].binding == places[i].second);
        CHECK(emitted.bindings[i].kind ==
              (i < 2 ? BindingKind::storage_buffer : BindingKind::uniform_buffer));
    }
    const SpirvModule dispatched = lowered(scaled, {.one_set = true});
    for (std::uint32_t i = 0; i < 4; ++i) {
        CHECK(dispatched.bindings[i].set == 0);
        CHECK(dispatched.bindings[i].binding == i);
    }
}

TEST_CASE("the grid comes as push constants where it is folded, and only what the program asks for") {
    const SpirvModule own = lowered(scaled);
    CHECK_FALSE(own.origin_offset);
    CHECK_FALSE(own.grid_offset);
    CHECK(own.push_constant_bytes == 0);
    const SpirvModule folded = lowered(scaled, {.folds_grid = true});
    CHECK(folded.origin_offset == 0);
    CHECK(folded.grid_offset == 16);
    CHECK(folded.push_constant_bytes == 28);
    const SpirvModule neither = lowered(R"(@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { y[i] = i; })",
                                        {.folds_grid = true});
    CHECK(neither.push_constant_bytes == 0);
    CHECK(count(neither, spv::Op::OpVariable) == 2);
}

TEST_CASE("uniforms come as push constants while they fit") {
    const auto kind = [](std::uint32_t bytes, std::size_t which) {
        return lowered(scaled, {.folds_grid = true, .push_constant_bytes = bytes}).bindings[which].kind;
    };
    CHECK(kind(47, 2) == BindingKind::uniform_buffer);
    CHECK(kind(48, 2) == BindingKind::push_constant);
    CHECK(kind(48, 3) == BindingKind::uniform_buffer);
    CHECK(kind(52, 3) == BindingKind::push_constant);
    const SpirvModule all = lowered(scaled, {.folds_grid = true, .push_constant_bytes = 128});
    CHECK(all.bindings[2].offset == 32);
    CHECK(all.bindings[2].bytes == 16);
    CHECK(all.bindings[3].offset == 48);
    CHECK(all.bindings[3].bytes == 4);
    CHECK(all.push_constant_bytes == 52);
}

TEST_CASE("a uniform that Vulkan's uniform buffers can't hold is a storage buffer") {
    const auto kind = [](std::string_view type) {
        const std::string text = fmt::format(
            "struct S {{ x: f32 }}\nstruct T {{ a: S, b: f32 }}\n"
            "struct U {{ a: S, @align(16) b: vec4f }}\n"
            "struct V {{ a: f32, b: array<vec4f, 2> }}\n"
            "@group(0) @binding(0) var<uniform> u: {};\n"
            "@compute @workgroup_size(1) fn main() {{ var copy = u; }}",
            type);
        return lowered(text).bindings.at(0).kind;
    };
    for (const std::string_view fits : {"f32", "vec3f", "S", "U", "V", "mat2x3f", "mat4x4f", "array<U, 2>"})
        CHECK_MESSAGE(kind(fits) == BindingKind::uniform_buffer, std::string(fits));
    for (const std::string_view wide : {"array<f32, 4>", "array<vec2f, 2>", "mat4x2f", "T", "array<S, 2>"})
        CHECK_MESSAGE(kind(wide) == BindingKind::storage_buffer, std::string(wide));
}

TEST_CASE("a module asks for exactly the capabilities that it needs") {
    constexpr std::string_view integers = R"(@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { y[i] = i; })";
    const FloatControls all{true, true, true};
    CHECK(operands_of(lowered(integers, {.float_controls = all}), spv::Op::OpCapability) ==
          Capabilities{shader});
    CHECK(operands_of(lowered(scaled), spv::Op::OpCapability) == Capabilities{shader});
    const CompileOptions fast{Precision::fast, false};
    CHECK(operands_of(lowered(scaled, {.options = fast, .float_controls = all}), spv::Op::OpCapability) ==
          Capabilities{shader});
    for (const VulkanVersion version : {VulkanVersion::v1_1, VulkanVersion::v1_2}) {
        const SpirvModule exact = lowered(scaled, {.version = version, .float_controls = all});
        CHECK(operands_of(exact, spv::Op::OpCapability).size() == 4);
        CHECK(count(exact, spv::Op::OpExtension) == (version == VulkanVersion::v1_1 ? 1u : 0u));
        CHECK(count(exact, spv::Op::OpExecutionMode) == 4);
    }
}

TEST_CASE("exact arithmetic is never contracted, fast may be") {
    CHECK(decorates(lowered(scaled), spv::Decoration::NoContraction));
    CHECK_FALSE(
        decorates(lowered(scaled, {.options = {Precision::fast, false}}), spv::Decoration::NoContraction));
    constexpr std::string_view sums = R"(@group(0) @binding(0) var<storage, read_write> y: array<f32, 8>;
@group(0) @binding(1) var<storage, read_write> z: array<vec3f, 8>;
@compute @workgroup_size(1) fn main() {
    y[0] = y[1] * y[2] + y[3];
    y[4] = -(y[5] - y[6] * y[7]);
    y[7] += y[0] * y[0];
    z[0] = z[1] * z[2] - z[3] * y[0];
    z[4] = -z[5] + length(z[6]) * mix(z[5], z[6], 0.25);
})";
    CHECK(contractible(lowered(sums)) == 0);
    CHECK(contractible(lowered(sums, {.options = {Precision::fast, false}})) > 10);
}

TEST_CASE(
    "storage is coherent only where a barrier orders it, and can't be written where nothing writes it") {
    const SpirvModule without = lowered(scaled);
    CHECK_FALSE(decorates(without, spv::Decoration::Coherent));
    CHECK(decorates(without, spv::Decoration::NonWritable));
    const SpirvModule with = lowered(R"(@group(0) @binding(0) var<storage, read_write> y: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    y[i] = i;
    storageBarrier();
    let other = y[63 - i];
    storageBarrier();
    y[i] = other;
})");
    CHECK(decorates(with, spv::Decoration::Coherent));
    CHECK_FALSE(decorates(with, spv::Decoration::NonWritable));
}

TEST_CASE("workgroup memory is zeroed by the device where it can, else by the invocations and a barrier") {
    constexpr std::string_view shared = R"(@group(0) @binding(0) var<storage, read_write> y: array<u32, 64>;
var<workgroup> tile: array<array<u32, 100>, 3>;
var<workgroup> one: u32;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    y[i] = tile[i % 3][i] + one;
})";
    const SpirvModule itself = lowered(shared);
    CHECK(count(itself, spv::Op::OpControlBarrier) == 1);
    CHECK(count(itself, spv::Op::OpLoopMerge) == 1);
    const SpirvModule device = lowered(shared, {.zero_initialize_workgroup_memory = true});
    CHECK(count(device, spv::Op::OpControlBarrier) == 0);
    CHECK(count(device, spv::Op::OpLoopMerge) == 0);
    CHECK(count(device, spv::Op::OpConstantNull) == 2);
}

TEST_CASE("an index is compared unless it is proven in bounds, or that isn't asked for") {
    constexpr std::string_view both = R"(@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { y[i] = x[i]; })";
    CHECK(count(lowered(both), spv::Op::OpULessThan) == 1);  // only y's
    CHECK(count(lowered(both), spv::Op::OpArrayLength) == 1);
    CHECK(count(lowered(both, {.options = {Precision::exact, true}}), spv::Op::OpULessThan) == 0);
}

TEST_CASE("names of targets and versions") {
    CHECK(parse_version("vulkan1.1") == VulkanVersion::v1_1);
    CHECK(parse_version("vulkan1.3") == VulkanVersion::v1_3);
    CHECK_FALSE(parse_version("vulkan1.0"));
    CHECK_FALSE(parse_version("vulkan1.20"));
    CHECK(lowered(scaled, {.version = VulkanVersion::v1_1}).words[1] == 0x00010300);
    CHECK(lowered(scaled, {.version = VulkanVersion::v1_2}).words[1] == 0x00010500);
    CHECK(lowered(scaled, {.version = VulkanVersion::v1_3}).words[1] == 0x00010600);
}

TEST_CASE("a loop that invocations leave in different iterations with what they read has a second way out") {
    const auto ways_out = [](const std::string& body) {
        const SpirvModule module = lowered(R"(@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@group(0) @binding(1) var<uniform> n: u32;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { var found = 0u; var k = 0u; )" +
                                           body + "}");
        return operands_of(module, spv::Op::OpINotEqual).size();  // a comparison that is never true
    };
    CHECK(ways_out("while k < i { found = y[k]; k++; } y[i] = found;") == 1);
    CHECK(ways_out("while k < n { found = y[k]; k++; } y[i] = found;") ==
          0);  // all leave in the same iteration
    CHECK(ways_out("while k < i { found = k * 3; k++; } y[i] = found;") == 0);  // nothing is read
    CHECK(ways_out("while k < i { y[k] = y[k + 1]; k++; } y[i] = n;") == 0);    // no value leaves the loop
    CHECK(ways_out("if i < n { return; } while k < n { found += y[k]; k++; } y[i] = found;") == 0);
}

TEST_CASE("a module zeroes only what isn't overwritten") {
    constexpr std::string_view kernel = R"(@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = out[i];
    workgroupBarrier();
    out[i] = tile[63 - i];
})";
    CHECK(count(lowered(kernel), spv::Op::OpControlBarrier) == 1);
    CHECK(count(lowered(kernel, {.zero_initialize_workgroup_memory = true}), spv::Op::OpConstantNull) == 0);
}
