// place.hpp - a reference as where it begins within its variable, and the indices that are added to that.
//
// In words of 4 bytes, which all scalars are. Variables that hosts see have WGSL's layout (14.4, memory layout); the
// others may be packed: their scalars in order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster {

enum class Layout : std::uint8_t { packed, host };

struct PlaceStep {
    NodeId index;              // i32 or u32
    std::uint64_t stride = 0;  // words
    std::uint64_t count = 0;   // elements; 0: of the binding's run-time array
};

struct Place {
    VariableId variable;
    TypeId type;                   // of what is there
    std::uint64_t offset = 0;      // words; constant indices within bounds are in it
    std::vector<PlaceStep> steps;  // the other indices, outermost first
};

/// What a reference node names, in a variable that is laid out so.
Place resolve(const Program& program, NodeId reference, Layout layout);

/// Words before a member of a structure.
std::uint64_t member_offset(const TypeTable& types, const Type& structure, std::uint32_t member,
                            Layout layout);

/// A scalar constant's bits.
std::optional<std::uint32_t> constant_word(const Program& program, NodeId value);

/// Where a binding's run-time array begins, and its stride, in words; stride 0 where it has none.
struct RuntimeArray {
    std::uint64_t offset = 0, stride = 0;
};
RuntimeArray runtime_array(const TypeTable& types, TypeId type);

}  // namespace muster
