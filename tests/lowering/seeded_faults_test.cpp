// Conformance cases find mistakes planted in the lowering's modules, of each kind. Every run is in a process of
// its own, because a kernel with a mistake may fault or never end: that counts as found, too.
#include "lowering/seeded_faults.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/time.h>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "lowering/run_lowered.hpp"
#include "support/fault_search.hpp"
#include "support/own_process.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

enum Verdict : int { same = 0, different = 1, not_built = 2 };

constexpr std::uint32_t lanes = 8;
constexpr int most_seconds = 20;      // of processor time, to build
constexpr timeval longest_run{1, 0};  // to run; a case takes some microseconds

struct Subject {
    Case test;
    ValidProgram program;
    Outputs expected;
};

std::optional<Subject> subject_of(const Case& test) {
    const auto parsed = wgsl::parse(test.text, {.file = test.name + ".wgsl"});
    REQUIRE(parsed);
    auto program = validate(*parsed);
    REQUIRE(program);
    auto expected = run_interpreted(test, *program, InterpretOptions{.seed = 1, .subgroup_size = lanes});
    REQUIRE(expected);
    return Subject{test, *std::move(program), std::move(expected->outputs)};
}

Verdict verdict_of(const Subject& subject, test::Lowered lowered) {
    const auto image = std::move(lowered).build();
    if (!image) return not_built;
    const itimerval limit{.it_interval = {}, .it_value = longest_run};
    setitimer(ITIMER_PROF, &limit, nullptr);
    const auto actual = test::run_image(*image, subject.test, subject.program);
    if (!actual) return different;
    for (std::size_t i = 0; i < actual->size(); ++i)
        if (!difference(subject.expected[i], (*actual)[i], false).empty()) return different;
    return same;
}

/// The verdict of a run in a process of its own, which plants the fault in its copy of the lowered kernel.
Verdict try_out(const Subject& subject, test::Lowered& lowered, const test::Change& plant) {
    const auto exit = test::in_own_process(most_seconds, [&] {
        plant();
        return int{verdict_of(subject, std::move(lowered))};
    });
    return exit ? static_cast<Verdict>(*exit) : different;
}

/// False for cases that are lowered as for a machine without instructions for f16.
bool has_half(const Case& test) {
    return test.name != "halves/conversions" && test.name != "halves/arithmetic";
}

/// At most `most` of the changes, spread over all, beginning with one that `turn` selects.
std::vector<test::Change> sample(const std::vector<test::Change>& all, std::size_t most, std::size_t turn) {
    std::vector<test::Change> some;
    const std::size_t count = std::min(most, all.size());
    for (std::size_t i = 0; i < count; ++i) some.push_back(all[(turn + i * all.size() / count) % all.size()]);
    return some;
}

}  // namespace

/// The cases that find the most.
constexpr std::string_view best_cases =
    "atomics/compare_exchange atomics/signed_and_unsigned_order barriers/reverse "
    "barriers/values_live_across bits/shifts builtins/ids control/divergent_loop "
    "conversions/float_to_integer floats/comparisons floats/never_contracted halves/arithmetic "
    "halves/conversions halves/vectors integers/comparisons integers/division_by_shared "
    "matrices/products memory/out_of_bounds_storage memory/zero_before_use "
    "small_integers/conversions small_integers/loads small_integers/stores "
    "subgroups/divergent_branches subgroups/shuffles views/bounds views/types";

// The short run ends once each kind has been found. With MUSTER_TEST_ALL, each kind is planted once in each
// case, and the share of mistakes found is printed.
TEST_CASE("conformance cases find mistakes planted in their lowering, of each kind") {
    const bool all = std::getenv("MUSTER_TEST_ALL") != nullptr;
    const bool tell = std::getenv("MUSTER_TELL_UNFOUND") != nullptr;
    const auto kinds = test::fault_kinds();
    std::vector<test::Tally> tallies(kinds.size());
    std::size_t turn = 0;
    for (const Case& test : test::cases_in_order(best_cases, false)) {
        CAPTURE(test.name);
        if (!all && std::ranges::all_of(tallies, [](const test::Tally& tally) { return tally.found > 0; }))
            break;
        const auto subject = subject_of(test);
        auto lowered = test::Lowered::make(subject->program, lanes, false, has_half(test));
        REQUIRE(lowered);
        bool sound = false;
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (!all && tallies[k].found > 0) continue;
            CAPTURE(kinds[k].what);
            const bool once_is_enough = all && tallies[k].found > 0;
            const auto planted =
                sample(places(kinds[k], lowered->module()), once_is_enough ? 1 : 4, all ? turn++ : 0);
            for (const test::Change& plant : planted) {
                if (!sound) REQUIRE(try_out(*subject, *lowered, [] {}) == same);
                sound = true;
                const Verdict verdict = try_out(*subject, *lowered, plant);
                CHECK(verdict != not_built);
                ++tallies[k].planted;
                if (verdict == different) ++tallies[k].found;
                if (verdict == same && tell) fmt::print("not found in {}: {}\n", test.name, kinds[k].what);
                if (!all && verdict == different) break;
            }
        }
    }
    test::check_found(kinds, tallies, all);
}
