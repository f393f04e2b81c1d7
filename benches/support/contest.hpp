// contest.hpp - one row of a table: a kernel of ours and the same in a plain program of the same API,
// compared, then timed in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "clock.hpp"
#include "kernel_kit.hpp"

namespace muster::bench {

struct Contender {
    std::string name;
    std::function<void()> run;      // returns when the result is there
    std::function<Words()> result;  // of a run from the start: the bits; empty: not compared
};

struct Contest {
    double work = 0;   // of one run, in the unit below
    std::string unit;  // per second, "GB/s"
    /// The tolerance of a result's floats, relative to the greatest, and the share of floats that may differ
    /// by more. Both 0: the same bits.
    double tolerance = 0, share = 0;
    bool always_tolerant = false;       // also in exact mode, which otherwise requires the same bits
    std::vector<Contender> contenders;  // ours first
};

/// Runs each contender once and compares it with ours. Returns the first difference, or "".
std::string compare_results(const Contest& contest);

struct Times {
    std::vector<double> seconds;  // of a run: the median
    std::vector<double> ratios;   // our time over each one's: the median of the turns' ratios
};
/// Times all contenders in turns; the first one changes.
Times time_in_turns(const std::vector<Contender>& contenders, int rounds);

/// For a profiler: runs the contender of this name, and compares nothing.
void run_alone(const Contest& contest, const std::string& name, int rounds);

}  // namespace muster::bench
