// layout.hpp - the layout of values in memory. Internal to the interpreter's compiler.
//
// Values, and function, private and workgroup variables, are packed: the words of their scalars in order.
// Bindings have WGSL's layout; addresses in them count words, or the smallest scalars of what is
// accessed: half words or bytes.
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
/// Limit, in bytes, for a binding: 8 GiB, so that no negative i32 is an index within bounds; with bytes in
/// it, which addresses then count, 4 GiB.
inline std::uint64_t max_binding_bytes(const TypeTable& types, TypeId type) {
    return std::uint64_t{types.least_bytes(type) == 1 ? 4u : 8u} << 30;
}

inline Layout layout_of(const Variable& variable) {
    return variable.is_binding() ? Layout::host : Layout::packed;
}

/// The layouts of values in packed memory and in bindings; each is made once.
class Layouts {
  public:
    Layouts(const TypeTable& types, InterpreterCode::Data& code) : types_(types), code_(code) {}
    /// Errors: limit_exceeded, if padding splits an array into more than 2^22 word ranges.
    Result<std::uint32_t> layout(TypeId type, bool packed);

  private:
    struct KnownLayout {
        TypeId type;
        bool packed;
        std::uint32_t layout;
    };
    bool add(TypeId type, std::uint64_t value, std::uint64_t memory, std::uint32_t first);

    const TypeTable& types_;
    InterpreterCode::Data& code_;
    std::vector<KnownLayout> known_;
    std::uint32_t unit_ = 4;  // of the layout being made
};

}  // namespace muster::interpreter
