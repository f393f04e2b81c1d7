#include "contest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/core.h>

namespace muster::bench {
namespace {

/// The minimum seconds of a turn: a short run is repeated.
constexpr double shortest_turn = 0.02;

double turn(const Contender& contender, int runs) {
    return seconds([&] {
               for (int i = 0; i < runs; ++i) contender.run();
           }) /
           runs;
}

double value(std::uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); }

/// The number of words that differ by more than the tolerance.
std::size_t differing(const Words& a, const Words& b, double tolerance) {
    double greatest = 0;
    if (tolerance > 0)
        for (const std::uint32_t word : a) greatest = std::max(greatest, std::fabs(value(word)));
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i] && !(std::fabs(value(a[i]) - value(b[i])) <= tolerance * greatest)) ++count;
    return count;
}

}  // namespace

std::string compare_results(const Contest& contest) {
    const Words ours = contest.contenders[0].result();
    for (std::size_t k = 1; k < contest.contenders.size(); ++k) {
        if (!contest.contenders[k].result) continue;
        const Words theirs = contest.contenders[k].result();
        if (ours.size() != theirs.size()) return "results of different sizes";
        const std::size_t count = differing(ours, theirs, contest.tolerance);
        if (static_cast<double>(count) > contest.share * static_cast<double>(ours.size()))
            return fmt::format("{} of {} words differ from {}'s", count, ours.size(),
                               contest.contenders[k].name);
    }
    return "";
}

void run_alone(const Contest& contest, const std::string& name, int rounds) {
    for (const Contender& one : contest.contenders)
        for (int i = 0; one.name == name && i < rounds; ++i) one.run();
}

Times time_in_turns(const std::vector<Contender>& contenders, int rounds) {
    const std::size_t count = contenders.size();
    for (const Contender& one : contenders) one.run();
    double once = seconds(contenders[0].run);
    for (int i = 0; i < 10 && once < shortest_turn; ++i) once = std::min(once, seconds(contenders[0].run));
    const int runs = std::max(1, static_cast<int>(shortest_turn / std::max(once, 1e-6)));
    std::vector<std::vector<double>> samples(count), ratios(count);
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> took(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t k = (i + static_cast<std::size_t>(round)) % count;
            took[k] = turn(contenders[k], runs);
        }
        for (std::size_t k = 0; k < count; ++k) {
            samples[k].push_back(took[k]);
            ratios[k].push_back(took[0] / took[k]);
        }
    }
    Times times;
    for (std::size_t k = 0; k < count; ++k) {
        times.seconds.push_back(median(samples[k]));
        times.ratios.push_back(median(ratios[k]));
    }
    return times;
}

}  // namespace muster::bench
