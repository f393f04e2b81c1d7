// layout.hpp - the layout of values in memory. Internal to the interpreter's compiler.
//
// Values, and function, private and workgroup variables, are packed: their scalars in order, a word each. Bindings have
// WGSL's layout; addresses in them count words, or half words where f16 are accessed.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/interpreter/code.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::interpreter {

/// Limit, in words, for the frames of a workgroup together, its workgroup memory, and one value: 256 MiB.
inline constexpr std::uint64_t max_memory_words = std::uint64_t{1} << 26;
/// Limit, in words, for a binding: 8 GiB, so that no negative i32 is an index within bounds.
inline constexpr std::uint64_t max_binding_words = std::uint64_t{1} << 31;

inline Layout layout_of(const Variable& variable) {
    return variable.is_binding() ? Layout::host : Layout::packed;
}

/// The unit of a binding's addresses where a value of this type is accessed: 4 bytes, or 2 if it contains f16. Offsets
/// and strides that lead to it are multiples of the unit.
inline std::uint32_t unit_bytes(const TypeTable& types, TypeId type) {
    return types.contains_f16(type) ? 2 : 4;
}

/// The layouts of values in packed memory and in bindings; each is made once.
class Layouts {
  public:
    Layouts(const TypeTable& types, InterpreterCode::Data& code) : types_(types), code_(code) {}
    /// Errors: limit_exceeded, if padding splits an array into more than 2^22 word ranges.
    Result<std::uint32_t> layout(TypeId type, bool packed);

  private:
    struct Known {
        TypeId type;
        bool packed;
        std::uint32_t layout;
    };
    bool add(TypeId type, std::uint64_t value, std::uint64_t memory, std::uint32_t first);

    const TypeTable& types_;
    InterpreterCode::Data& code_;
    std::vector<Known> known_;
    std::uint32_t unit_ = 4;  // of the layout being made
};

}  // namespace muster::interpreter
