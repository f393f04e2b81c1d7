// contest.hpp - one row of the table: a kernel of ours and its peers, compared with each other, then timed in
// turns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../support/clock.hpp"

namespace muster::bench {

struct Contender {
    std::string name;
    std::function<void()> run;  // returns when the result is there
    std::function<std::vector<float>()>
        result;                        // of the last run; none: a roof, what the machine can do at most
    std::function<void()> reset = {};  // before the run whose result is compared
};

struct Contest {
    double work = 0;                    // of one run, in the unit below
    std::string unit;                   // per second, "GB/s"
    double tolerance = 0;               // of a result, relative to the peer's greatest value
    std::vector<Contender> contenders;  // ours first
};

/// Runs each contender once and compares it with the first peer. Returns the first difference, or "".
std::string compare_results(const Contest& contest);

/// The median seconds of a run of each contender, in turns. Between turns there is a pause, in
/// which the threads of the previous contender stop spinning; the first run of a turn isn't
/// counted, unless it takes long.
std::vector<double> time_in_turns(const std::vector<Contender>& contenders, int rounds);

/// For a machine with other users: each contender gets one core, and its processor time is measured.
void count_time_of_one_core();

}  // namespace muster::bench
