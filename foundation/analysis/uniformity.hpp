// uniformity.hpp - which values and which control flow all invocations of a workgroup, or of the grid, share.
//
// WGSL's section "Uniformity", on the IR: functions are inlined, so one structured body is looked at.
// Function variables are followed store by store, through branches, loops and jumps; private ones count as
// non-uniform, like loads from memory that invocations may write, and atomics. Control flow after a statement
// that some invocations may leave by break_, continue_ or return_ is as uniform as what decided that. For grid
// barriers, for which an invocation that has returned counts as arrived, return_ parts nobody.
//
//     Uniformity uniformity = analyse(program);
//     if (uniformity.of(index) <= UniformOver::workgroup) ...   // one scalar serves all lanes
//
// Threads: values; nothing shared. Cost: near linear in nodes. Programs in which very many variables meet
// very many jumps are looked at less closely: then every load of a function variable counts as non-uniform.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// Ordered: what is uniform over the grid is so over each workgroup.
enum class UniformOver : std::uint8_t { grid, workgroup, nothing };
std::string_view name(UniformOver uniform);

/// Where some invocations return, those that go on are apart from them, as WGSL's rules have it; or the others
/// count as arrived wherever these get, as grid barriers have it (grid_barrier.hpp).
enum class Returned : std::uint8_t { apart, arrived };

class Uniformity {
  public:
    /// Of a value: the invocations that evaluate it together, in the same turns of the same loops, get the
    /// same. A reference: they reach the same place. Of statements it says nothing.
    UniformOver of(NodeId value) const { return level_[value.index]; }
    /// Of the control flow where a block begins, and where a placed node stands: over such a set, every
    /// invocation gets here or none does. Unreachable code counts as uniform over the grid.
    UniformOver of_control(BlockId block) const { return level_[block_control_[block.index]]; }
    UniformOver of_control(NodeId placed) const { return level_[node_control_[placed.index]]; }

    /// Why the control flow at a placed node is no more uniform than it is.
    struct Cause {
        NodeId branch;  // the if_, switch_ or break_if whose condition invocations may disagree about
        NodeId source;  // what that depends on: a built-in value, a load, an atomic or an extension
    };
    /// Empty where of_control(placed) is uniform over `wanted`.
    std::optional<Cause> cause_of_control(NodeId placed, UniformOver wanted = UniformOver::workgroup) const;
    /// What a value or a reference that isn't uniform over `wanted` depends on; empty where it is.
    std::optional<NodeId> source_of(NodeId value, UniformOver wanted) const;

  private:
    friend Uniformity analyse(const Program& program, Returned returned);
    // By vertex of the graph of dependencies: one per node of the program, then joins of control flow and
    // variables.
    std::vector<UniformOver> level_;
    std::vector<std::uint32_t> raised_by_;  // the vertex that made this one non-uniform; itself: a source
    std::vector<std::uint32_t> node_control_, block_control_;  // the vertex
    std::vector<bool> is_branch_;                              // by node
};

/// Precondition: the program's structure is valid (validate.hpp); types and barriers don't matter.
Uniformity analyse(const Program& program, Returned returned = Returned::apart);

}  // namespace muster
