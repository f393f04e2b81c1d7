// operations.hpp - the operations that the compiler lowers, and so those that its device and targets have.
// Both halves of the backend include it. Threads: any.
#pragma once

#include <muster/foundation/ir/op.hpp>

namespace muster::cpu {

/// All core operations, and the two of subgroups with which the others are written; the math group stays in
/// exact mode too (Exactness::mathematics).
inline const OpSet& supported_ops() {
    static const OpSet all = [] {
        OpSet ops = OpSet::all_core();
        ops.wide_atomics = true;
        return ops.insert(OpGroup::packed).insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
    }();
    return all;
}

}  // namespace muster::cpu
