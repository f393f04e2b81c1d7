// carry.hpp - decides what parts restore and save of the carried data, and assigns its slots in the scratch.
// Internal to the splitter.
#pragma once

#include <cstddef>
#include <vector>

#include <muster/foundation/split/flow.hpp>
#include <muster/foundation/split/plan.hpp>

namespace muster::split {

/// The effects of one stretch on each entry of Plan::carried.
struct Doings {
    Set exposed;  // may be read before it is certainly written
    Set kills;    // certainly written
    Set writes;   // may be written
    explicit Doings(std::size_t size) : exposed(size), kills(size), writes(size) {}
};

/// Before each step: the entries that may differ from their value before the body begins.
std::vector<Set> maybe_changed(const Program& program, const Schedule& schedule,
                               const std::vector<Doings>& by_stretch, const Plan& plan);

/// For the entries of plan.carried from `first` on: decides what each part restores and saves, and assigns
/// slots.
void carry(const Program& program, const Schedule& schedule, std::vector<Doings> by_stretch,
           std::size_t first, Plan& plan);

}  // namespace muster::split
