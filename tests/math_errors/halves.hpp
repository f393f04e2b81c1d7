// halves.hpp - the errors of the math functions on f16.
#pragma once

#include <cstdint>

#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/ir/op.hpp>

namespace muster::math_errors {

struct HalfSweep {
    std::uint64_t arguments = 0;
    std::uint64_t wrong =
        0;           // results that aren't the f16 nearest to the exact one; counted for one operand only
    double ulp = 0;  // the worst error, in units in the last place of f16
    f16 x, y, got;   // where it is; with one operand, the last wrong result
};

/// Tries `op`, which is in the group `math`, on all f16; of two operands, on every n-th pair from all of them.
HalfSweep sweep_halves(Op op, std::uint64_t every, unsigned threads);

}  // namespace muster::math_errors
