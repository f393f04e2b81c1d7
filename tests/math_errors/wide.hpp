// wide.hpp - the errors of the math functions on f64, by samples.
#pragma once

#include <cstdint>

#include <muster/foundation/ir/op.hpp>

namespace muster::math_errors {

struct WideSweep {
    double ulp = 0;  // the worst error (exact.hpp)
    double x = 0, y = 0, got = 0;
};

/// Tries `op`, which is in the group `math`, on so many f64, or pairs, of all kinds.
WideSweep sweep_doubles(Op op, std::uint64_t arguments, unsigned threads);

}  // namespace muster::math_errors
