// host_values.hpp - the values that the host can evaluate between the parts of a split program.
// Internal to the splitter.
//
// These are constants, num_workgroups, array_length, uniforms, storage that the program only reads,
// grid_uniform_load, exact operations on these, and *hosted* variables: function variables that are stored to
// only in control flow that the host walks, and only with values that it can evaluate. The counter of a loop
// around barriers is one. A hosted variable lives on the host; parts receive its contents as host values.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/split/host_control_flow.hpp>

namespace muster::split {

class HostValues {
  public:
    /// If `floats` is varying, the host evaluates no float operation.
    HostValues(const Program& program, const HostControlFlow& host_flow, FloatResults floats);

    bool is_hosted(VariableId variable) const { return hosted_[variable.index]; }
    bool is_hosted_load(NodeId node) const;
    /// A load, store or declaration of a hosted variable.
    bool is_hosted_access(NodeId node) const;
    bool can_evaluate(NodeId value) const { return cost_[value.index] <= most_cost; }
    /// True if the host can evaluate all indices in a reference.
    bool can_resolve(NodeId reference) const;

  private:
    /// The limit on operations in an expression, counted once per use, as they are evaluated each time.
    static constexpr std::uint32_t most_cost = 512, never = most_cost + 1;

    void find_candidates();
    void evaluate();
    std::uint32_t cost_of(NodeId node) const;
    std::uint32_t cost_of_operands(NodeId node) const;
    std::uint32_t cost_of_load(NodeId node) const;
    bool drop_unfit();

    const Program* program_;
    const HostControlFlow* host_flow_;
    FloatResults floats_;
    std::vector<bool> hosted_;         // by variable
    std::vector<std::uint32_t> cost_;  // by node
};

/// True for scalars and vectors, which are contiguous in memory.
bool is_plain(const TypeTable& types, TypeId type);

}  // namespace muster::split
