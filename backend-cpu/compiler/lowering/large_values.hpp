// large_values.hpp - moves large values to memory: lowering keeps each word of a value in a register, which
// doesn't do for thousands of words.
//
//     let a = in;  x = a[i];     ->  x = in[i];                        if nothing writes to `in` in between; otherwise
//     let a = in;  f();  x = a[i];   ->  var t;  for (k...) { t[k] = in[k]; }  f();  x = t[i];
//     out = in;                  ->  for (k...) { out[k] = in[k]; }
//
// In the resulting program, no value has more than `most_value_words` words, except a constant that
// initialises a variable, and no array value of more than `most_chosen_elements` elements is indexed by a
// non-constant. A constant that is indexed becomes a variable that starts as the constant and is never stored
// to (place.hpp: tables). Bindings stay, in their order. A program without such values is returned unchanged.
// Threads: pure. Cost: near linear in nodes; code grows with the members of structures, not
// with the elements of arrays.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

inline constexpr std::uint64_t most_value_words = 64;  // of a value in registers
inline constexpr std::uint64_t most_chosen_elements =
    16;  // largest array indexed by comparing the index with each element's

/// Precondition: the program is valid. The result is valid too, except perhaps for the bytes that its
/// variables take. Errors: limit_exceeded, as IrBuilder::finish.
Result<Program> large_values_to_memory(const Program& program);

/// For each node of `made`, a node of `given` at the same source location, with the same operation if there
/// is one; none if there is no such node.
std::vector<NodeId> given_nodes(const Program& made, const Program& given);

}  // namespace muster::cpu
