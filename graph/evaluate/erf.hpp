// erf.hpp - the error function of f32, from exact operations.
#pragma once

namespace muster::graph {

/// erf(x): x clamped to [-4, 4], times a quotient of polynomials in x * x, from the innermost term outward,
/// without fma. Within 6 units in the last place (tests/graph/evaluate_test.cpp).
float erf(float x);

}  // namespace muster::graph
