// fold.hpp - evaluates an operation whose operands are constants, by the run-time semantics (semantics.hpp).
//
//     std::vector<std::uint32_t> two{2}, three{3};
//     fold(Op::add, types, u32_type,
//          std::array{ConstantValue{u32_type, two}, ConstantValue{u32_type, three}}) -> {5}
//
// Folds the exact operations on scalars and vectors, and compose, extract and extract_dynamic on arrays and
// structures. Returns nullopt for everything else (free nodes, effects, the math group) and for
//   - arithmetic whose result has a NaN or infinite float component: WGSL refuses it in const-expressions.
//     Moves (bitcast, compose, extract, select, ...) keep such values, because text writes them that way;
//   - results of more than `max_folded_words` words.
// Threads: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster {

inline constexpr std::uint64_t max_folded_words = 65'536;

/// A constant's value: the words of the type's scalars in order, without padding, bool
/// as 0 or 1; zeros included.
struct ConstantValue {
    TypeId type;
    std::span<const std::uint32_t> words;
};

/// False for the word of a float, or the two of an f64, that is NaN or infinite: no const-expression
/// of WGSL has such a value.
bool is_finite_word(Scalar scalar, std::uint64_t word);

/// Returns the words of the result. `result` is the node's type and `payload` its payload, as program.hpp
/// states. Precondition: the operands fit the operation as program.hpp states.
std::optional<std::vector<std::uint32_t>> fold(Op op, const TypeTable& types, TypeId result,
                                               std::span<const ConstantValue> operands,
                                               std::uint32_t payload = 0);

/// As fold(), but also returns NaN and infinite results, as the operation gives them at run time.
std::optional<std::vector<std::uint32_t>> compute(Op op, const TypeTable& types, TypeId result,
                                                  std::span<const ConstantValue> operands,
                                                  std::uint32_t payload = 0);

}  // namespace muster
