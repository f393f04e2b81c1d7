// tune.hpp - searches a program's override constants: runs every combination of the given values on a device,
// and tells which is fastest.
//
//     auto tuned = bench::tune({.session = ...}, {.program = ..., .bindings = ..., .grid = Invocations{n},
//                                                 .axes = {{"tile", {"8", "16", "32"}}}});
//
// A combination's results are compared with those of the defaults, from the same data; one that differs isn't
// timed. The fastest is timed against the defaults once more, in turns, and counts only if it is clearly
// faster. Threads: as bench.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/measuring/bench.hpp>

namespace muster::bench {

using Overrides = std::vector<wgsl::OverrideValue>;
/// "tile=16 lanes=64", or "the defaults".
std::string text_of(const Overrides& overrides);

struct TuneAxis {
    std::string name;                 // of an override
    std::vector<std::string> values;  // to try
};

struct TuneJob {
    std::function<Result<ValidProgram>(const Overrides&)> program;
    std::map<std::string, std::vector<std::byte>> bindings;  // by name: their bytes before a run
    Grid grid;
    std::vector<TuneAxis> axes;
    /// How far an f32 may be from that of the defaults, relative to the largest magnitude in its binding:
    /// sums in another order differ. Everything else must have the same bits.
    double tolerance = 1e-4;
};

struct Trial {
    Overrides overrides;  // empty: the defaults
    Outcome outcome = Outcome::measured;
    std::string text;  // the difference, or the error; empty if measured
    Times times;       // if measured
};

struct TunedDevice {
    std::string id, backend;
    DeviceInfo info;
    std::vector<Trial> trials;  // the defaults first
    std::size_t best = 0;       // of `trials`
    double gain = 1;            // how many times as fast as the defaults it is
};

/// The most combinations that are tried.
inline constexpr std::size_t most_trials = 256;
/// A combination that isn't so many times as fast as the defaults doesn't replace them: that is noise.
inline constexpr double least_gain = 1.03;

/// Errors: those of run(); invalid_argument (no axis, or one without values), limit_exceeded (too many
/// combinations); those of the program with its defaults.
Result<std::vector<TunedDevice>> tune(const Options& options, const TuneJob& job,
                                      const std::function<void(const Progress&)>& progress = {});

}  // namespace muster::bench
