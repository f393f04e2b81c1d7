// Conformance cases find mistakes planted in the text of the CUDA backend, of each kind. Every run is in a
// process of its own, because a kernel with a mistake may never end, or write anywhere: that counts as found,
// too.
#include "cuda-host/seeded_faults.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"
#include "support/cuda_host.hpp"
#include "support/cuda_host_parameters.hpp"
#include "support/fault_search.hpp"
#include "support/own_process.hpp"

using namespace muster;
using namespace muster::conformance;
using cuda::CudaSource;

namespace {

enum Verdict : int { same = 0, different = 1 };

constexpr int longest_run = 1;             // seconds of processor time; a case takes some milliseconds
constexpr Extent3 largest_part{2, 1, 1};   // of a grid, for one launch
constexpr std::size_t most_in_a_case = 2;  // positions of a kind that isn't found yet

struct Subject {
    Case test;
    ValidProgram program;
    CudaSource source;
    Outputs inputs, expected;
};

Subject subject_of(const Case& test) {
    const auto parsed = wgsl::parse(test.text, {.file = test.name + ".wgsl"});
    REQUIRE(parsed);
    const auto whole = validate(*parsed);
    REQUIRE(whole);
    auto program = expand(*whole, OpSet::all_exact());
    REQUIRE(program);
    auto source = cuda::lower(*program, {.options = routing::with_subgroup_size({}, **whole, cuda::warp_size),
                                         .dispatched = true,
                                         .debug = false,
                                         .entry_name = "faulty_" + to_string((*program)->fingerprint())});
    REQUIRE(source);
    auto inputs = inputs_of(test, **program);
    auto expected = run_interpreted(test, *program, 1);
    REQUIRE(expected);
    return {test, *std::move(program), *std::move(source), *std::move(inputs), *std::move(expected)};
}

/// The bindings' contents after the run; nothing if the launch failed.
std::optional<Outputs> run(const Subject& subject, const CudaSource& source, const test::HostKernel& kernel) {
    Outputs values = subject.inputs;
    std::vector<std::unique_ptr<test::HostMemory>> memory;
    std::vector<BoundMemory> bound;
    for (const Values& value : values) {
        memory.push_back(std::make_unique<test::HostMemory>(4 * value.words.size()));
        std::memcpy(memory.back()->data(), value.words.data(), memory.back()->bytes());
        bound.push_back({.memory = memory.back().get(), .bytes = memory.back()->bytes()});
    }
    const Extent3 grid = *workgroups(subject.test.grid, subject.program->workgroup_size());
    const test::HostMemory barrier_state(cuda::barrier_state_bytes);
    const FoldedGrid parts = *fold_grid(grid, source.barrier_state_offset ? grid : largest_part);
    for (std::uint32_t k = 0; k < parts.size(); ++k) {
        const test::HostParameters parameters(source,
                                              {.executable = nullptr,
                                               .bindings = bound,
                                               .origin = parts[k].origin,
                                               .extent = parts[k].extent,
                                               .grid = grid},
                                              barrier_state);
        if (!kernel.launch(parameters.bytes(), parts[k].extent, k + 1)) return std::nullopt;
    }
    if (!test::is_ready_for_next(barrier_state)) return std::nullopt;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!memory[i]->is_intact()) return std::nullopt;
        std::memcpy(values[i].words.data(), memory[i]->data(), memory[i]->bytes());
    }
    return values;
}

Verdict verdict_of(const Subject& subject, const CudaSource& source, const test::HostKernel& kernel) {
    const auto actual = run(subject, source, kernel);
    if (!actual) return different;
    for (std::size_t i = 0; i < actual->size(); ++i)
        if (!difference(subject.expected[i], (*actual)[i], false).empty()) return different;
    return same;
}

/// The verdict of a run in a process of its own.
Verdict try_out(const Subject& subject, const CudaSource& source) {
    const auto kernel = test::HostKernels::process(test::HostBuild::trapping).find(source);
    REQUIRE_MESSAGE(kernel, (kernel ? "" : kernel.error().to_string()));
    const auto exit =
        test::in_own_process(longest_run, [&] { return int{verdict_of(subject, source, *kernel)}; });
    return exit ? static_cast<Verdict>(*exit) : different;
}

/// The cases that find the most.
constexpr std::string_view best_cases =
    "atomics/compare_exchange atomics/signed_and_unsigned_order barriers/reverse bits/shifts "
    "builtins/ids control/divergent_loop conversions/float_to_integer floats/comparisons "
    "floats/never_contracted integers/comparisons integers/division_by_shared "
    "memory/out_of_bounds_storage memory/zero_before_use floats/min_and_max "
    "grid_barriers/early_return grid_barriers/two_barriers grid_barriers/returns_between_barriers "
    "grid_barriers/returns_in_different_turns grid_barriers/loop_left_by_returning "
    "grid_barriers/uniform_load_is_fixed float_atomics/all_operations halves/bits halves/conversions "
    "halves/fused halves/nan_bits matrices/order_of_sums small_integers/loads small_integers/stores "
    "subgroups/shuffles subgroups/votes views/bounds";

}  // namespace

// The short run ends once each kind has been found. With MUSTER_TEST_ALL, each kind is planted in each case,
// and the share of mistakes found is printed.
TEST_CASE("conformance cases find mistakes planted in CUDA's text, of each kind") {
    const bool all = std::getenv("MUSTER_TEST_ALL") != nullptr;
    const bool tell = std::getenv("MUSTER_TELL_UNFOUND") != nullptr;
    const auto kinds = test::fault_kinds();
    std::vector<test::Tally> tallies(kinds.size());
    std::size_t turn = 0;
    for (const Case& test : test::cases_in_order(best_cases, true)) {
        CAPTURE(test.name);
        if (!all && std::ranges::all_of(tallies, [](const test::Tally& tally) { return tally.found > 0; }))
            break;
        const Subject subject = subject_of(test);
        std::vector<CudaSource> sources{subject.source};
        std::vector<std::size_t> kind_of{kinds.size()};
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (!all && tallies[k].found > 0) continue;
            const std::size_t most = tallies[k].found > 0 ? 1 : most_in_a_case;
            for (CudaSource& faulty : test::planted(kinds[k], subject.source, most, all ? turn++ : 0)) {
                sources.push_back(std::move(faulty));
                kind_of.push_back(k);
            }
        }
        if (sources.size() == 1) continue;
        test::HostKernels::process(test::HostBuild::trapping).build(sources);
        REQUIRE(try_out(subject, sources[0]) == same);
        for (std::size_t i = 1; i < sources.size(); ++i) {
            const test::FaultKind& kind = kinds[kind_of[i]];
            CAPTURE(kind.what);
            const Verdict verdict = try_out(subject, sources[i]);
            test::Tally& tally = tallies[kind_of[i]];
            ++tally.planted;
            if (verdict == different) ++tally.found;
            if (verdict == same && tell) fmt::print("not found in {}: {}\n", test.name, kind.what);
        }
    }
    test::check_found(kinds, tallies, all);
}
