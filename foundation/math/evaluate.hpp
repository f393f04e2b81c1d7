// evaluate.hpp - the math group on plain floats: what the interpreter and constant evaluation call.
//
//     float one = math::evaluate(Op::exp, 0.0f);   // the same bits that the expanded program gives on any
//     backend
//
// Threads: pure. No errors: what a function is outside its domain is docs/math.md. Precondition: the default
// floating-point environment, and op is of the group `math`; NaN for any other.
#pragma once

#include <muster/foundation/ir/op.hpp>

namespace muster::math {

float evaluate(Op op, float a, float b = 0.0f);

}  // namespace muster::math
