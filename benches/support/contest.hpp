// contest.hpp - one row of a table: a kernel of ours and the same as a plain program of the same API runs it, compared, then
// timed in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace muster::bench {

using Words = std::vector<std::uint32_t>;

struct Contender {
    std::string name;
    std::function<void()> run;      // returns when the result is there
    std::function<Words()> result;  // of one run from the start: the bits; none: it isn't compared
};

struct Contest {
    double work = 0;   // of one run, in units below
    std::string unit;  // per second, "GB/s"
    /// How much a result may differ, of which the values are floats, relative to the greatest; and which share of them may
    /// differ by more. Both 0: the same bits.
    double tolerance = 0, share = 0;
    bool always_tolerant = false;       // also in exact mode, which else asks for the same bits
    std::vector<Contender> contenders;  // ours first
};

/// Runs each once and compares it with ours. Returns what is wrong, or nothing.
std::string compare_results(const Contest& contest);

struct Times {
    std::vector<double> seconds;  // of a run: the median
    std::vector<double> ratios;   // ours over each: the median of each turn's own
};
/// All in turns, one after the other; who begins changes.
Times time_in_turns(const std::vector<Contender>& contenders, int rounds);

double median(std::vector<double> of);
/// What a call takes: wall time, or after count_cpu_time() the processor time of this process.
double seconds(const std::function<void()>& call);
/// For a device that is the processor, on a machine that others use too.
void count_cpu_time();
bool counts_cpu_time();

}  // namespace muster::bench
