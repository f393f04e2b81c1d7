// place.hpp - a reference node as an offset and the indices that are added to it.
//
// Function and private variables are measured in packed words (their scalars in order), bindings and workgroup
// variables in bytes of WGSL's layout. Constant indices within bounds are in the offset.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/foundation/program.hpp>

namespace muster::cpu {

struct PlaceStep {
    NodeId index;              // i32 or u32
    std::uint64_t stride = 0;  // words or bytes
    std::uint64_t count = 0;   // elements; 0: of the binding's run-time array
};

struct Place {
    VariableId variable;
    TypeId type;                   // of what is there
    std::uint64_t offset = 0;      // words or bytes
    std::vector<PlaceStep> steps;  // outermost first
};

/// True of variables that each invocation has for itself.
inline bool is_own(const Variable& variable) {
    return variable.space == AddressSpace::function || variable.space == AddressSpace::private_;
}

Place resolve(const Program& program, NodeId reference);

/// A scalar integer constant's value.
std::optional<std::uint32_t> constant_word(const Program& program, NodeId value);

/// By variable: the constant, not zero, that a variable of each invocation begins as where it is never stored to; none
/// of others.
std::vector<NodeId> find_tables(const Program& program);

/// Where the words of a type lie, in bytes of WGSL's layout, and which scalars they are.
struct TypeWord {
    std::uint64_t offset = 0;
    Scalar scalar = Scalar::boolean;
};
std::vector<TypeWord> words_of(const TypeTable& types, TypeId type);

/// Packed words before a member of a structure.
std::uint64_t word_of_member(const TypeTable& types, const Type& structure, std::uint32_t member);

/// Where a binding's run-time array begins and its stride, in bytes; stride 0 where it has none.
struct RuntimeArray {
    std::uint64_t offset = 0, stride = 0;
};
RuntimeArray runtime_array(const TypeTable& types, TypeId type);

}  // namespace muster::cpu
