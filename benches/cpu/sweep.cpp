#include "sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "plot.hpp"
#include "process.hpp"

namespace muster::bench {
namespace {

constexpr double steepest_cliff = 1.15;

double available_bytes() {
    std::ifstream file("/proc/meminfo");
    std::string name, unit;
    for (double kib = 0; file >> name >> kib; std::getline(file, unit))
        if (name == "MemAvailable:") return kib * 1024;
    return 0;
}

struct Series {
    std::string row, mode;
    std::size_t cores;
    auto operator<=>(const Series&) const = default;
    std::string label() const { return fmt::format("{} core{}", cores, cores == 1 ? "" : "s"); }
};
using Times = std::map<std::string, double>;  // nanoseconds per element, by contender
using Figures = std::map<Series, std::map<std::size_t, Times>>;

// A line of measure_sizes(); one without tabs is printed as it is.
void take(const std::string& line, std::size_t cores, Figures& figures) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    if (fields.size() < 5) {
        fmt::print("{}\n", line);
        return;
    }
    const Series series{fields[0], fields[1], cores};
    Times& times = figures[series][std::strtoull(fields[2].c_str(), nullptr, 10)];
    for (std::size_t i = 3; i + 1 < fields.size(); i += 2)
        times[fields[i]] = std::atof(fields[i + 1].c_str());
    const double ours = times["muster"];
    std::string peers;
    for (const auto& [name, time] : times)
        if (name != "muster")
            peers +=
                fmt::format("{}{} {:.4g} ns ({:.2f}x)", peers.empty() ? "" : ", ", name, time, time / ours);
    fmt::print("| {} | {} | {} | {} | {:.4g} ns | {} |\n", series.row, series.mode, cores, fields[2], ours,
               peers);
    std::fflush(stdout);
}

struct Cliff {
    double factor = 0;
    std::size_t from = 0, to = 0;
};

// The greatest rise of our time per element from one size to the next, over that of the peer that rises
// least; a peer that becomes faster counts as one that stays.
Cliff worst_cliff(const std::map<std::size_t, Times>& sizes) {
    Cliff worst;
    for (auto next = sizes.begin(), at = next; next != sizes.end(); at = next) {
        if (++next == sizes.end()) break;
        double least = INFINITY;
        for (const auto& [name, time] : next->second)
            if (name != "muster") least = std::min(least, time / at->second.at(name));
        const double ours = next->second.at("muster") / at->second.at("muster");
        if (const double factor = ours / std::max(1.0, least); factor > worst.factor)
            worst = {factor, at->first, next->first};
    }
    return worst;
}

void print_cliffs(const Figures& figures) {
    fmt::print(
        "\n| kernel | mode | cores | worst cliff | sizes | target | |\n| --- | --- | --- | --- | --- | --- | "
        "--- "
        "|\n");
    std::string worst = "none";
    double greatest = 0;
    for (const auto& [series, sizes] : figures) {
        const Cliff cliff = worst_cliff(sizes);
        if (cliff.factor == 0) continue;
        fmt::print("| {} | {} | {} | {:.2f}x | {} to {} | <= {:.2f}x | {} |\n", series.row, series.mode,
                   series.cores, cliff.factor, cliff.from, cliff.to, steepest_cliff,
                   cliff.factor <= steepest_cliff ? "met" : "missed");
        if (cliff.factor <= greatest) continue;
        greatest = cliff.factor;
        worst = fmt::format("{:.2f}x, {}, {}, {}, from {} to {}", cliff.factor, series.row, series.mode,
                            series.label(), cliff.from, cliff.to);
    }
    fmt::print("\nThe worst cliff: {}.\n\n", worst);
}

// A plot for each kernel and mode, and one for each mode of the time by cores, at each kernel's last size.
std::vector<Plot> plots_of(const Figures& figures) {
    std::map<std::string, Plot> plots;
    const auto plot = [&](const std::string& name, const char* x, bool logarithmic) -> Plot& {
        return plots.try_emplace(name, Plot{name, x, "ns per element", logarithmic}).first->second;
    };
    for (const auto& [series, sizes] : figures) {
        Plot& by_size = plot(file_name(series.row + " " + series.mode), "size", true);
        for (const auto& [size, times] : sizes)
            for (const auto& [name, time] : times)
                by_size.curves[name + ", " + series.label()][static_cast<double>(size)] = time;
        Plot& by_cores = plot("cores-" + series.mode, "cores", false);
        const auto& [size, times] = *sizes.rbegin();
        for (const auto& [name, time] : times)
            by_cores.curves[fmt::format("{} of {}, {}", series.row, size, name)]
                           [static_cast<double>(series.cores)] = time;
    }
    std::vector<Plot> all;
    for (auto& [name, each] : plots) all.push_back(std::move(each));
    return all;
}

}  // namespace

void measure_sizes(Bench& bench, const Row& row, int rounds) {
    for (std::size_t size = row.sweep.first; size <= row.sweep.last; size *= 2) {
        const double elements = std::pow(static_cast<double>(size), row.sweep.dimensions),
                     bytes = row.sweep.bytes * elements, available = available_bytes();
        if (bytes > available) {
            fmt::print("{} is left out from {} on: that takes {:.1f} GB of memory, {:.1f} are available.\n",
                       row.name, size, bytes * 1e-9, available * 1e-9);
            return;
        }
        Contest contest = row.make(bench, size);
        if (const std::string wrong = compare_results(contest); !wrong.empty()) {
            fmt::print("{} of {} is left out, WRONG: {}\n", row.name, size, wrong);
            continue;
        }
        std::erase_if(contest.contenders, [](const Contender& each) { return !each.result; });
        const std::vector<double> times = time_in_turns(contest.contenders, rounds);
        fmt::print("{}\t{}\t{}", row.name, name(bench.precision), size);
        for (std::size_t i = 0; i < times.size(); ++i)
            fmt::print("\t{}\t{:.6g}", contest.contenders[i].name, times[i] * 1e9 / elements);
        fmt::print("\n");
        std::fflush(stdout);
    }
}

void sweep(const std::string& folder, const std::string& arguments) {
    Figures figures;
    fmt::print(
        "| kernel | mode | cores | size | muster, per element | peers (their time over ours) |\n"
        "| --- | --- | --- | --- | --- | --- |\n");
    for (const std::size_t cores :
         std::set<std::size_t>{1, std::min<std::size_t>(2, usable_cores()), usable_cores()})
        if (!run_on_cores(cores, arguments, [&](const std::string& line) { take(line, cores, figures); }))
            fmt::print(
                "{} cores are left out or not complete: the process ends with an error, or taskset isn't "
                "there.\n",
                cores);
    print_cliffs(figures);
    write_plots(folder, plots_of(figures));
}

}  // namespace muster::bench
