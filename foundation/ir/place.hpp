// place.hpp - a reference resolved to an offset within its variable, plus the indices that are added to it.
//
// Variables that the host sees have WGSL's layout (14.4, memory layout), and offsets in bytes. The others may
// be packed: the words of their scalars in order, and offsets in words.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

enum class Layout : std::uint8_t {
    packed,  // offsets and strides are words
    host     // offsets and strides are bytes
};

struct PlaceStep {
    NodeId index;              // i32 or u32
    std::uint64_t stride = 0;  // words or bytes, as the layout says
    std::uint64_t count = 0;   // elements; 0 for the binding's run-time array
};

struct Place {
    VariableId variable;
    TypeId type;                   // of the value at the place
    std::uint64_t offset = 0;      // words or bytes; includes constant indices that are in bounds
    std::vector<PlaceStep> steps;  // the remaining indices, outermost first
};

/// Resolves a reference node to the place that it names, for a variable with the given layout.
Place resolve(const Program& program, NodeId reference, Layout layout);

/// Returns the words or bytes that precede a member of a structure.
std::uint64_t member_offset(const TypeTable& types, const Type& structure, std::uint32_t member,
                            Layout layout);

/// Returns a scalar constant's bits; nothing if the node isn't a scalar constant.
std::optional<std::uint32_t> constant_word(const Program& program, NodeId value);

/// The offset of a binding's run-time array and its stride, both in bytes; stride 0 if there is none.
struct RuntimeArray {
    std::uint64_t offset = 0, stride = 0;
    /// The elements in a binding of so many bytes.
    constexpr std::uint64_t length(std::uint64_t bytes) const {
        return bytes < offset ? 0 : (bytes - offset) / stride;
    }
};
RuntimeArray runtime_array(const TypeTable& types, TypeId type);

MUSTER_API_END
}  // namespace muster
