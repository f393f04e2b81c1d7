// random_program.hpp - random valid kernels from a seed, to compare backends, and their reduction.
//
// A kernel reads `words` and `numbers`, writes its own slots of `out` and adds to `counters`; it is free of
// data races and every loop ends, so that each backend must give the same bits. Kernels have: nested ifs,
// switches, loops of every kind with break, continue and return, taken by some or by all, variables that only a
// loop uses, continuing blocks that use their body's values, functions with early returns, before and after
// barriers, private and function arrays and structures, out-of-bounds indices, workgroup memory between
// barriers in uniform control flow, atomics whose results are used or not, mixes of i32, u32, f32, f16, bool, vectors
// and matrices of them, integers of 8 and 16 bits, numbers of 64 bits, atomics of f32, pointers as parameters, packed words, and workgroups of
// many shapes.
//
// For every third seed, invocations share nothing: no barriers and no workgroup memory. These kernels read and
// write arrays of vectors and structures, at consecutive indices from invocation to invocation, in rows, and in
// loops with strides, in and out of bounds.
//
// Kernels with grid barriers have them at the top level, in loops and branches that are uniform over the grid,
// in a function and after early returns; across the barriers live variables of all kinds, workgroup memory and
// neighbours' writes; some loops end depending on a gridUniformLoad.
//
// Kernels with subgroups have all their operations in control flow that is uniform over the subgroup, for devices that
// have them; they are compared at the device's size.
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

/// `text` with its '@'s replaced by the operands, in order.
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

enum class RandomKind : std::uint8_t { usual, grid_barriers, subgroups };

struct RandomProgram {
    RandomKind kind = RandomKind::usual;
    std::string workgroup_size;  // "16", "3, 5", ...
    std::vector<RandomStatement> functions;
    std::vector<RandomStatement> body;
    std::string text() const;
};

RandomProgram random_program(std::uint64_t seed, RandomKind kind = RandomKind::usual);

/// Returns a smaller program for which `holds` is still true, by removing statements and expressions. A
/// candidate may be invalid WGSL: `holds` must then return false. Calls it at most `budget` times.
RandomProgram reduce(RandomProgram program, const std::function<bool(const std::string&)>& holds,
                     int budget = 2000);

}  // namespace muster::testing
