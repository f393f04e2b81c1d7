// schedule.hpp - a program cut at its grid barriers: straight stretches, and what the host does between them. Internal
// to the splitter.
//
// A stretch is a run of statements on the host's level with no barrier between them. One that does anything becomes a
// part. The host's steps are a list with jumps, in the order of the source: a step goes on to the next one, where it doesn't
// say otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/split/host_values.hpp>
#include <muster/foundation/split/shape.hpp>

namespace muster::split {

/// A statement of a stretch.
struct Item {
    enum class Kind : std::uint8_t {
        node,    // of the program: evaluated where it stands; constructs with all that is in them
        fetch,   // hand the node's value, which the host decides by, over to it
        enter,   // forget who had left the construct `node` when it was walked before
        census,  // tell the host that someone is left
    };
    Kind kind = Kind::node;
    NodeId node;
};

struct Stretch {
    std::vector<Item> items;
    std::vector<NodeId> inside;  // constructs around it that some invocations may leave by themselves
    bool is_census = false;
};

struct Schedule {
    std::vector<Stretch> stretches;
    std::vector<HostStep> steps;  // a run step's index is its stretch
    /// By load of a hosted variable: the load whose value, taken by an evaluate step, is the same.
    std::vector<NodeId> same_load;
    /// Constructs that some invocations leave by themselves, past statements that the host walks.
    std::vector<NodeId> left;
    std::vector<HostCases> cases;
    std::uint32_t loops = 0;
};

/// Errors: unsupported (a jump that validation should have refused).
Result<Schedule> make_schedule(const Program& program, const Shape& shape, const HostValues& host);

/// Whether a break_ in a part leaves a construct that the host walks.
bool leaves_walked(const Program& program, const Shape& shape, NodeId node);

}  // namespace muster::split
