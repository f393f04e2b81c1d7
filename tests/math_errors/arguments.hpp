// arguments.hpp - the arguments that a function is tried with: block by block, the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <muster/foundation/ir/op.hpp>

namespace muster::math_errors {

inline constexpr std::size_t block_size = 4096;

/// Fills x with the floats whose bits are first, first + every, first + 2 every, ... Every float, if every is 1.
void fill_with_floats(std::span<float> x, std::uint64_t first, std::uint64_t every);

/// Fills x and y with pairs for the two-operand function `op`: any bits; every exponent of the result; the neighbourhoods
/// of 1 and of whole numbers; special values. Each block is different.
void fill_with_pairs(Op op, std::span<float> x, std::span<float> y, std::uint64_t block);

/// Fills x, and for a function of two operands y, with doubles: any bits, small numbers, and arguments near where `op` is
/// hard; pairs as above.
void fill_with_doubles(Op op, std::span<double> x, std::span<double> y, std::uint64_t block);

}  // namespace muster::math_errors
