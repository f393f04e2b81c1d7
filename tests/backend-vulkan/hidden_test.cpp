// Constants of a module that a compiler can know, and those that are hidden from it.
#include <map>
#include <set>

#include "backend-vulkan/workshop.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace muster::vulkan::test;

namespace {

/// A kernel with a loop that invocations leave in different iterations, and a zero in it.
constexpr std::string_view looping = R"(@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    var found = 0.0f; var k = 0u;
    while k < i { found = y[k] * 0.0f; k++; }
    y[i] = found;
})";

/// The instructions of a module by their result ids.
struct Made {
    explicit Made(const SpirvModule& module) {
        for (const Instruction& one : instructions(module.words)) {
            bool has_result = false, has_type = false;
            spv::HasResultAndType(one.op, &has_result, &has_type);
            if (has_result) by_id.emplace(one.operands[has_type ? 1 : 0], one);
        }
    }
    std::map<std::uint32_t, Instruction> by_id;

    bool is_constant(std::uint32_t id) const {
        const auto found = by_id.find(id);
        return found != by_id.end() &&
               (found->second.op == spv::Op::OpConstant || found->second.op == spv::Op::OpConstantComposite ||
                found->second.op == spv::Op::OpConstantNull);
    }
    /// Finds everything that an integer is computed from, down to components of vectors: "component 0" of a
    /// loaded value.
    void trace(std::uint32_t id, std::set<std::pair<std::uint32_t, std::uint32_t>>& sources,
               std::set<std::uint32_t>& steps) const {
        if (is_constant(id)) return;
        const Instruction& one = by_id.at(id);
        if (one.op == spv::Op::OpCompositeExtract) {
            sources.emplace(one.operands[2], one.operands[3]);
            return;
        }
        steps.insert(id);
        for (std::size_t k = 2; k < one.operands.size(); ++k) trace(one.operands[k], sources, steps);
    }
};

const Instruction& only(const std::vector<Instruction>& all, spv::Op op) {
    const auto found = std::ranges::find(all, op, &Instruction::op);
    REQUIRE(found != all.end());
    REQUIRE(std::ranges::count(all, op, &Instruction::op) == 1);
    return *found;
}

/// Counts constants that are stored, selected or converted to numbers without being hidden, except integers that
/// are only stored or selected.
std::size_t bare(const SpirvModule& module) {
    const Made made(module);
    const auto is_integer = [&](std::uint32_t id) {
        return made.by_id.at(made.by_id.at(id).operands[0]).op == spv::Op::OpTypeInt;
    };
    std::size_t bare = 0;
    for (const Instruction& one : instructions(module.words)) {
        std::vector<std::uint32_t> values;
        if (one.op == spv::Op::OpStore) values = {one.operands[1]};
        if (one.op == spv::Op::OpSelect) values = {one.operands[3], one.operands[4]};
        if (one.op == spv::Op::OpPhi) values = {one.operands[2], one.operands[4]};
        const bool converts = one.op == spv::Op::OpConvertUToF || one.op == spv::Op::OpBitcast;
        if (converts) values = {one.operands[2]};
        bare += static_cast<std::size_t>(std::ranges::count_if(
            values, [&](std::uint32_t id) { return made.is_constant(id) && (converts || !is_integer(id)); }));
    }
    return bare;
}

std::string kernel(const std::string& body) {
    return R"(@group(0) @binding(0) var<storage, read_write> y: array<f32, 64>;
struct Both { a: f32, b: array<vec2f, 2> }
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { )" +
           body + " }";
}

}  // namespace

TEST_CASE("what a branch compares has nothing in common with the zero that hides constants") {
    for (const LowerTarget& target : {LowerTarget{}, LowerTarget{.folds_grid = true, .one_set = true}}) {
        const SpirvModule module = lowered(looping, target);
        const std::vector<Instruction> all = instructions(module.words);
        const Made made(module);
        std::set<std::pair<std::uint32_t, std::uint32_t>> compared, hiding;
        std::set<std::uint32_t> comparing, making;
        made.trace(only(all, spv::Op::OpINotEqual).operands[2], compared, comparing);
        REQUIRE(count(module, spv::Op::OpBitwiseOr) > 0);
        for (const Instruction& one : all)
            if (one.op == spv::Op::OpBitwiseOr) made.trace(one.operands[1], hiding, making);
        CHECK(compared.size() == 1);
        CHECK(hiding.size() == 1);
        CHECK(compared != hiding);
        for (const std::uint32_t step : comparing) CHECK(making.count(step) == 0);
    }
}

TEST_CASE("the zero that hides constants is the outcome of no comparison, and could be any bits") {
    const SpirvModule module = lowered(kernel("y[i] = y[i] * 0.0;"));
    const Made made(module);
    for (const Instruction& one : instructions(module.words)) {
        if (one.op != spv::Op::OpBitwiseOr) continue;
        CHECK(made.by_id.at(one.operands[3]).op == spv::Op::OpSNegate);
        std::set<std::pair<std::uint32_t, std::uint32_t>> sources;
        std::set<std::uint32_t> steps;
        made.trace(one.operands[3], sources, steps);
        for (const std::uint32_t step : steps) {
            CHECK(made.by_id.at(step).op != spv::Op::OpSelect);
            CHECK(made.by_id.at(step).op != spv::Op::OpIEqual);
        }
    }
}

TEST_CASE("an exact module asks Vulkan for the number of workgroups once") {
    const SpirvModule module = lowered(R"(@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(num_workgroups) grid: vec3u) {
    var f = 0.0f; var k = 0u;
    while k < grid.x { f = y[k] * 0.0f; k++; }
    y[grid.z] = f;
})");
    CHECK(count(module, spv::Op::OpVariable) == 4);  // y, the number, f, k
}

TEST_CASE("no number that meets arithmetic unseen is a constant to a compiler, in exact mode") {
    for (const char* body :
         {"var f = 0.5f; if i > 3 { f = 2.0; } y[i] = f;", "var v = vec3f(1, 2, 3); v.x = y[i]; y[i] = v.y;",
          "y[i] = select(0.25f, 7.0f, i > 3);", "y[i] = f32(i > 3);", "y[i] = bitcast<f32>(i);",
          "y[i] = f32(i);",
          "var b = Both(1.0, array(vec2f(1, 2), vec2f(3, 4))); b.a = y[i]; y[i] = b.b[1].x;",
          "var a = array<f32, 3>(1, 2, 3); y[i] = a[i];", "var a: array<f32, 3>; a[i] = y[i]; y[i] = a[2];",
          "let a = array<f32, 3>(1, 2, 3); y[i] = a[i];", "let a = vec3f(y[0], 2, 3); y[i] = a[i];"}) {
        CHECK_MESSAGE(bare(lowered(kernel(body))) == 0, std::string(body));
        CHECK_MESSAGE(
            count(lowered(kernel(body), {.options = {Precision::fast, false}}), spv::Op::OpBitwiseOr) == 0,
            std::string(body));
    }
}

TEST_CASE("arithmetic keeps constants that aren't zero, unless a compiler could evaluate all of it") {
    const auto hiding = [](const std::string& body) {
        return count(lowered(kernel(body)), spv::Op::OpBitwiseOr);
    };
    CHECK(hiding("y[i] = y[i] * 2.0 + 3.0;") == 0);
    CHECK(hiding("y[i] = y[i] * 2.0 + 0.0;") == 1);
    CHECK(hiding("let huge = 3e38f; y[i] = y[i] + 1.0f / (huge * huge);") == 1);
}
