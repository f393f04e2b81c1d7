// random_program.hpp - valid kernels, made at random from a seed, for comparing backends; and their
// reduction.
//
// A kernel reads `words` and `numbers`, writes its own slots of `out` and adds to `counters`; it is free of
// data races and every loop ends, so that each backend must give the same bits. In it: nested ifs, switches,
// loops of every kind with break, continue and return, taken by some or by all, variables that only a loop
// uses, continuing blocks that use their body's values, functions with early returns, before and after barriers,
// private and function arrays and structures, out-of-bounds indices, workgroup memory between barriers in
// uniform control flow, atomics, used and not, mixes of i32, u32, f32, bool and vectors of them, and workgroups of
// many shapes.
//
// Of every third seed, invocations share nothing: neither barriers nor workgroup memory. These read and write arrays of
// vectors and structures, at places that follow each other from invocation to invocation, in rows, and in loops with
// strides, within bounds and beyond.
//
// Those with grid barriers have these at the top, in loops and branches that are uniform over the grid, in a function and
// behind early returns; across them live variables of all kinds, workgroup memory and what neighbours wrote; some loops
// end by what a gridUniformLoad gives.
//
//     RandomProgram program = random_program(seed);
//     if (differs(program.text())) fail(reduce(program, differs).text());
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace muster::testing {

inline constexpr std::uint32_t random_workgroup_size = 64;  // at most
inline constexpr std::uint32_t random_workgroups = 7;
inline constexpr std::uint32_t random_invocations = random_workgroup_size * random_workgroups;
inline constexpr std::uint32_t random_inputs = 32;  // elements of words and of numbers
inline constexpr std::uint32_t random_slots = 4;    // elements of out per invocation
inline constexpr std::uint32_t random_counters = 4;
inline constexpr std::uint32_t random_elements = 1600;  // words of each array of vectors, structures or rows

/// `text` with its '@'s replaced by the arguments, in order.
struct RandomExpression {
    std::string type;
    std::string text;
    std::vector<RandomExpression> arguments;
    std::string print() const;
};

/// Lines of `text` with '@' for an expression and '#' for a nested block, in order.
struct RandomStatement {
    std::string text;
    std::vector<RandomExpression> expressions;
    std::vector<std::vector<RandomStatement>> blocks;
    void print(std::string& to, int depth) const;
};

enum class RandomKind : std::uint8_t { usual, grid_barriers };

struct RandomProgram {
    RandomKind kind = RandomKind::usual;
    std::string workgroup_size;  // "16", "3, 5", ...
    std::vector<RandomStatement> functions;
    std::vector<RandomStatement> body;
    std::string text() const;
};

RandomProgram random_program(std::uint64_t seed, RandomKind kind = RandomKind::usual);

/// A smaller program that still has the property: statements and expressions are taken out while it holds. A
/// candidate may be invalid WGSL: the property must then be false. Asks at most `budget` times.
RandomProgram reduce(RandomProgram program, const std::function<bool(const std::string&)>& holds,
                     int budget = 2000);

}  // namespace muster::testing
