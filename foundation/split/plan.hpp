// plan.hpp - the data that each part of a split program receives and leaves behind. Internal to the splitter.
//
// *Carried* data lives from one part to another and isn't computed again: it has a slot in the scratch while
// it lives. A part first restores the carried data that it may read, and at its end saves what it has
// changed, if that is live afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/split/schedule.hpp>

namespace muster::split {

struct Carried {
    enum class Kind : std::uint8_t {
        value,      // a node's value
        variable,   // an invocation's variable, also the plan's own (returned, left_flags)
        workgroup,  // a workgroup variable, saved once per workgroup
    };
    Kind kind = Kind::value;
    NodeId node;          // value
    VariableId variable;  // variable, workgroup
    std::uint64_t words = 0;
    std::uint64_t slot = 0;  // offset in words among those of the invocation or workgroup
    bool is_live = false;    // between any two steps; else it has no slot
};

/// Invocations for which `condition` equals `when` have returned.
struct Guard {
    NodeId condition;
    bool when = true;
};

struct PartPlan {
    bool is_part = false;
    std::vector<NodeId> leaves;                  // host values, without duplicates
    std::vector<NodeId> computed;                // values of other segments to compute again, operands first
    std::vector<std::uint32_t> restored, saved;  // indices into Plan::carried
    std::vector<Guard> guards;
    bool asks_returned = false;     // some invocations may have returned, recorded only in their word
    std::vector<NodeId> asks_left;  // enclosing constructs that some invocations may have left
    std::vector<VariableId>
        opened;  // function variables to declare first: declared elsewhere, or needed longer
};

struct Plan {
    std::vector<Carried> carried;
    std::vector<PartPlan> parts;                  // by segment
    std::vector<bool> required;                   // by placed node: a part evaluates it
    std::vector<std::uint32_t> carried_value;     // by node: index into carried, or none
    std::vector<std::uint32_t> carried_variable;  // by variable, including the plan's own
    std::vector<bool> is_guard_return;            // by return_ node: later parts compute its condition again
    VariableId returned;                          // the plan's own, u32: 1 once the invocation has returned
    std::vector<VariableId> left_flags;           // the plan's own, u32, parallel to Schedule::left
    std::uint64_t invocation_words = 0, workgroup_words = 0;

    static constexpr std::uint32_t none = UINT32_MAX;
};

/// Returns true if a segment's part, as far as the plan is known, overwrites a whole workgroup variable
/// before anything reads it.
using OverwritesFirst =
    std::function<Result<bool>(const Plan& plan, std::uint32_t segment, VariableId variable)>;

Result<Plan> make_plan(const Program& program, const HostControlFlow& host_flow, const HostValues& host,
                       const Schedule& schedule, FloatResults floats,
                       const OverwritesFirst& overwrites_first);

}  // namespace muster::split
