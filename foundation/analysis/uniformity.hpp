// uniformity.hpp - determines which values and which control flow are uniform over a subgroup, over a
// workgroup or over the grid.
//
// Applies WGSL's section "Uniformity" to the IR, where functions are inlined and so one structured body
// remains. Function variables are followed store by store, through branches, loops and jumps; private ones
// count as non-uniform, like loads from memory that invocations may write, and atomics; a load from workgroup
// memory between two workgroup barriers, with only loads and values in between, is uniform over the
// workgroup. Control flow after a statement that some invocations may leave by break_, continue_ or return_
// is as uniform as the condition that decided it. For grid barriers, where an invocation that has returned
// counts as arrived, return_ makes nothing non-uniform.
//
//     Uniformity uniformity = analyse(program);
//     if (uniformity.of(index) <= UniformOver::workgroup) ...   // one scalar serves all lanes
//
// Threads: values; nothing shared. Cost: nearly linear in nodes. If very many variables meet very many jumps
// the analysis is coarser: every load of a function variable counts as non-uniform.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Ordered: uniform over the grid implies uniform over each workgroup, and that over each subgroup.
enum class UniformOver : std::uint8_t { grid, workgroup, subgroup, nothing };
std::string_view name(UniformOver uniform);

/// How invocations that returned affect the others. apart: those that go on are separated from them, as in
/// WGSL's rules. arrived: they count as arrived wherever the others get, as for grid barriers
/// (grid_barrier.hpp).
enum class Returned : std::uint8_t { apart, arrived };

class Uniformity {
  public:
    /// The uniformity of a value: invocations that evaluate it together, in the same iterations of the same
    /// loops, get the same result. For a reference: they reach the same place. Undefined for statements.
    UniformOver of(NodeId value) const { return level_[value.index]; }
    /// The uniformity of control flow at a block's beginning or at a placed node: of the invocations that it
    /// is uniform over, either all get there or none does. Unreachable code counts as uniform over the grid.
    UniformOver of_control(BlockId block) const { return level_[block_control_[block.index]]; }
    UniformOver of_control(NodeId placed) const { return level_[node_control_[placed.index]]; }

    /// The reason why the control flow at a placed node isn't more uniform.
    struct Cause {
        NodeId branch;  // the if_, switch_ or break_if whose condition invocations may disagree about
        NodeId source;  // what the condition depends on: a built-in value, a load, an atomic or an extension
    };
    /// Returns nothing if of_control(placed) is uniform over `wanted`.
    std::optional<Cause> cause_of_control(NodeId placed, UniformOver wanted = UniformOver::workgroup) const;
    /// The node that makes a value or a reference non-uniform over `wanted`; nothing if it is uniform.
    std::optional<NodeId> source_of(NodeId value, UniformOver wanted) const;

  private:
    friend Uniformity analyse(const Program& program, Returned returned);
    // By vertex of the dependency graph: one per node of the program, then joins of
    // control flow and variables.
    std::vector<UniformOver> level_;
    std::vector<std::uint32_t> raised_by_;  // the vertex that made this one non-uniform; a source has itself
    std::vector<std::uint32_t> node_control_, block_control_;  // vertices
    std::vector<bool> is_branch_;                              // by node
};

/// Precondition: the program's structure is valid (validate.hpp); types and barriers don't matter.
Uniformity analyse(const Program& program, Returned returned = Returned::apart);

MUSTER_API_END
}  // namespace muster
