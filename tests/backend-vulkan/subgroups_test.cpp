// Modules with operations of subgroups: valid at every size, and numbered as the interpreter numbers them.
#include <support/subgroup_kernels.hpp>

#include "backend-vulkan/workshop.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::vulkan::test;
using muster::test::subgroup_kernel;

namespace {

LowerTarget sized(std::uint32_t size) {
    return {.version = VulkanVersion::v1_3, .options = {.subgroup_size = size}};
}

bool has_input(const SpirvModule& module, spv::BuiltIn which) {
    return std::ranges::any_of(instructions(module.words), [&](const Instruction& one) {
        return one.op == spv::Op::OpDecorate &&
               one.operands[1] == static_cast<std::uint32_t>(spv::Decoration::BuiltIn) &&
               one.operands[2] == static_cast<std::uint32_t>(which);
    });
}

std::vector<std::uint32_t> mode(const SpirvModule& module, spv::ExecutionMode which) {
    for (const Instruction& one : instructions(module.words))
        if (one.op == spv::Op::OpExecutionMode && one.operands[1] == static_cast<std::uint32_t>(which))
            return {one.operands.begin() + 2, one.operands.end()};
    return {0};
}

constexpr std::string_view on_three_axes =
    "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
    "@compute @workgroup_size(4, 2, 8) fn main(@builtin(global_invocation_id) id: vec3u,\n"
    "    @builtin(local_invocation_id) own: vec3u) { out[id.x] = subgroupAdd(own.y + own.z); }";

}  // namespace

TEST_CASE("modules with operations of subgroups are valid at every size and version") {
    for (const std::uint32_t size : {4u, 32u, 128u})
        for (const VulkanVersion version : {VulkanVersion::v1_1, VulkanVersion::v1_3}) {
            LowerTarget target = sized(size);
            target.version = version;
            for (const char* body : muster::test::subgroup_bodies) lowered(subgroup_kernel(body, 72), target);
            for (const char* body : muster::test::divergent_bodies)
                lowered(subgroup_kernel(body, 128, "diagnostic(off, subgroup_uniformity);"), target);
        }
}

TEST_CASE(
    "a workgroup with subgroups lies along x, and its invocations are numbered by them where they are full") {
    const SpirvModule full = lowered(on_three_axes, sized(32));
    CHECK(mode(full, spv::ExecutionMode::LocalSize) == std::vector<std::uint32_t>{64, 1, 1});
    CHECK(has_input(full, spv::BuiltIn::SubgroupId));
    CHECK(has_input(full, spv::BuiltIn::SubgroupLocalInvocationId));
    CHECK_FALSE(has_input(full, spv::BuiltIn::LocalInvocationIndex));
    CHECK_FALSE(has_input(full, spv::BuiltIn::LocalInvocationId));
    CHECK_FALSE(has_input(full, spv::BuiltIn::GlobalInvocationId));
    const SpirvModule partial = lowered(on_three_axes, sized(128));
    CHECK(has_input(partial, spv::BuiltIn::LocalInvocationIndex));
    CHECK_FALSE(has_input(partial, spv::BuiltIn::LocalInvocationId));
}

TEST_CASE("a module asks for convergence where the device promises it") {
    LowerTarget target = sized(32);
    constexpr auto converges = spv::ExecutionMode::SubgroupUniformControlFlowKHR;
    CHECK(mode(lowered(on_three_axes, target), converges) == std::vector<std::uint32_t>{0});
    target.subgroup_uniform_control_flow = true;
    CHECK(mode(lowered(on_three_axes, target), converges).empty());
    const char* const without =
        "@group(0) @binding(0) var<storage, read_write> out: u32;\n"
        "@compute @workgroup_size(1) fn main() { out = 1; }";
    CHECK(mode(lowered(without, target), converges) == std::vector<std::uint32_t>{0});
}
