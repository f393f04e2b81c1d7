// schedule.hpp - cuts a program at its grid barriers into straight segments and the host's steps between
// them. Internal to the splitter.
//
// A segment is a run of statements on the host's level without a barrier between them. A segment that does
// anything becomes a part. The host's steps are a list with jumps, in source order; a step continues with the
// next one unless stated otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/split/host_control_flow.hpp>
#include <muster/foundation/split/host_values.hpp>

namespace muster::split {

/// A statement of a segment.
struct Item {
    enum class Kind : std::uint8_t {
        node,            // evaluates a node of the program at this point; for a construct, with its contents
        fetch,           // hands the node's value, which the host needs for a decision, to the host
        enter,           // forgets which invocations left the construct `node` in an earlier iteration
        liveness_check,  // tells the host that some invocation is left
    };
    Kind kind = Kind::node;
    NodeId node;
};

struct Segment {
    std::vector<Item> items;
    std::vector<NodeId> inside;  // enclosing constructs that some invocations may leave without the others
    bool is_liveness_check = false;
};

struct Schedule {
    std::vector<Segment> segments;
    std::vector<HostStep> steps;  // a run step's index is its segment
    /// By load of a hosted variable: the load with the same value that an evaluate step takes.
    std::vector<NodeId> same_load;
    /// Constructs that some invocations may leave without the others, past statements that the host walks.
    std::vector<NodeId> left;
    std::vector<HostCases> cases;
    std::uint32_t loops = 0;
};

/// Errors: unsupported (some invocations continue with a walked loop's next iteration before others).
Result<Schedule> make_schedule(const Program& program, const HostControlFlow& host_flow,
                               const HostValues& host);

/// True if the node is a break_ out of a construct that the host walks.
bool leaves_walked(const Program& program, const HostControlFlow& host_flow, NodeId node);

}  // namespace muster::split
