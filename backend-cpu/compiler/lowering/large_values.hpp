// large_values.hpp - large values into memory: the lowering keeps a value in registers, a word in each, which
// thousands of words don't fit.
//
//     let a = in;  x = a[i];     ->  x = in[i];                        where nothing writes to `in` in between; else
//     let a = in;  f();  x = a[i];   ->  var t;  for (k...) { t[k] = in[k]; }  f();  x = t[i];
//     out = in;                  ->  for (k...) { out[k] = in[k]; }
//
// In the program that is made no value but a constant that a variable begins with has more than `most_value_words` words, and
// no value is an array of more than `most_chosen_elements` elements with an index that isn't a constant. What is indexed of such a
// constant is a variable that begins as the constant and is never stored to (place.hpp: tables). Bindings stay, in
// their order. A program without such values comes back as it is.
// Threads: pure. Cost: near linear in nodes; code grows with the members of structures, not with the elements of arrays.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

inline constexpr std::uint64_t most_value_words = 64;  // of a value in registers
inline constexpr std::uint64_t most_chosen_elements =
    16;  // elements up to which an index is compared with each one's

/// Precondition: the program is valid; the new one is, too, but for the bytes that its variables take.
/// Errors: limit_exceeded, as IrBuilder::finish.
Result<Program> large_values_to_memory(const Program& program);

/// For each node of the program made, one of the program given that stands at the same place of the source, the same
/// operation if there is one; none where there is no such node.
std::vector<NodeId> given_nodes(const Program& made, const Program& given);

}  // namespace muster::cpu
