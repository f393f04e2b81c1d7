// Every case: the interpreter gives the expected results under several seeds; the program printed and parsed
// again is the same program; every device of this machine gives the interpreter's bits.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include <doctest/doctest.h>

#include <muster/driver/routing/fit.hpp>
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
        auto loaded = load_cases(MUSTER_CONFORMANCE_CASES, MUSTER_CONFORMANCE_EXTENSION_CASES);
        if (!loaded) FAIL(loaded.error().to_string());
        return *loaded;
    }();
    return cases;
}

std::optional<ValidProgram> parsed(const Case& test) {
    auto program = wgsl::parse(test.text, {.file = test.name + ".wgsl"});
    if (!program) {
        FAIL_CHECK(program.error().to_string());
        return std::nullopt;
    }
    auto valid = validate(*std::move(program));
    if (!valid) {
        FAIL_CHECK(valid.error().to_string());
        return std::nullopt;
    }
    return *std::move(valid);
}

std::string first_difference(const Program& program, const Outputs& expected, const Outputs& actual,
                             bool flushed) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::string what = difference(expected[i], actual[i], flushed);
        if (!what.empty()) return program.variable(program.bindings()[i]).name + ": " + what;
    }
    return {};
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

std::string wrong_on(const TestDevice& device, const Case& test, const ValidProgram& program) {
    const auto expected = run_interpreted(test, program, 99);
    if (!expected) return expected.error().to_string();
    const auto actual = run_on(device, test, program);
    if (!actual) return actual.error().to_string();
    return first_difference(program, *expected, *actual, device.info.exactness.subnormals == Promise::no);
}

/// True if a case needs more than the device has: the device refuses it, with both numbers.
bool is_beyond_limits(const TestDevice& device, const ValidProgram& program) {
    const auto fits = supports(device.info, program);
    return !fits && fits.error().code == ErrorCode::limit_exceeded;
}

bool fits(const Gap& gap, const TestDevice& device, const Case& test) {
    return device.backend.starts_with(gap.backend) && device.info.driver.starts_with(gap.driver) &&
           gap.test == test.name;
}

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

/// True if any driver has this gap, so that the table doesn't depend on this machine's driver.
bool is_gap_of_some_driver(const std::vector<Gap>& gaps, const TestDevice& device, const Case& test) {
    return std::ranges::any_of(gaps, [&](const Gap& gap) {
        return device.backend.starts_with(gap.backend) && gap.test == test.name;
    });
}

std::string contents(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("every device gives the interpreter's bits, but for known gaps; docs/support.md says so") {
    const std::vector<Gap> gaps = known_gaps();
    const std::vector<TestDevice> present = devices();
    CHECK_FALSE(present.empty());
    std::map<std::string, std::map<std::string, Tally>> seen;
    for (const TestDevice& device : present) {
        build_ahead(device, [&] { return programs_for(device); });
        for (const Case& test : all_cases()) {
            CAPTURE(device.id);
            CAPTURE(test.name);
            const auto program = parsed(test);
            if (!program) continue;
            const std::string wrong = wrong_on(device, test, *program);
            const auto gap =
                std::ranges::find_if(gaps, [&](const Gap& one) { return fits(one, device, test); });
            if (is_beyond_limits(device, *program)) {
                CHECK_MESSAGE(wrong.find("limit_exceeded") != std::string::npos, wrong);
            } else if (gap != gaps.end()) {
                CHECK_MESSAGE(wrong != "", "this gap is closed: take it out of the list");
                CHECK_MESSAGE(wrong.find(gap->error) != std::string::npos, wrong);
            } else {
                CHECK_MESSAGE(wrong == "", wrong);
            }
            if (!device.documented) continue;
            Tally& tally = seen[test.name.substr(0, test.name.find('/'))][device.backend];
            ++tally.cases;
            if (wrong.empty() && !is_gap_of_some_driver(gaps, device, test)) ++tally.passed;
        }
    }
    if (seen.empty()) return;  // MUSTER_TEST_BACKENDS names no documented backend
    const std::string document = contents(MUSTER_SUPPORT_DOCUMENT);
    const std::string now = print_support_table(merge(parse_support_table(document), seen));
    if (std::getenv("MUSTER_WRITE_SUPPORT") != nullptr) std::ofstream(MUSTER_SUPPORT_DOCUMENT) << now;
    CHECK_MESSAGE(document == now,
                  "run MUSTER_WRITE_SUPPORT=1 build/bin/conformance_test and commit docs/support.md");
}
