// exact.hpp - the math functions, exactly, by MPFR.
#pragma once

#include <muster/foundation/ir/op.hpp>

namespace muster::math_errors {

/// The error of `got` in ULP (ulp.hpp). The exact value is finite and not zero.
double exact_error(Op op, float x, float y, float got);

}  // namespace muster::math_errors
