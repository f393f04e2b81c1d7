// contest.hpp - one row of the table: a kernel of ours and its peers, checked against each other, then timed in turns.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace muster::bench {

struct Contender {
    std::string name;
    std::function<void()> run;                   // returns when the result is there
    std::function<std::vector<float>()> result;  // of the last run
    std::function<void()> reset = {};            // before the run whose result is looked at
};

struct Contest {
    double work = 0;                    // of one run, in units below
    std::string unit;                   // per second, "GB/s"
    double tolerance = 0;               // of a result, relative to the greatest of the peer's
    std::vector<Contender> contenders;  // ours first
};

/// Runs each once and compares with the first peer. Returns what is wrong, or nothing.
std::string compare_results(const Contest& contest);

/// The median seconds of a run of each, in turns. Between turns there is a pause, in which the threads of who had
/// the last one stop spinning; the first run of a turn isn't counted.
std::vector<double> time_in_turns(const std::vector<Contender>& contenders, int rounds);

double median(std::vector<double> of);
/// What a call takes: wall time, or after count_cpu_time() the processor time of this process.
double seconds(const std::function<void()>& call);
/// For a machine that others use too: everybody gets one core, and what counts is the time spent on it.
void count_cpu_time();
bool counts_cpu_time();

}  // namespace muster::bench
