#include "device_bench.hpp"

#include <cstdio>

namespace muster::bench {

void print_line(const std::string& what, const Times& times, std::size_t peer, double scale, const char* unit,
                double target) {
    fmt::print("| {} | {:.2f} {} | {:.2f} {} | {:.2f} | <= {:.3g} | {} |\n", what, times.seconds[0] * scale,
               unit, times.seconds[peer] * scale, unit, times.ratios[peer], target,
               times.ratios[peer] <= target ? "met" : "missed");
    std::fflush(stdout);
}

}  // namespace muster::bench
