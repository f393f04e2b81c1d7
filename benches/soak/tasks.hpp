// tasks.hpp - what a thread of a soak does again and again: one task, chosen at random,
// whose results it checks.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

#include "stock.hpp"

namespace muster::soak {

struct Worker {
    Stock& stock;
    std::mt19937 random;

    std::uint32_t word() { return static_cast<std::uint32_t>(random()); }
    std::uint32_t below(std::uint32_t limit) { return word() % limit; }
    bool once_in(std::uint32_t times) { return below(times) == 0; }
    SharedDevice& device() { return stock.devices[below(static_cast<std::uint32_t>(stock.devices.size()))]; }
    Words words(std::size_t count);
};

struct Task {
    std::string_view name;
    std::uint32_t weight;          // its share of all tasks
    Result<void> (*run)(Worker&);  // errors: internal (a wrong result), those of the calls
};

/// A task by its weight, of those whose names contain `part`; if there are none, of all.
const Task& any_task(Worker& worker, std::string_view part);

}  // namespace muster::soak
