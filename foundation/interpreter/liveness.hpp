// liveness.hpp - how long the value of each node is needed. Internal to the interpreter's compiler.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::interpreter {

/// Placed nodes in the order of a walk over the body have positions 0, 1, ...; the end of a loop has one too.
struct Liveness {
    std::vector<std::uint32_t> position;  // by node
    std::vector<std::uint32_t>
        last;  // by node: where its value is used last; its own position where it isn't.
               // A value from outside a loop that is used in it is needed until its end.
    std::vector<std::uint32_t> uses;  // by node: how many operands it is
    std::vector<std::vector<std::uint32_t>>
        writes;  // by variable: where it is declared or stored to, in order

    /// Is the variable written strictly between two positions?
    bool is_written_between(VariableId variable, std::uint32_t from, std::uint32_t to) const;
};

Liveness find_liveness(const Program& program);

/// True where the node's value is words of its first operand's: extract, and conversions that keep the bits.
bool is_part_of_operand(const Program& program, NodeId id);

}  // namespace muster::interpreter
