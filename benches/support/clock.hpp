// clock.hpp - what the benchmarks measure time with.
#pragma once

#include <functional>
#include <vector>

namespace muster::bench {

double median(std::vector<double> of);
/// The time of a call: wall time, or after count_cpu_time() the processor time of this process.
double seconds(const std::function<void()>& call);
/// For a device that is the processor, on a machine with other users.
void count_cpu_time();
bool counts_cpu_time();

}  // namespace muster::bench
