// math_function.hpp - the expansion of one math operation as a program of its own, for
// targets that emit functions.
//
//     const Program sin = math_function(Op::sin, 1, OpSet::all_exact());   // f32 -> f32
//
// expand() writes an operation out at every use. A target with functions needs the expansion only once: then
// code and compile time no longer grow with each use by the operation's 20 to 250 exact ones (docs/math.md).
//
// The program is one block. It loads the operands from its uniforms (binding k: operand k), computes, and
// stores to the storage binding after them the result that math::evaluate gives, bit for bit. Everything in
// between is componentwise. Threads: pure.
#pragma once

#include <cstdint>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The number of uses in a text for a compiler of others from which on a function is better called; with fewer it is better
/// inlined. Chosen so that kernels of ordinary size keep their code (bench_compile_time).
inline constexpr std::uint32_t uses_of_a_called_function = 32;

/// Writes out `op` of the math group, on f32 or vectors of `width` f32, in operations that `native` has.
/// Precondition: `native` contains all_exact(), except perhaps division, rem, square root and fma for f32.
Program math_function(Op op, std::uint32_t width, const OpSet& native);

MUSTER_API_END
}  // namespace muster
