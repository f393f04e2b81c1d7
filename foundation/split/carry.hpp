// carry.hpp - decides what parts restore and save of the carried data, and assigns its slots in the scratch.
// Internal to the splitter.
#pragma once

#include <cstddef>
#include <vector>

#include <muster/foundation/split/flow.hpp>
#include <muster/foundation/split/plan.hpp>

namespace muster::split {

/// The effects of one segment on each entry of Plan::carried.
struct Effects {
    Set exposed;  // may be read before it is certainly written
    Set kills;    // certainly written
    Set writes;   // may be written
    explicit Effects(std::size_t size) : exposed(size), kills(size), writes(size) {}
};

/// Before each step: the entries that may differ from their value before the body begins.
std::vector<Set> maybe_changed(const Program& program, const Schedule& schedule,
                               const std::vector<Effects>& by_segment, const Plan& plan);

/// For the entries of plan.carried from `first` on: decides what each part restores and saves, and assigns
/// slots.
void carry(const Program& program, const Schedule& schedule, std::vector<Effects> by_segment,
           std::size_t first, Plan& plan);

}  // namespace muster::split
