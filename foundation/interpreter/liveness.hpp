// liveness.hpp - how long each node's value is needed. Internal to the interpreter's compiler.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::interpreter {

/// Placed nodes have positions 0, 1, ... in the order of a walk over the body; the end of a loop has one too.
struct Liveness {
    std::vector<std::uint32_t> position;  // by node
    // By node: the position of its value's last use, its own position if unused. A value from outside a loop
    // that is used in it is needed until the loop's end.
    std::vector<std::uint32_t> last;
    std::vector<std::uint32_t> uses;  // by node: how often it is an operand
    std::vector<std::vector<std::uint32_t>>
        writes;  // by variable: where it is declared or stored to, in order

    /// True if the variable is written strictly between two positions.
    bool is_written_between(VariableId variable, std::uint32_t from, std::uint32_t to) const;
};

Liveness find_liveness(const Program& program);

/// True if the node's value is words of its first operand: extract, and conversions that keep the bits.
bool is_part_of_operand(const Program& program, NodeId id);

}  // namespace muster::interpreter
