// Arrays that loops zero and copy: the module doesn't grow with them.
#include <muster/backend-vulkan/lowering/large_arrays.hpp>
#include <muster/backend-vulkan/lowering/loop_iterations.hpp>

#include "backend-vulkan/workshop.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::vulkan::test;

namespace {

std::string kernel(std::string body, const std::string& count) {
    for (std::size_t at = body.find('#'); at != std::string::npos; at = body.find('#'))
        body.replace(at, 1, count);
    return R"(@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@group(0) @binding(1) var<storage, read_write> s: array<u32, )" +
           count + R"(>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) id: u32) { s[id] = 1; )" +
           body + " }";
}

/// Counts the instructions that load or store a whole array.
std::size_t whole_accesses(const SpirvModule& module) {
    const std::vector<Instruction> all = instructions(module.words);
    std::vector<std::uint32_t> arrays, of_arrays;
    for (const Instruction& one : all) {
        if (one.op == spv::Op::OpTypeArray) arrays.push_back(one.operands[0]);
        const bool is_array = one.operands.size() > 1 && std::ranges::count(arrays, one.operands[0]) > 0;
        const bool yields = one.op == spv::Op::OpConstantNull || one.op == spv::Op::OpCompositeConstruct ||
                            one.op == spv::Op::OpLoad || one.op == spv::Op::OpCopyLogical;
        if (is_array && yields) of_arrays.push_back(one.operands[1]);
    }
    return static_cast<std::size_t>(std::ranges::count_if(all, [&](const Instruction& one) {
        if (one.op == spv::Op::OpLoad) return std::ranges::count(arrays, one.operands[0]) > 0;
        return one.op == spv::Op::OpStore && std::ranges::count(of_arrays, one.operands[1]) > 0;
    }));
}

constexpr std::array bodies{
    "var a: array<u32, #>; a[b[0]] = 7; b[1] = a[b[2]];",
    "var a: array<f32, #>; a[b[0]] = 7; b[1] = u32(a[b[2]]);",
    "var a: array<u32, #>; a[b[0]] = 7; a = array<u32, #>(); b[1] = a[b[2]];",
    "var a = s; a[b[0]] = 7; b[1] = a[b[2]];",
    "var a: array<u32, #>; a[b[0]] = 7; s = a;",
    "var a: array<u32, #>; a[b[0]] = 7; let c = a; b[1] = c[b[2]];",
    "var a: array<u32, #>; a[b[0]] = 7; let c = a; a[b[1]] = 8; b[1] = c[b[2]] + c[3];",
    "for (var i = 0; i < 9; i++) { var a: array<u32, #>; a[b[0]] = 7; b[1] += a[b[2]]; }"};

}  // namespace

TEST_CASE("a module is as large for an array of 2,000 words as for one of 300, and takes none as a whole") {
    for (const VulkanVersion version : {VulkanVersion::v1_1, VulkanVersion::v1_2})
        for (const LongLoops loops : {LongLoops::run, LongLoops::watched})
            for (const char* body : bodies) {
                CAPTURE(std::string(body));
                const LowerTarget target{.version = version, .long_loops = loops};
                const SpirvModule small = lowered(kernel(body, "320"), target);
                const SpirvModule large = lowered(kernel(body, "1984"), target);
                CHECK(small.words.size() == large.words.size());
                CHECK(whole_accesses(large) == 0);
            }
}

TEST_CASE("arrays of up to 128 words, and those of which only constants choose elements, are taken apart") {
    CHECK(count(lowered(kernel(bodies[0], "128")), spv::Op::OpLoopMerge) == 0);
    CHECK(count(lowered(kernel(bodies[0], "129")), spv::Op::OpLoopMerge) == 1);
    CHECK(count(lowered(kernel("var a: array<f32, #>; a[5] = 3; b[1] = u32(a[7]);", "1000")),
                spv::Op::OpLoopMerge) == 0);
}

TEST_CASE("private variables are zeroed by loops, where they are used") {
    const SpirvModule module = lowered(R"(@group(0) @binding(0) var<storage, read_write> b: array<u32>;
var<private> p: array<u32, 2000>;
var<private> unused: array<u32, 2000>;
@compute @workgroup_size(1) fn main() { p[b[0]] = 3; b[1] = p[b[2]]; })");
    CHECK(whole_accesses(module) == 0);
    CHECK(count(module, spv::Op::OpLoopMerge) == 1);
}

TEST_CASE("the loops' iterations count among a kernel's, and the loops are watched with the others") {
    const auto iterations = [](const std::string& body, const std::string& count) {
        const ValidProgram program = parse(kernel(body, count));
        return most_iterations(*program, Loops(*program), LargeArrays(*program));
    };
    CHECK(iterations(bodies[0], "128") == 0);
    CHECK(iterations(bodies[0], "320") == 11);
    CHECK(iterations(bodies[2], "320") == 22);
    CHECK(iterations(bodies[7], "320") == 10 * (1 + 11));
    const std::string body =
        "for (var i = 0; i < 4000; i++) { var a: array<u32, #>; a[b[0]] = 7; b[1] += a[b[2]]; }";
    const auto watched = [&](const std::string& count) {
        const SpirvModule module = lowered(kernel(body, count), {.long_loops = LongLoops::watched});
        return module.watched_loops ? module.watched_loops->places.size() : 0;
    };
    CHECK(watched("128") == 0);
    CHECK(watched("320") == 2);
}
