// sweep.hpp - the worst error of a math function over many arguments.
//
//     const Sweep sweep = run_sweep(Op::sin, {.every = 1, .threads = 2});   // every float, on two threads
#pragma once

#include <cstdint>

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

/// Tries `op`, which is in the group `math`.
Sweep run_sweep(Op op, const Extent& extent);

}  // namespace muster::math_errors
