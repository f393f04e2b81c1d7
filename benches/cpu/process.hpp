// process.hpp - this program again, in a new process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace muster::bench {

std::string this_program();
/// The number of cores that this process may use.
std::size_t usable_cores();
/// Runs this program with these arguments on the first of the cores that this process may use, by taskset.
/// Calls `line` with each line that it prints, as it does. False if there are too few cores, or if it fails.
bool run_on_cores(std::size_t cores, const std::string& arguments,
                  const std::function<void(const std::string&)>& line);

}  // namespace muster::bench
