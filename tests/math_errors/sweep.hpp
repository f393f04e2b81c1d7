// sweep.hpp - the worst error of a math function over many arguments.
//
//     const Sweep sweep = run_sweep(Op::sin, {.every = 1, .threads = 2});   // every float, on two threads
#pragma once

#include <cstdint>

#include <math_errors/device.hpp>

#include <muster/foundation/ir/op.hpp>

namespace muster::math_errors {

/// How many arguments are tried: for a function of one operand every n-th float from `first` to `last`, which are bits; for
/// a function of two, so many pairs.
struct Extent {
    std::uint64_t every = 1;
    std::uint32_t first = 0, last = 0xffffffffu;
    std::uint64_t pairs = 1'000'000'000;
    unsigned threads = 1;
};

struct Worst {
    double ulp = 0.5;  // or less, as nobody asks for less
    float x = 0, y = 0, got = 0;
};

struct Sweep {
    Worst worst;
    std::uint64_t arguments = 0, asked_mpfr = 0;
};

/// Tries `op`, which is in the group `math`, as exact mode computes it.
Sweep run_sweep(Op op, const Extent& extent);

/// Tries a device's fast mode instead, on one thread, with the normal arguments for which the exact value is normal or 0;
/// x of pow is positive. The unit of errors is the ULP of the exact value, or `least_unit` if that is more.
Sweep run_sweep(FastFunction& function, Op op, const Extent& extent, double least_unit);

}  // namespace muster::math_errors
