// flow.hpp - data flow over the host's steps. Internal to the splitter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <muster/foundation/split/schedule.hpp>

namespace muster::split {

using Set = std::vector<bool>;

/// What one stretch does to a set: out = (in - kills) + makes, forward; backward the same the other way round.
struct Transfer {
    Set makes, kills;
    explicit Transfer(std::size_t size) : makes(size), kills(size) {}
    Transfer(Set what_is_made, Set what_is_killed)
        : makes(std::move(what_is_made)), kills(std::move(what_is_killed)) {}
};

/// The steps that may come after one.
std::vector<std::uint32_t> successors(const Schedule& schedule, std::uint32_t step);

/// Before each step: what is in the set on some way to the end. `by_stretch`: what stretches do; other steps do nothing.
std::vector<Set> flow_backward(const Schedule& schedule, const std::vector<Transfer>& by_stretch,
                               std::size_t size);
/// Before each step: what is in the set on some way from the start, where it is `start`.
std::vector<Set> flow_forward(const Schedule& schedule, const std::vector<Transfer>& by_stretch, Set start);

}  // namespace muster::split
