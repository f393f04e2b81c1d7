// sanitize.hpp - runs a program on the interpreter with findings, over several seeds, and reports its errors.
// Internal to foundation, driver and the tool.
//
//     std::array bindings{BoundBytes{input}, BoundBytes{output}};    // in Program::bindings() order
//     Result<SanitizeReport> report = sanitize(program, bindings, {64, 64, 1});
//     for (const SanitizeFinding& each : report->findings) print(render(each, *report, *program));
//
// Each seed runs on a copy of the bindings, which aren't changed, with workgroups and invocations in an
// order of its own. Of a large grid each seed runs a sample: an execution of the whole grid in which the
// other workgroups begin later. So what a sample finds is true, with one exception (see
// FindingKind::step_limit: it may wait for one of the others), but there may be more to find. A program with
// grid barriers always runs whole.
//
// Threads: any; a call runs on the calling thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

namespace muster {

struct NonUniform;  // validate/non_uniform.hpp

MUSTER_API_BEGIN

/// How far a call has come.
struct SanitizeProgress {
    std::size_t run = 0, runs = 0;  // the seed's number, from 0
    std::uint64_t begun = 0, workgroups = 0;
};

struct SanitizeOptions {
    static constexpr std::uint64_t all = UINT64_MAX;

    std::vector<std::uint64_t> seeds = {0, 1, 2, 3};
    /// Workgroups that each seed runs, at least 8; 0: those of about 16384 invocations.
    std::uint64_t sample = 0;
    std::uint32_t subgroup_size = 0;  // as in InterpretOptions
    /// Steps of a workgroup, or of the whole grid if it has grid barriers, after which
    /// a loop counts as endless.
    std::uint64_t max_steps = std::uint64_t{1} << 30;
    /// Steps of a seed's workgroups together, after which its run ends.
    std::uint64_t max_run_steps = UINT64_MAX;
    std::size_t max_findings = 100;  // further ones are only counted
    std::vector<FindingKind> ignored;
    std::stop_token stop = {};
    std::function<void(const SanitizeProgress&)> progress = {};
};

struct SanitizeFinding {
    Finding finding;                   // as first seen; `times` is over all seeds
    std::vector<std::uint64_t> seeds;  // those that have seen it
    std::string fix;
};

struct SanitizeRun {
    std::uint64_t seed = 0;
    std::uint64_t workgroups = 0;  // to run
    std::uint64_t steps = 0;
    bool ended = true;  // false: stopped by max_steps or max_run_steps
};

struct SanitizeReport {
    Extent3 grid{0, 0, 0};
    std::vector<SanitizeRun>
        runs;  // empty if validation refuses the program; a run that doesn't end is the last
    std::uint64_t workgroups = 0;           // different ones, over all runs
    std::vector<SanitizeFinding> findings;  // by source location
    std::uint64_t findings_left_out = 0;

    bool is_sample() const { return workgroups < grid.count(); }
};

/// Merges findings at the same place, or at the same two places of a race in either order; a read before any
/// write that is also one side of a race is left out. Errors: invalid_argument (bindings, subgroup size, a
/// sample of fewer than 8 workgroups, no seed), limit_exceeded and out_of_memory as interpret() says,
/// timed_out (a stop is requested).
Result<SanitizeReport> sanitize(const ValidProgram& program, std::span<const BoundBytes> bindings,
                                Extent3 grid, const SanitizeOptions& options = {});
/// Likewise, of a part of a grid, whose other workgroups begin later; the report's grid is the
/// part. Its `only` isn't read.
Result<SanitizeReport> sanitize_part(const ValidProgram& program, std::span<const BoundBytes> bindings,
                                     const LaunchGrid& grid, const SanitizeOptions& options = {});

/// The report on a program that validate() refuses, if the reason is barriers or subgroup operations in
/// non-uniform control flow alone; without findings otherwise, also if the program is valid.
SanitizeReport sanitize_invalid(const Program& program);
/// The report on a text that wgsl::parse() refuses for this reason (wgsl/unproven.hpp).
SanitizeReport sanitize_invalid(std::span<const NonUniform> faults);

/// A finding for people, in lines: `file:line:column: kind: sentence`, the source line with a caret, the same
/// of the other access, how often it was seen, and the fix. No newline at the end.
std::string render(const SanitizeFinding& finding, const SanitizeReport& report, const Program& program);

MUSTER_API_END

/// The same text for findings that sanitize() merges.
std::string key_of(const Finding& finding);

}  // namespace muster
