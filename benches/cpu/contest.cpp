#include "contest.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include <fmt/core.h>
#include <omp.h>
#include <sched.h>

namespace muster::bench {
namespace {

constexpr auto pause_between_turns = std::chrono::milliseconds(40);
constexpr double shortest_turn = 0.02, longest_warm_up = 1;

std::vector<float> fresh_result(const Contender& contender) {
    if (contender.reset) contender.reset();
    contender.run();
    return contender.result();
}

double turn(const Contender& contender) {
    std::this_thread::sleep_for(pause_between_turns);
    const double first = seconds(contender.run);
    if (first > longest_warm_up) return first;
    const int runs = std::max(1, static_cast<int>(shortest_turn / std::max(first, 1e-6)));
    return seconds([&] {
               for (int i = 0; i < runs; ++i) contender.run();
           }) /
           runs;
}

}  // namespace

void count_time_of_one_core() {
    count_cpu_time();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    omp_set_num_threads(1);
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
    setenv("POCL_AFFINITY", "0", 1);
}

std::string compare_results(const Contest& contest) {
    if (contest.contenders.size() < 2) return "";
    const std::vector<float> expected = fresh_result(contest.contenders[1]);
    double greatest = 0;
    for (const float x : expected) greatest = std::max(greatest, std::fabs(static_cast<double>(x)));
    for (std::size_t k = 0; k < contest.contenders.size(); ++k) {
        if (k == 1 || !contest.contenders[k].result) continue;
        const std::vector<float> result = fresh_result(contest.contenders[k]);
        if (result.size() != expected.size()) return "results of different sizes";
        for (std::size_t i = 0; i < result.size(); ++i)
            if (!(std::fabs(static_cast<double>(result[i]) - static_cast<double>(expected[i])) <=
                  contest.tolerance * greatest))
                return fmt::format("{} has {} at {}, {} has {}", contest.contenders[k].name, result[i], i,
                                   contest.contenders[1].name, expected[i]);
    }
    return "";
}

std::vector<double> time_in_turns(const std::vector<Contender>& contenders, int rounds) {
    std::vector<std::vector<double>> samples(contenders.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < contenders.size(); ++i) samples[i].push_back(turn(contenders[i]));
    std::vector<double> medians;
    for (auto& of_one : samples) medians.push_back(median(std::move(of_one)));
    return medians;
}

}  // namespace muster::bench
