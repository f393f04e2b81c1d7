// carry.hpp - what parts restore and save of what is carried, and where that lies in the scratch. Internal to the splitter.
#pragma once

#include <cstddef>
#include <vector>

#include <muster/foundation/split/flow.hpp>
#include <muster/foundation/split/plan.hpp>

namespace muster::split {

/// What one stretch does to each of Plan::carried.
struct Doings {
    Set exposed;  // may be read before it is surely written
    Set kills;    // surely written
    Set writes;   // may be written
    explicit Doings(std::size_t size) : exposed(size), kills(size), writes(size) {}
};

/// Before each step: what may no longer have the value that it has before the body begins.
std::vector<Set> maybe_changed(const Program& program, const Schedule& schedule,
                               const std::vector<Doings>& by_stretch, const Plan& plan);

/// Of what stands from `first` on in the plan's carried: decides what parts restore and save, and gives it slots.
void carry(const Program& program, const Schedule& schedule, std::vector<Doings> by_stretch,
           std::size_t first, Plan& plan);

}  // namespace muster::split
