// Subgroups: the interpreter at every size beside a plain computation, expansion into shuffles, uniformity, findings, texts
// that are accepted and refused.

#include <bit>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

#include "support/parse.hpp"
#include "support/run_kernel.hpp"
#include "support/subgroup_kernels.hpp"

using namespace muster;
using test::subgroup_kernel;
using test::Words;

namespace {

ValidProgram checked(const std::string& text) {
    const Result<ValidProgram> valid = validate(test::parse(text));
    if (!valid) FAIL(valid.error().to_string());
    return *valid;
}

/// Why a text is refused; empty if it is valid.
std::string fault_of(const std::string& text) {
    const Result<ValidProgram> valid = test::try_program(text);
    return valid ? "" : valid.error().message;
}

Words interpreted(const ValidProgram& program, std::uint32_t invocations, std::uint32_t size) {
    const auto given = test::subgroup_case("", invocations);
    return test::run(program, {given.bind.at("a").words, Words(invocations)}, test::groups(1),
                     {.subgroup_size = size})[1];
}

const OpSet& only_shuffles() {
    static const OpSet ops =
        OpSet(OpSet::all_core()).insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
    return ops;
}

constexpr std::array<std::uint32_t, 6> sizes{4, 8, 16, 32, 64, 128};

/// The sum of a block of the tree: lower half, then upper half; nothing if it is empty.
std::optional<float> tree(const std::vector<float>& values, std::size_t first, std::size_t count,
                          std::size_t end) {
    if (first >= end) return {};
    if (count == 1) return values[first];
    const auto low = tree(values, first, count / 2, end),
               high = tree(values, first + count / 2, count / 2, end);
    return low && high ? std::optional(*low + *high) : low;
}

}  // namespace

TEST_CASE("sums and prefixes are those of the stated order, in whole and in partial subgroups") {
    for (const std::uint32_t invocations : {128u, 90u})
        for (const std::uint32_t size : sizes) {
            CAPTURE(size);
            const auto given = test::subgroup_case("", invocations).bind.at("a").words;
            std::vector<float> f;
            for (const std::uint32_t x : given) f.push_back(static_cast<float>(x % 1000u) * 0.37f - 100.0f);
            const auto run = [&](const char* body) {
                return interpreted(checked(subgroup_kernel(body, invocations)), invocations, size);
            };
            const Words sums = run("bitcast<u32>(subgroupAdd(f))"), before = run("subgroupExclusiveAdd(x)"),
                        upto = run("bitcast<u32>(subgroupInclusiveAdd(f))"),
                        ids = run("lane + 256u * group + 65536u * groups");
            for (std::uint32_t i = 0; i < invocations; ++i) {
                const std::uint32_t first = i / size * size;
                CHECK(sums[i] == std::bit_cast<std::uint32_t>(*tree(f, first, size, invocations)));
                std::uint32_t sum = 0;
                for (std::uint32_t k = first; k < i; ++k) sum += given[k];
                CHECK(before[i] == sum);
                // A prefix is the tree of the invocations up to it: its blocks have no others.
                CHECK(upto[i] == std::bit_cast<std::uint32_t>(*tree(f, first, size, i + 1)));
                CHECK(ids[i] == i % size + 256 * (i / size) + 65536 * ((invocations + size - 1) / size));
            }
        }
}

TEST_CASE("what comes before the first invocation is 0 as a sum and 1 as a product, of every type") {
    for (const char* type : {"i32", "u32", "f32", "f16"}) {
        CAPTURE(type);
        const auto body =
            fmt::format("u32(subgroupExclusiveMul({0}(2))) + 256u * u32(subgroupExclusiveAdd({0}(3)))", type);
        const ValidProgram program = checked(subgroup_kernel(body, 4, "enable f16;"));
        for (const ValidProgram& one : {program, *expand(program, only_shuffles(), 4)})
            CHECK(interpreted(one, 4, 4) == Words{1, 2 + 256 * 3, 4 + 256 * 6, 8 + 256 * 9});
    }
}

TEST_CASE("operations written with shuffles give the same bits") {
    for (const std::uint32_t invocations : {128u, 100u})
        for (const std::uint32_t size : sizes) {
            const auto compare = [&](const char* body, std::string_view head) {
                CAPTURE(body);
                CAPTURE(size);
                const ValidProgram program = checked(subgroup_kernel(body, invocations, head));
                const auto expanded = expand(program, only_shuffles(), size);
                REQUIRE_MESSAGE(expanded, (expanded ? "" : expanded.error().to_string()));
                CHECK(only_shuffles().contains((*expanded)->required_ops()));
                CHECK(
                    needed_after_expansion(*program, only_shuffles()).contains((*expanded)->required_ops()));
                CHECK(interpreted(program, invocations, size) == interpreted(*expanded, invocations, size));
            };
            for (const char* body : test::subgroup_bodies) compare(body, "");
            for (const char* body : test::divergent_bodies)
                compare(body, "diagnostic(off, subgroup_uniformity);");
        }
}

TEST_CASE("expansion keeps that control flow is uniform, where that was proven") {
    const auto flows = [](const char* body) {
        const auto expanded = expand(
            checked(subgroup_kernel(body, 64, "diagnostic(off, subgroup_uniformity);")), only_shuffles(), 16);
        REQUIRE(expanded);
        return *expanded;
    };
    const auto has = [](const ValidProgram& program, std::uint32_t flow) {
        for (std::uint32_t i = 0; i < program->node_count(); ++i) {
            const Node& node = program->node({i});
            if (info(node.op).group == OpGroup::subgroup && node.payload == flow) return true;
        }
        return false;
    };
    const auto uniform =
        expand(checked(subgroup_kernel("subgroupAdd(x) + subgroupBallot(true).x", 64)), only_shuffles(), 16);
    REQUIRE(uniform);
    CHECK(has(*uniform, known_uniform));
    CHECK_FALSE(has(*uniform, may_diverge));
    CHECK_FALSE(has(*uniform, 0));
    CHECK(has(flows("subgroupAdd(x)"), may_diverge));
    CHECK_FALSE(has(flows("subgroupAdd(x)"), known_uniform));
}

TEST_CASE("a program's fingerprint doesn't depend on what is known of its control flow") {
    const char* const body = "subgroupAdd(x)";
    const ValidProgram proven = checked(subgroup_kernel(body, 64)),
                       told = checked(subgroup_kernel(body, 64, "diagnostic(off, subgroup_uniformity);"));
    CHECK(proven->fingerprint() == told->fingerprint());
    CHECK_FALSE(same_structure(*proven, *told));
    // Of both kinds, a program has one diagnostic as text.
    const ValidProgram mixed = checked(
        subgroup_kernel("var r = subgroupAdd(x); @diagnostic(off, subgroup_uniformity) if lane == 0u { r = "
                        "subgroupMax(x); } r += 1u; r",
                        64));
    CHECK(test::parse(wgsl::print(*mixed)).fingerprint() == mixed->fingerprint());
}

TEST_CASE("texts of subgroups read back as the same program") {
    const auto check = [](const std::string& text) {
        const ValidProgram program = checked(text);
        const std::string printed = wgsl::print(*program);
        CAPTURE(printed);
        CHECK(same_structure(*program, test::parse(printed)));
    };
    for (const char* body : test::subgroup_bodies) check(subgroup_kernel(body, 64));
    for (const char* body : test::divergent_bodies)
        check(subgroup_kernel(body, 64, "diagnostic(off, subgroup_uniformity);"));
    check(
        "enable subgroup_size_control;\n@group(0) @binding(0) var<storage, read_write> out: u32;\n"
        "@compute @workgroup_size(64) @subgroup_size(16) fn main(@builtin(subgroup_size) size: u32) { out = "
        "size; }");
}

TEST_CASE("a program may ask for a size") {
    const ValidProgram program = checked(
        "enable subgroup_size_control;\noverride wanted = 16;\n@group(0) @binding(0) var<storage, "
        "read_write> out: u32;\n"
        "@compute @workgroup_size(64) @subgroup_size(wanted) fn main(@builtin(subgroup_size) size: u32) { "
        "out = size; }");
    CHECK(program->needs().subgroup_size == 16);
    CHECK(test::run(program, std::vector<Words>{Words{0}}, test::groups(1), {.subgroup_size = 64})[0][0] ==
          16);
    CHECK_FALSE(interpret(program, {}, test::groups(1), {.subgroup_size = 12}));
}

TEST_CASE("divergent operations take place among those that get there") {
    const ValidProgram program =
        checked(subgroup_kernel("var r = 0u; if lane % 3u == 0u { r = subgroupAdd(1u); } else { r = 100u + "
                                "subgroupAdd(1u); } r += 0u; r",
                                32, "diagnostic(off, subgroup_uniformity);"));
    const Words counts = interpreted(program, 32, 32);
    for (std::uint32_t i = 0; i < 32; ++i) CHECK(counts[i] == (i % 3 == 0 ? 11 : 121));
}

TEST_CASE("the interpreter reports what devices do differently") {
    const auto findings = [](const char* body) {
        const ValidProgram program =
            checked(subgroup_kernel(body, 16, "diagnostic(off, subgroup_uniformity);"));
        std::vector<Words> memory{test::subgroup_case("", 16).bind.at("a").words, Words(16)};
        const auto report =
            test::try_run(program, memory, test::groups(1), {.report_subgroups = true, .subgroup_size = 8});
        REQUIRE(report);
        std::vector<FindingKind> kinds;
        for (const Finding& finding : report->findings) kinds.push_back(finding.kind);
        return kinds;
    };
    using Kinds = std::vector<FindingKind>;
    CHECK(findings("subgroupAdd(x)") == Kinds{});
    CHECK(findings("subgroupShuffle(x, lane + 1u)") == Kinds{FindingKind::inactive_invocation});
    CHECK(findings("var r = 0u; if lane < 3u { r = subgroupAdd(x); } r += 1u; r") ==
          Kinds{FindingKind::divergent_subgroup});
}

TEST_CASE("subgroup operations need control flow that is uniform over the subgroup") {
    const auto refused = [](const char* body) {
        const std::string text = subgroup_kernel(body, 64);
        CAPTURE(body);
        CHECK(fault_of(text).find("uniform over the subgroup") != std::string::npos);
        CHECK(fault_of(subgroup_kernel(body, 64, "diagnostic(off, subgroup_uniformity);")) == "");
        CHECK(fault_of(subgroup_kernel(body, 64, "diagnostic(warning, subgroup_uniformity);")) == "");
        CHECK(fault_of(subgroup_kernel(body, 64, "diagnostic(error, subgroup_uniformity);")) != "");
    };
    refused("var r = 0u; if lane == 0u { r = subgroupAdd(x); } r += 1u; r");
    refused("if x == 3u { return; } subgroupAdd(x)");
    refused("var r = 0u; if subgroupElect() { r = subgroupAdd(x); } r += 1u; r");
    refused("var r = 0u; if subgroupShuffle(x, 0) == 1u { r = subgroupAdd(x); } r += 1u; r");
    refused("u32(x > 3u && subgroupAny(x > 5u))");
    refused("subgroupShuffleUp(x, lane)");
    refused("subgroupShuffleXor(x, x & 1u)");
    // Filters of functions, statements and blocks.
    const auto around = [](const char* before) {
        return fault_of(
            fmt::format("enable subgroups;\n@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                        "@compute @workgroup_size(64) fn main(@builtin(subgroup_invocation_id) i: u32) {{\n"
                        "    {} {{ out[i] = subgroupAdd(i); }}\n}}\n",
                        before));
    };
    CHECK(around("if i == 0u") != "");
    CHECK(around("@diagnostic(off, subgroup_uniformity) if i == 0u") == "");
    CHECK(around("if i == 0u @diagnostic(off, subgroup_uniformity)") == "");
    CHECK(around("if i == 0u @diagnostic(off, derivative_uniformity)") != "");
}

TEST_CASE("texts of subgroups that aren't valid are refused") {
    const auto fault = [](const char* body) { return test::first_fault(subgroup_kernel(body, 64)); };
    CHECK(fault("subgroupAdd(true); 1u").find("No overload of subgroupAdd takes (bool)") !=
          std::string::npos);
    CHECK(fault("subgroupAnd(f); 1u").find("No overload") != std::string::npos);
    CHECK(fault("subgroupAll(x); 1u").find("No overload") != std::string::npos);
    CHECK(fault("subgroupElect(x); 1u").find("No overload") != std::string::npos);
    CHECK(fault("subgroupBroadcast(x, lane)").find("isn't a const-expression") != std::string::npos);
    CHECK(fault("subgroupBroadcast(x, 128)").find("outside 0 to 127") != std::string::npos);
    CHECK(fault("subgroupShuffle(x, -1)").find("outside 0 to 127") != std::string::npos);
    CHECK(fault("subgroupShuffleUp(x, 128u)").find("outside 0 to 127") != std::string::npos);
    CHECK(fault("quadBroadcast(x, 4)").find("outside 0 to 3") != std::string::npos);
    CHECK(fault("subgroupAdd(x); 1u").find("isn't used") != std::string::npos);
    CHECK(fault("const c = subgroupAdd(1u); c").find("isn't a const-expression") != std::string::npos);
    const auto needs = [](std::string text) { return test::first_fault(text.substr(text.find('\n') + 1)); };
    CHECK(needs(subgroup_kernel("1u", 64)).find("needs the extension subgroups") != std::string::npos);
    CHECK(test::first_fault("@compute @workgroup_size(64) fn main() { _ = subgroupElect(); }") ==
          "1:46: subgroupElect needs the extension subgroups, which isn't enabled.");
    const auto size = [](const char* number, const char* enable = "subgroup_size_control") {
        return test::first_fault(fmt::format(
            "enable {};\n@compute @workgroup_size(48) @subgroup_size({}) fn main() {{}}", enable, number));
    };
    CHECK(size("16") == "");
    CHECK(size("16", "subgroups") ==
          "2:30: @subgroup_size needs the extension subgroup_size_control, which isn't enabled.");
    CHECK(size("12") == "2:30: @subgroup_size(12) isn't a size of a subgroup.");
    CHECK(size("256") == "2:30: @subgroup_size(256) isn't a size of a subgroup.");
    CHECK(size("32").find("isn't a multiple of @subgroup_size(32)") != std::string::npos);
    CHECK(test::first_fault("diagnostic(never, subgroup_uniformity);") ==
          "1:12: No diagnostic severity is called never.");
}
