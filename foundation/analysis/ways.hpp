// ways.hpp - how control may leave a statement or a block. Threads: pure.
#pragma once

#include <utility>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// WGSL section "Statements Behavior Analysis". Whatever conditions say, both sides of a branch may be taken.
struct Ways {
    bool next = false, breaks = false, continues = false, returns = false;

    bool operator==(const Ways&) const = default;
    bool jumps() const { return breaks || continues || returns; }
    /// Those of either statement.
    Ways& operator|=(Ways other) {
        next = next || other.next;
        breaks = breaks || other.breaks;
        continues = continues || other.continues;
        returns = returns || other.returns;
        return *this;
    }
    /// Those of this statement and then another one, which counts only if control gets there.
    void then(Ways second) {
        if (std::exchange(next, false)) *this |= second;
    }
    /// Those of a switch or scope around this, whose end its breaks lead to.
    Ways left() const { return {next || breaks, false, continues, returns}; }
};

/// Precondition: the program's structure is valid. Cost: linear in the nodes within.
Ways ways_of(const Program& program, NodeId node);
Ways ways_of(const Program& program, BlockId block);

MUSTER_API_END
}  // namespace muster
