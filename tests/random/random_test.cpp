// Random programs: the interpreter's order doesn't matter, printing and expanding keep the meaning, and every
// device agrees. The first failure of a test is reduced to a small kernel; the others are listed at its end.
// The ctest entries run in parallel:
//
//   random               the interpreter alone, 300 programs (--all: 10,000)
//   random_cpu, ...      the devices that users have, 110 programs on each (--all: 1,100)
//   random_cpu_variants  devices that only tests have (support/cpu_variants.cpp: the CPU backend at several widths, and without
//                        AVX; support/cuda_host_backend.cpp: CUDA's text without a GPU; ...), 22 programs on each (--all: 220)
//
// MUSTER_RANDOM_PROGRAMS sets the number for all of them, MUSTER_RANDOM_SEED the first seed.

#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <support/text.hpp>

#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "random/random_case.hpp"
#include "support/random_program.hpp"
#include "support/split_run.hpp"

using namespace muster;
using namespace muster::conformance;
using muster::test::number_in_environment;

namespace {

struct HowMany {
    std::uint64_t usually, with_all;  // in ./check and in ./check --all
};
constexpr HowMany many{300, 10'000};
constexpr HowMany many_on_devices{50, 500};
constexpr HowMany few{8, 80};
// The number of programs with grid barriers, which the driver splits into many kernels for most devices.
constexpr HowMany many_across_grid{20, 200};
constexpr HowMany few_across_grid{4, 40};
// The number of programs with subgroups, for devices that have them.
constexpr HowMany many_with_subgroups{40, 400};
constexpr HowMany few_with_subgroups{10, 100};

std::uint64_t count_of(HowMany how_many) {
    const bool all = std::getenv("MUSTER_TEST_ALL") != nullptr;
    return number_in_environment("MUSTER_RANDOM_PROGRAMS", all ? how_many.with_all : how_many.usually);
}

/// A fifth of them for OpenCL, whose driver for the processor takes half a second for a kernel.
HowMany for_device(const TestDevice& device, HowMany of_users, HowMany of_tests) {
    HowMany how_many = device.documented ? of_users : of_tests;
    if (device.backend == "opencl") return {(how_many.usually + 4) / 5, (how_many.with_all + 4) / 5};
    return how_many;
}

std::string compare(const Result<Outputs>& expected, const Result<Outputs>& actual, bool flushed = false) {
    if (!expected) return expected.error().to_string();
    if (!actual) return actual.error().to_string();
    for (std::size_t i = 0; i < expected->size(); ++i) {
        if (const std::string what = difference((*expected)[i], (*actual)[i], flushed); !what.empty())
            return what;
    }
    return {};
}

/// True if a fault is a wrong value, not an error: a reduced program must not show another fault than the whole one.
bool is_difference(std::string_view fault) { return fault.contains(" instead of "); }

Result<ValidProgram> valid_program(const std::string& text) {
    auto program = wgsl::parse(text, {.file = "random.wgsl"});
    if (!program) return std::unexpected(program.error());
    return validate(*std::move(program));
}

/// A check of a program that must be right; returns the fault, or "" if there is none.
using Property = std::function<std::string(const Case&, const ValidProgram&)>;

void for_random_programs(HowMany how_many, const Property& fault,
                         testing::RandomKind kind = testing::RandomKind::usual) {
    const std::uint64_t first = number_in_environment("MUSTER_RANDOM_SEED", 1);
    const std::uint64_t end = first + count_of(how_many);
    std::string others;
    bool failed = false;
    for (std::uint64_t seed = first; seed < end; ++seed) {
        const testing::RandomProgram made = testing::random_program(seed, kind);
        const auto program = valid_program(made.text());
        REQUIRE_MESSAGE(program, "seed ", seed, ":\n", program.error().to_string(), "\n", made.text());
        const std::string wrong = fault(testing::random_case(made.text()), *program);
        if (wrong.empty()) continue;
        if (std::exchange(failed, true)) {
            others += fmt::format("\nseed {}: {}", seed, wrong);
            continue;
        }
        std::string reduced = wrong;
        const auto still_wrong = [&](const std::string& text) {
            const auto candidate = valid_program(text);
            if (!candidate) return false;
            const std::string found = fault(testing::random_case(text), *candidate);
            if (found.empty() || is_difference(found) != is_difference(wrong)) return false;
            reduced = found;
            return true;
        };
        const std::string small = testing::reduce(made, still_wrong).text();
        FAIL_CHECK("seed ", seed, ": ", wrong, "\nreduced to:\n", small, "\nwhose fault is: ", reduced);
    }
    if (!others.empty()) FAIL_CHECK("others that fail:", others);
}

/// A device's sizes of subgroups take turns.
std::uint32_t subgroup_size(const TestDevice& device, std::uint64_t turn) {
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t size = device.info.subgroup_sizes.least; size <= device.info.subgroup_sizes.most;
         size *= 2)
        sizes.push_back(size);
    return sizes[turn % sizes.size()];
}

std::vector<ValidProgram> programs_to_come(HowMany how_many) {
    std::vector<ValidProgram> programs;
    const std::uint64_t first = number_in_environment("MUSTER_RANDOM_SEED", 1);
    for (std::uint64_t seed = first; seed < first + count_of(how_many); ++seed)
        if (auto program = valid_program(testing::random_program(seed).text()))
            programs.push_back(*std::move(program));
    return programs;
}

/// The program's first data race, if any.
std::optional<std::string> races_of(const Case& test, const ValidProgram& program) {
    Outputs values = *inputs_of(test, program);
    std::vector<BoundBytes> bound;
    for (Values& value : values) bound.push_back({std::as_writable_bytes(std::span(value.words))});
    const Extent3 grid = *workgroups(test.grid, program->workgroup_size());
    const auto report =
        interpret(program, bound, {.extent = grid, .grid = grid}, {.seed = 4, .report_races = true});
    if (!report) return report.error().to_string();
    if (report->findings.empty()) return {};
    return report->findings.front().message;
}

/// The results of a split program's parts, run by the interpreter with poisoned scratch.
Result<Outputs> run_parts(const Case& test, const ValidProgram& program, const SplitProgram& split) {
    Outputs values = *inputs_of(test, program);
    std::vector<std::vector<std::uint32_t>> memory;
    for (const Values& value : values) memory.push_back(value.words);
    const Extent3 grid = *workgroups(test.grid, program->workgroup_size());
    muster::test::InterpretedParts parts(split, memory, grid, 5);
    GridWalk walk(split, grid, muster::test::sizes_of(memory));
    if (auto ended = walk.go_on(parts, 100'000); !ended) return std::unexpected(ended.error());
    for (std::size_t i = 0; i < values.size(); ++i) values[i].words = memory[i];
    return values;
}

}  // namespace

TEST_CASE("random programs with subgroups have uniform control flow, and give the same in any order") {
    for_random_programs(
        many,
        [](const Case& test, const ValidProgram& program) -> std::string {
            const auto again = wgsl::parse(wgsl::print(program), {.file = "printed.wgsl"});
            if (!again) return again.error().to_string();
            if (again->fingerprint() != program->fingerprint()) return "fingerprints differ";
            const std::uint32_t size = 4u << test.text.size() % 5;
            const auto first = run_interpreted(
                test, program, InterpretOptions{.seed = 1, .report_subgroups = true, .subgroup_size = size});
            const auto second =
                run_interpreted(test, program, InterpretOptions{.seed = 2, .subgroup_size = size});
            if (!first || !second) return (first ? second : first).error().to_string();
            for (const Finding& finding :
                 first->report.findings)  // a value of an inactive invocation is never used
                if (finding.kind == FindingKind::divergent_subgroup) return finding.message;
            return compare(first->outputs, second->outputs);
        },
        testing::RandomKind::subgroups);
}

TEST_CASE("random programs with subgroups give the same with all but ballot and shuffle expanded") {
    for_random_programs(
        many,
        [](const Case& test, const ValidProgram& program) -> std::string {
            const std::uint32_t size = 4u << test.text.size() % 5;
            OpSet native = OpSet::all_exact();
            native.insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
            const auto expanded = expand(program, native, size);
            if (!expanded) return expanded.error().to_string();
            const InterpretOptions options{.seed = 3, .subgroup_size = size};
            const auto whole = run_interpreted(test, program, options),
                       in_parts = run_interpreted(test, *expanded, options);
            if (!whole || !in_parts) return (whole ? in_parts : whole).error().to_string();
            return compare(whole->outputs, in_parts->outputs);
        },
        testing::RandomKind::subgroups);
}

TEST_CASE("random programs with grid barriers give the same in any order, and have no data races") {
    for_random_programs(
        many,
        [](const Case& test, const ValidProgram& program) -> std::string {
            if (!has_grid_barriers(program)) return "it has no grid barrier";
            const auto again = wgsl::parse(wgsl::print(program), {.file = "printed.wgsl"});
            if (!again) return again.error().to_string();
            if (again->fingerprint() != program->fingerprint()) return "fingerprints differ";
            const auto raced = races_of(test, program);
            return raced ? *raced
                         : compare(run_interpreted(test, program, 1), run_interpreted(test, program, 2));
        },
        testing::RandomKind::grid_barriers);
}

TEST_CASE("random programs with grid barriers do the same in parts as whole") {
    for_random_programs(
        many,
        [](const Case& test, const ValidProgram& program) -> std::string {
            const auto split = split_at_grid_barriers(program);
            if (!split) return split.error().to_string();
            return compare(run_interpreted(test, program, 1), run_parts(test, program, *split));
        },
        testing::RandomKind::grid_barriers);
}

TEST_CASE("random programs give the same in any order of invocations") {
    for_random_programs(many, [](const Case& test, const ValidProgram& program) {
        return compare(run_interpreted(test, program, 1), run_interpreted(test, program, 2));
    });
}

TEST_CASE("random programs printed and parsed again are the same programs") {
    for_random_programs(many, [](const Case&, const ValidProgram& program) -> std::string {
        const auto again = wgsl::parse(wgsl::print(program), {.file = "printed.wgsl"});
        if (!again) return again.error().to_string();
        return again->fingerprint() == program->fingerprint()
                   ? ""
                   : "fingerprints differ:\n" + wgsl::print(program);
    });
}

TEST_CASE("random programs mean the same with their math functions, division, root and fma expanded") {
    OpSet least = OpSet::all_exact();
    for (const Op op : {Op::div, Op::rem, Op::sqrt, Op::fma}) least.core.reset(static_cast<std::size_t>(op));
    for (const OpSet& native : {OpSet::all_exact(), least})
        for_random_programs(many, [&](const Case& test, const ValidProgram& program) -> std::string {
            const auto expanded = expand(program, native);
            if (!expanded) return expanded.error().to_string();
            return compare(run_interpreted(test, program, 3), run_interpreted(test, *expanded, 3));
        });
}

TEST_CASE("random programs give the interpreter's bits on every device" * doctest::test_suite("devices")) {
    for (const TestDevice& device : devices()) {
        CAPTURE(device.id);
        const bool flushes = device.info.exactness.subnormals == Promise::no;
        const HowMany here = for_device(device, many_on_devices, few);
        const auto fault = [&](const Case& test, const ValidProgram& program) {
            return compare(run_interpreted(test, program, 5), run_on(device, test, program), flushes);
        };
        build_ahead(device, [&] { return programs_to_come(here); });
        for_random_programs(here, fault);
        for_random_programs(for_device(device, many_across_grid, few_across_grid), fault,
                            testing::RandomKind::grid_barriers);
    }
}

TEST_CASE(
    "random programs with subgroups give the interpreter's bits on every device that has them, at its sizes" *
    doctest::test_suite("devices")) {
    for (const TestDevice& device : devices()) {
        if (device.info.subgroup_sizes.most == 0) continue;
        CAPTURE(device.id);
        const bool flushes = device.info.exactness.subnormals == Promise::no;
        for_random_programs(
            for_device(device, many_with_subgroups, few_with_subgroups),
            [&](const Case& test, const ValidProgram& program) -> std::string {
                const std::uint32_t size = subgroup_size(device, test.text.size());
                const auto expected =
                    run_interpreted(test, program, InterpretOptions{.seed = 5, .subgroup_size = size});
                if (!expected) return expected.error().to_string();
                auto session = Session::open({.policy = policy_for(device), .use_environment = false});
                if (!session) return session.error().to_string();
                const std::string wrong =
                    compare(expected->outputs,
                            run_in(*session, test, program, {.compile = {.subgroup_size = size}}), flushes);
                return wrong.empty() ? "" : fmt::format("at size {}: {}", size, wrong);
            },
            testing::RandomKind::subgroups);
    }
}

TEST_CASE("reduction keeps the property and takes out the rest") {
    const auto holds = [](const std::string& text) {
        return text.find("atomicAdd") != std::string::npos && valid_program(text).has_value();
    };
    std::uint64_t seed = 1;
    while (!holds(testing::random_program(seed).text())) ++seed;
    const testing::RandomProgram small = testing::reduce(testing::random_program(seed), holds);
    CHECK(holds(small.text()));
    CHECK(small.body.size() == 1);
}
