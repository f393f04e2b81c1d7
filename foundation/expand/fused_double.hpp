// fused_double.hpp - fma of f64 with one rounding, written with integers of 64 bits: math/fused.hpp for f64.
#pragma once

#include <muster/foundation/build/ir_builder.hpp>

namespace muster {

/// a * b + c. Subnormals are kept. The operands are f64 or vectors of it.
NodeId fused_double(IrBuilder& ir, NodeId a, NodeId b, NodeId c);

}  // namespace muster
