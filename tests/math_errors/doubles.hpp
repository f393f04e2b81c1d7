// doubles.hpp - the math functions in double precision, over whole blocks: wrong by less than 2^-20 of an f32's ULP, and
// fast. Special values (infinities, NaN, zeros) are C's, which are ours.
#pragma once

#include <cstddef>

#include <muster/foundation/ir/op.hpp>

namespace muster::math_errors {

/// Sets exact[i] to the function of x[i], or of x[i] and y[i], for i below count. All are f32s.
using Doubles = void (*)(const double* x, const double* y, double* exact, std::size_t count);

/// A function of one operand has the value `below` for x < low and `above` for x > high, as far as f32 can tell; there,
/// libm's functions are slow.
struct Range {
    double low, high, below, above;
};

/// The symmetry of a function f: odd if f(-x) = -f(x), even if f(-x) = f(x).
enum class Symmetry { odd, even, none };

struct Reference {
    Op op;
    Range range;
    Symmetry symmetry;
    Doubles doubles;  // for x within the range
};
const Reference& reference(Op op);  // of the group `math`

}  // namespace muster::math_errors
