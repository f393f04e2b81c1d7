#include "process.hpp"

#include <cstdio>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

namespace muster::bench {
namespace {

std::vector<int> cores_of_this_process() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    std::vector<int> all;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(static_cast<std::size_t>(core), &set)) all.push_back(core);
    return all;
}

}  // namespace

std::string this_program() {
    std::string path(4096, '\0');
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return path;
}

std::size_t usable_cores() { return cores_of_this_process().size(); }

bool run_on_cores(std::size_t cores, const std::string& arguments,
                  const std::function<void(const std::string&)>& line) {
    std::vector<int> first = cores_of_this_process();
    if (first.size() < cores) return false;
    first.resize(cores);
    FILE* const out = popen(
        fmt::format("taskset -c {} {} {}", fmt::join(first, ","), this_program(), arguments).c_str(), "r");
    if (out == nullptr) return false;
    std::string text;
    for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) {
        if (c != '\n') {
            text += static_cast<char>(c);
            continue;
        }
        line(text);
        text.clear();
    }
    return pclose(out) == 0;
}

}  // namespace muster::bench
