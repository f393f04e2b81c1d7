// expand.hpp - replaces operations that a target lacks by exact operations that it has.
//
//     ValidProgram exact = TRY(expand(program, OpSet::all_exact()));   // no exp, sin, pow, ... left
//
// Expanded where `native` lacks them: the math group (foundation/math: the same bits as math::evaluate,
// componentwise on vectors), and of f32 also min, max, rem, div, sqrt and fma, by exactly the semantics of
// semantics.hpp; those of integers stay. So does anything else that `native` lacks; the router refuses it.
// What is put in place of an operation has none of these but integers' min and max. Idempotent; a program with
// nothing to expand is returned as it is. Threads: pure. An operation becomes 2 to 250 others (docs/math.md).
#pragma once

#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

/// Errors: limit_exceeded where the expanded program has more than IrBuilder::max_nodes nodes.
Result<ValidProgram> expand(const ValidProgram& program, const OpSet& native);

/// What a target must have to run what expand() makes of the program: the operations that stay, and where any
/// is replaced, all those of the exact group that replacements are free to use.
OpSet needed_after_expansion(const Program& program, const OpSet& native);

}  // namespace muster
