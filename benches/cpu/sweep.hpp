// sweep.hpp - how rows' time per element changes with the size and with the number of cores.
#pragma once

#include <string>

#include "bench.hpp"

namespace muster::bench {

/// Measures each size of a row that memory has room for, in this process, and prints lines for sweep(), tabs
/// between their fields: the row, the mode, the size, then each contender and its nanoseconds per element. A
/// line without tabs says what is left out.
void measure_sizes(Bench& bench, const Row& row, int rounds);

/// Measures on 1, 2 and all cores, each in a new process of this program with these arguments, which calls
/// measure_sizes(). Prints figures and cliffs, and writes and plots them in the folder.
void sweep(const std::string& folder, const std::string& arguments);

}  // namespace muster::bench
