// evaluate.hpp - the math group on plain numbers, for the interpreter and constant evaluation.
//
//     float one = math::evaluate(Op::exp, 0.0f);   // the bits that the expanded program gives on any backend
//
// Threads: pure. No errors: docs/math.md gives each function's value outside its domain. Precondition: the
// default floating-point environment. Returns NaN if op isn't in the group `math`.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/ir/op.hpp>

namespace muster::math {

MUSTER_API float evaluate(Op op, float a,
                          float b = 0.0f);  // exported for muster::graph, a library of its own
double evaluate(Op op, double a, double b = 0.0);
/// Correctly rounded, but for pow and atan2.
f16 evaluate(Op op, f16 a, f16 b = {});

}  // namespace muster::math
