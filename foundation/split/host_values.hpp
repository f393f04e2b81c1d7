// host_values.hpp - what the host can evaluate by itself, between the parts of a split program. Internal to the
// splitter.
//
// Constants, num_workgroups, array_length, uniforms, storage that the program only reads, grid_uniform_load, exact
// operations on these, and *hosted* variables: function variables that are only stored to where the host walks, and only
// what it can evaluate. The counter of a loop around barriers is one. Such a variable lives on the host; the parts get
// what it holds as values.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/split/shape.hpp>

namespace muster::split {

class HostValues {
  public:
    /// Where results of floats vary, none of their operations is the host's.
    HostValues(const Program& program, const Shape& shape, FloatResults floats);

    bool is_hosted(VariableId variable) const { return hosted_[variable.index]; }
    bool is_hosted_load(NodeId node) const;
    /// A load, store or declaration of a hosted variable.
    bool is_hosted_access(NodeId node) const;
    bool can_evaluate(NodeId value) const { return cost_[value.index] <= most_cost; }
    /// The indices in a reference.
    bool can_resolve(NodeId reference) const;

  private:
    /// Operations in an expression, those that are used twice counted twice: what is evaluated anew each time.
    static constexpr std::uint32_t most_cost = 512, never = most_cost + 1;

    void find_candidates();
    void evaluate();
    std::uint32_t cost_of(NodeId node) const;
    std::uint32_t cost_of_operands(NodeId node) const;
    std::uint32_t cost_of_load(NodeId node) const;
    bool drop_unfit();
    VariableId accessed(NodeId node) const;

    const Program* program_;
    const Shape* shape_;
    FloatResults floats_;
    std::vector<bool> hosted_;         // by variable
    std::vector<std::uint32_t> cost_;  // by node
};

/// A scalar or a vector: what is contiguous in memory, too.
bool is_plain(const TypeTable& types, TypeId type);

}  // namespace muster::split
