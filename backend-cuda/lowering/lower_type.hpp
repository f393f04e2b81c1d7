// lower_type.hpp - the types of a program in CUDA C++, in the layout that hosts see.
//
// Scalars and vectors are CUDA's own: float, float4. float3 takes 12 bytes and WGSL's arrays give it 16, so there it is
// padded<float3>, whose member is `value`. A structure has alignas, and words of padding where that doesn't suffice; its
// size is asserted in the text. Those that hold a bool are nobody else's, and laid out as C++ likes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/backend-cuda/lowering/names.hpp>
#include <muster/backend-cuda/lowering/prelude.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::cuda {

class Types {
  public:
    Types(const TypeTable& table, Names& names, Prelude& prelude)
        : table_(table), names_(names), prelude_(prelude), known_(table.count()) {}

    const Type& operator[](TypeId type) const { return table_[type]; }

    /// "float3", "array<float, 16>", a structure's name; of a structure that ends in a run-time array: of what is before
    /// it. Its definition is in the prelude then.
    const std::string& name(TypeId type);
    /// As it stands in an array.
    std::string element_name(TypeId element);
    std::string member(TypeId structure, std::uint32_t which);
    bool is_padded_in_arrays(TypeId element) const;
    bool is_aggregate(TypeId type) const;
    /// A structure of nothing but a run-time array has no members of its own.
    bool is_only_array(TypeId type) const;

    std::uint32_t align(TypeId type) const;  // of the C++ type, bytes
    std::uint64_t size(TypeId type) const;
    /// Bytes that no scalar has lie between others: copied as a whole, they would be overwritten.
    bool has_gaps(TypeId type) const;
    /// Defines store_to() for it.
    void require_store(TypeId type);

    std::string zero(TypeId type);
    /// A scalar's or a vector's words, none where all are zero.
    std::string literal(TypeId type, std::span<const std::uint32_t> words);
    /// The initialiser of an array or a structure in constant memory. It calls nothing: "S{1.0f, float3{2.0f, 3.0f, 4.0f}}".
    std::string initialiser(TypeId type, std::span<const std::uint32_t> words);
    /// With its parts' texts; of a structure: its members'.
    std::string composed(TypeId type, std::span<const std::string> parts);

  private:
    /// In front of a member.
    struct Gap {
        std::uint32_t align = 0;  // alignas; 0: none
        std::uint64_t words = 0;  // of padding
    };
    struct Known {
        std::string name;
        std::vector<std::string> members;
        std::vector<Gap> gaps;         // of a structure: by member
        std::uint64_t tail_words = 0;  // of padding behind its last member
        bool stores = false;
    };
    void define(TypeId id);
    void lay_out(TypeId id);
    std::string definition(TypeId id);
    std::string part(TypeId type, std::span<const std::uint32_t>& words);

    const TypeTable& table_;
    Names& names_;
    Prelude& prelude_;
    std::vector<Known> known_;
};

/// "1.5f", "-3", "7u", "true": the same bits, whichever way a compiler reads decimals.
std::string scalar_literal(Scalar scalar, std::uint32_t word);
std::string_view scalar_name(Scalar scalar);
/// "float3"; of width 1: "float".
std::string vector_name(Scalar scalar, std::uint32_t width);

}  // namespace muster::cuda
