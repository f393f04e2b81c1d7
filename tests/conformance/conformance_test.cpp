// Every case: the interpreter gives the expected results under several seeds; the program printed and parsed
// again is the same program; every device of this machine gives the interpreter's bits.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include <doctest/doctest.h>

#include <muster/conformance/check.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "conformance/support_table.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

const std::vector<Case>& all_cases() {
    static const std::vector<Case> cases = [] {
        auto loaded = load_cases();
        if (!loaded) FAIL(loaded.error().to_string());
        return *loaded;
    }();
    return cases;
}

std::optional<ValidProgram> parsed(const Case& test) {
    auto program = test.program();
    if (program) return *std::move(program);
    FAIL_CHECK(program.error().to_string());
    return std::nullopt;
}

}  // namespace

TEST_CASE("there are cases, and each says what it shows") {
    CHECK(all_cases().size() >= 80);
    for (const Case& test : all_cases()) CHECK_MESSAGE(!test.shows.empty(), test.name);
}

TEST_CASE("the interpreter gives what each case expects, in any order of invocations") {
    for (const Case& test : all_cases()) {
        CAPTURE(test.name);
        const auto program = parsed(test);
        if (!program) continue;
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            const auto outputs = run_interpreted(test, *program, seed);
            REQUIRE_MESSAGE(outputs, (outputs ? "" : outputs.error().to_string()));
            for (std::size_t i = 0; i < outputs->size(); ++i) {
                const std::string& name = (*program)->variable((*program)->bindings()[i]).name;
                const auto expected = test.expect.find(name);
                if (expected == test.expect.end()) continue;
                CHECK_MESSAGE(difference(expected->second, (*outputs)[i], false) == "", name);
            }
        }
    }
}

TEST_CASE("a program printed and parsed again is the same program") {
    for (const Case& test : all_cases()) {
        CAPTURE(test.name);
        const auto program = parsed(test);
        if (!program) continue;
        const std::string text = wgsl::print(*program);
        const auto again = wgsl::parse(text, {.file = "printed.wgsl"});
        CHECK_MESSAGE(again, (again ? "" : again.error().to_string()));
        if (again) CHECK_MESSAGE((*program)->fingerprint() == again->fingerprint(), text);
    }
}

TEST_CASE("no case of a grid barrier has a data race") {
    for (const Case& test : all_cases()) {
        const auto program = parsed(test);
        if (!program || !has_grid_barriers(*program)) continue;
        CAPTURE(test.name);
        Outputs values = *inputs_of(test, *program);
        std::vector<BoundBytes> bound;
        for (Values& value : values) bound.push_back({std::as_writable_bytes(std::span(value.words))});
        const Extent3 grid = *workgroups(test.grid, (*program)->workgroup_size());
        const auto report =
            interpret(*program, bound, {.extent = grid, .grid = grid}, {.seed = 7, .report_races = true});
        REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
        CHECK_MESSAGE(report->findings.empty(), report->findings.front().message);
    }
}

namespace {

/// The programs that the device compiles: without grid barriers of its own, the parts of programs that use them.
std::vector<ValidProgram> programs_for(const TestDevice& device) {
    const bool has_them = std::ranges::count(device.info.ops.extensions, grid_barrier_id) != 0;
    std::vector<ValidProgram> programs;
    for (const Case& test : all_cases()) {
        auto program = parsed(test);
        if (!program) continue;
        if (has_them || !has_grid_barriers(*program)) {
            programs.push_back(*std::move(program));
            continue;
        }
        if (const auto split = split_at_grid_barriers(*program))
            for (const SplitPart& part : split->parts) programs.push_back(part.program);
    }
    return programs;
}

std::string contents(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("there are devices, and an entry of ctest runs each") {
    CHECK_FALSE(devices().empty());
    const std::shared_ptr<Fleet> fleet = process_fleet();
    for (std::size_t i = 0; i < fleet->size(); ++i)
        CHECK_MESSAGE(names_backend(MUSTER_DEVICE_ENTRIES, fleet->entry(i).id), fleet->entry(i).id);
}

TEST_CASE("every device gives the interpreter's bits, but for known gaps; docs/support.md says so" *
          doctest::test_suite("devices")) {
    std::map<std::string, std::map<std::string, Tally>> seen;
    for (const TestDevice& device : devices()) {
        CAPTURE(device.id);
        build_ahead(device, [&] { return programs_for(device); });
        const auto gaps = known_gaps(device.backend);
        REQUIRE_MESSAGE(gaps, (gaps ? "" : gaps.error().to_string()));
        const auto report = check({.session = {.policy = policy_for(device), .use_environment = false},
                                   .gaps = *gaps,
                                   .timeout = std::chrono::hours(1),
                                   .deviations = false});
        REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
        REQUIRE(report->devices.size() == 1);
        for (const CaseResult& result : report->devices.front().cases) {
            CAPTURE(result.name);
            CAPTURE(result.kernel);
            CHECK_MESSAGE(result.outcome != CaseOutcome::closed_gap,
                          "this gap is closed: take it out of the list");
            CHECK_MESSAGE(result.outcome != CaseOutcome::failed, result.text);
            if (!device.documented) continue;
            Tally& tally = seen[result.name.substr(0, result.name.find('/'))][device.backend];
            ++tally.cases;
            // A gap of some driver counts on every machine, so that the table doesn't depend on this machine's driver.
            const bool is_gap = std::ranges::count(*gaps, result.name, &Gap::cases) != 0;
            if (result.outcome == CaseOutcome::passed && !is_gap) ++tally.passed;
        }
    }
    if (seen.empty()) return;  // MUSTER_TEST_BACKENDS names no documented backend
    const std::string document = contents(MUSTER_SUPPORT_DOCUMENT);
    const SupportTable table = parse_support_table(document);
    if (std::getenv("MUSTER_WRITE_SUPPORT") != nullptr) {
        std::ofstream(MUSTER_SUPPORT_DOCUMENT) << print_support_table(merge(table, seen));
        return;
    }
    CHECK_MESSAGE(document == print_support_table(merge(table, known_columns(table, seen))),
                  "run MUSTER_WRITE_SUPPORT=1 build/bin/conformance_test and commit docs/support.md");
}

TEST_CASE("a backend that the support table doesn't have changes nothing in it") {
    const SupportTable table{{"integers", {{"cpu", "all 2"}, {"vulkan", "1 of 2"}}}};
    const auto now = [&](const std::map<std::string, Tally>& row) {
        return merge(table, known_columns(table, {{"integers", row}}));
    };
    CHECK(now({{"cpu", {2, 2}}, {"strange", {0, 2}}}) == table);
    CHECK(now({{"cpu", {1, 2}}}) == SupportTable{{"integers", {{"cpu", "1 of 2"}, {"vulkan", "1 of 2"}}}});
    // A new behaviour has only the columns that there are.
    CHECK(merge(table, known_columns(table, {{"integers", {{"cpu", {2, 2}}}},
                                             {"bits", {{"cpu", {1, 1}}, {"strange", {1, 1}}}}}))
              .at("bits") == std::map<std::string, std::string>{{"cpu", "all 1"}});
}
