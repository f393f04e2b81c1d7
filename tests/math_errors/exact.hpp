// exact.hpp - the math functions, exactly, by MPFR.
#pragma once

#include <muster/foundation/ir/op.hpp>

namespace muster::math_errors {

/// The error of `got` in ULP (ulp.hpp). The exact value is finite and not zero.
double exact_error(Op op, float x, float y, float got);

/// The same for f64, where the unit is that of a double, never below 2^-1074. For all arguments: results of another kind than
/// the exact value's (NaN, infinity, zero) have an infinite error, but an infinite one is right if the exact value rounds to
/// it.
double exact_error(Op op, double x, double y, double got);

/// The exact value of a function of one operand, rounded to odd: towards zero, and the last bit set if that changed it. So
/// rounding the result again to at most 22 bits rounds the exact value.
float exact_to_odd(Op op, float x);

}  // namespace muster::math_errors
