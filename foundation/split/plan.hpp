// plan.hpp - what each part of a split program is given and leaves behind. Internal to the splitter.
//
// *Carried* is what lives from one part to another and isn't computed again: it has a place in the scratch, of its own
// while it lives. A part restores what it may read of that, first thing, and saves what it has changed where that is live
// after it.
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
        value,      // of a node
        variable,   // of an invocation; also those below that the program hasn't
        workgroup,  // a variable, saved once per workgroup
    };
    Kind kind = Kind::value;
    NodeId node;          // value
    VariableId variable;  // variable, workgroup
    std::uint64_t words = 0;
    std::uint64_t slot = 0;  // words of the invocation, or of the workgroup, before it
    bool is_live = false;    // between any two steps: only then it has a slot
};

/// An invocation for which this holds has returned.
struct Guard {
    NodeId condition;
    bool when = true;
};

struct PartPlan {
    bool is_part = false;
    std::vector<NodeId> leaves;    // host values, each once
    std::vector<NodeId> computed;  // values of other stretches that are computed again, operands first
    std::vector<std::uint32_t> restored, saved;  // into Plan::carried
    std::vector<Guard> guards;
    bool asks_returned = false;     // some may have returned, and only their word says so
    std::vector<NodeId> asks_left;  // constructs around that some may have left
    std::vector<VariableId>
        opened;  // function variables to be declared first: they are declared elsewhere, or outlive this
};

struct Plan {
    std::vector<Carried> carried;
    std::vector<PartPlan> parts;                  // by stretch
    std::vector<bool> required;                   // by placed node: a part evaluates it
    std::vector<std::uint32_t> carried_value;     // by node: into carried, or none
    std::vector<std::uint32_t> carried_variable;  // by variable, ours included
    std::vector<bool> is_guard_return;   // by node: a return_ whose condition later parts compute again
    VariableId returned;                 // ours, u32: 1 once the invocation has returned
    std::vector<VariableId> left_flags;  // ours, u32, as Schedule::left
    std::uint64_t invocation_words = 0, workgroup_words = 0;

    static constexpr std::uint32_t none = UINT32_MAX;
};

/// Whether a stretch's part, made by a plan as far as it is known, overwrites all of a workgroup variable before anything
/// reads it.
using OverwritesFirst =
    std::function<Result<bool>(const Plan& plan, std::uint32_t stretch, VariableId variable)>;

Result<Plan> make_plan(const Program& program, const Shape& shape, const HostValues& host,
                       const Schedule& schedule, FloatResults floats,
                       const OverwritesFirst& overwrites_first);

}  // namespace muster::split
