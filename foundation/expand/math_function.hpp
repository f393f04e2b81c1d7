// math_function.hpp - an operation of the math group written out once, for who makes a function of it.
//
//     const Program sin = math_function(Op::sin, 1, OpSet::all_exact());   // f32 -> f32
//
// expand() writes an operation out wherever it stands. A target that has functions needs its operations only once: then
// code, and the time to compile it, no longer grow with each use by the 20 to 250 operations that it takes (docs/math.md).
//
// The program is one block: it loads the operands from its uniforms (binding k: operand k), computes, and stores the result
// (the storage binding behind them), which math::evaluate also gives, bit for bit. In between stand componentwise
// operations alone. Threads: pure.
#pragma once

#include <cstdint>

#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// Operations of a program that lead to one function of at least this many uses should call it: with fewer, they are
/// better inlined. Chosen so that a kernel of ordinary size is what it was (docs/performance.md).
inline constexpr std::uint32_t uses_of_a_called_function = 32;

/// `op` of the math group on f32, or vectors of `width` f32, in operations that `native` has, which has all_exact() but
/// perhaps division, rem, square root and fma of f32.
Program math_function(Op op, std::uint32_t width, const OpSet& native);

}  // namespace muster
