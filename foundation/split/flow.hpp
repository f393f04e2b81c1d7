// flow.hpp - data flow over the host's steps. Internal to the splitter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <muster/foundation/split/schedule.hpp>

namespace muster::split {

using Set = std::vector<bool>;

/// The effect of one segment on a set: out = (in - kills) + makes if forward; backward, in and out change
/// roles.
struct Transfer {
    Set makes, kills;
    explicit Transfer(std::size_t size) : makes(size), kills(size) {}
    Transfer(Set what_is_made, Set what_is_killed)
        : makes(std::move(what_is_made)), kills(std::move(what_is_killed)) {}
};

/// The steps that may follow a step.
std::vector<std::uint32_t> successors(const Schedule& schedule, std::uint32_t step);

/// Before each step: what is in the set on some path to the end. `by_segment` holds the segments' effects;
/// other steps have none.
std::vector<Set> flow_backward(const Schedule& schedule, const std::vector<Transfer>& by_segment,
                               std::size_t size);
/// Before each step: what is in the set on some path from the beginning, where it is `start`.
std::vector<Set> flow_forward(const Schedule& schedule, const std::vector<Transfer>& by_segment, Set start);

}  // namespace muster::split
