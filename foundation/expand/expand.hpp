// expand.hpp - replaces operations that a target lacks with exact operations that it has.
//
//     ValidProgram exact = TRY(expand(program, OpSet::all_exact()));   // no exp, sin, pow, ... left
//
// Expands, if `native` lacks them: every operation on f16 but moves and conversions between f16 and f32, into
// f32's with conversions around them; the math group (foundation/math: the same bits as math::evaluate,
// componentwise on vectors; that of f64 always, with integers of 64 bits), min and max of all numbers,
// products of packed bytes, rem, div and sqrt of f32, and fma of f32 and f64, with exactly the semantics of
// semantics.hpp. Operations of subgroups become ballots and shuffles, in the order of
// semantics/subgroups.hpp. Variables whose atomic<f32> `native` can't do all that is asked of have
// atomic<u32> instead, with a compare-exchange in a loop. rem and div of integers stay, as does every other
// operation that `native` lacks; the router refuses those. Replacements contain none of the operations that
// are replaced. Idempotent; a program with nothing to expand is returned unchanged. Threads: pure. One
// operation becomes 2 to 250 others (docs/math.md).
#pragma once

#include <cstdint>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The f16 results that one operation hands to another, where both are written with f32's:
/// rounded to f16, or as they are.
enum class F16Steps : std::uint8_t { rounded, wide };

/// `subgroup_size`: the device's, for programs that don't ask for one. `wide` steps are for fast mode.
/// Errors: limit_exceeded if the expanded program has more than IrBuilder::max_nodes nodes.
Result<ValidProgram> expand(const ValidProgram& program, const OpSet& native,
                            std::uint32_t subgroup_size = 32, F16Steps steps = F16Steps::rounded);

/// True if expand() would replace something: a lowering for `native` can't take the program as it is.
bool needs_expansion(const Program& program, const OpSet& native);

/// Returns the operations that a target must have to run the program after expand(): those that stay and, if
/// any is replaced, every exact operation that replacements may use.
OpSet needed_after_expansion(const Program& program, const OpSet& native);

MUSTER_API_END
}  // namespace muster
