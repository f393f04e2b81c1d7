// expand.hpp - replaces operations that a target lacks by exact operations that it has.
//
//     ValidProgram exact = TRY(expand(program, OpSet::all_exact()));   // no exp, sin, pow, ... left
//
// Expanded where `native` lacks them: the math group (foundation/math: the same bits as math::evaluate,
// componentwise on vectors), and of f32 also min, max and rem, by exactly the semantics of semantics.hpp.
// Anything else that `native` lacks stays; the router refuses it. Idempotent; a program with nothing to
// expand is returned as it is. Threads: pure. An operation becomes 2 to 150 others (docs/math.md).
#pragma once

#include <muster/foundation/op.hpp>
#include <muster/foundation/validate.hpp>

namespace muster {

/// Errors: limit_exceeded where the expanded program has more than IrBuilder::max_nodes nodes.
Result<ValidProgram> expand(const ValidProgram& program, const OpSet& native);

}  // namespace muster
