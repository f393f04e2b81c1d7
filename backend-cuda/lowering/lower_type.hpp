// lower_type.hpp - a program's types in CUDA C++, with WGSL's layout.
//
// Scalars and vectors are CUDA's own: float, float4. float3 takes 12 bytes but 16 in WGSL's arrays, where it
// becomes padded<float3>, whose member is `value`. Structures have alignas, and padding words if that doesn't
// suffice; the text asserts their size. Structures that contain bool can't be shared with the host, so they
// have C++'s own layout.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/backend-cuda/lowering/names.hpp>
#include <muster/backend-cuda/lowering/prelude.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::cuda {

/// The names of a vector's components.
inline constexpr std::string_view components = "xyzw";

class Types {
  public:
    Types(const TypeTable& table, Names& names, Prelude& prelude)
        : table_(table), names_(names), prelude_(prelude), known_(table.count()) {}

    const Type& operator[](TypeId type) const { return table_[type]; }

    /// "float3", "array<float, 16>", or a structure's name; adds its definition to the prelude. If the
    /// structure ends in a run-time array, the C++ structure has only the members before it.
    const std::string& name(TypeId type);
    /// The type's name as an array element.
    std::string element_name(TypeId element);
    std::string member(TypeId structure, std::uint32_t which);
    bool is_padded_in_arrays(TypeId element) const;
    bool is_aggregate(TypeId type) const;
    /// True for a structure whose only member is a run-time array; its C++ form has no members.
    bool is_only_array(TypeId type) const;

    std::uint32_t align(TypeId type) const;  // of the C++ type, bytes
    std::uint64_t size(TypeId type) const;
    /// True if the type has padding between its scalars, which a copy of the whole would overwrite.
    bool has_gaps(TypeId type) const;
    /// Defines store_to() for the type.
    void require_store(TypeId type);

    std::string zero(TypeId type);
    /// Text of a scalar or vector constant. `words` is empty if all are zero.
    std::string literal(TypeId type, std::span<const std::uint32_t> words);
    /// Initialiser of an array or structure in constant memory. It calls no function: "S{1.0f, float3{2.0f,
    /// 3.0f, 4.0f}}".
    std::string initialiser(TypeId type, std::span<const std::uint32_t> words);
    /// Composes a value from the texts of its components, elements or members.
    std::string composed(TypeId type, std::span<const std::string> parts);

  private:
    /// Padding before a member.
    struct Gap {
        std::uint32_t align = 0;  // alignas; 0: none
        std::uint64_t words = 0;  // of padding
    };
    struct Known {
        std::string name;
        std::vector<std::string> members;
        std::vector<Gap> gaps;         // one per member of a structure
        std::uint64_t tail_words = 0;  // padding after the last member
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

/// "1.5f", "-3", "7u", "true". Floats keep their bits however a compiler reads decimals.
std::string scalar_literal(Scalar scalar, std::uint32_t word);
std::string_view scalar_name(Scalar scalar);
/// "float3"; of width 1: "float".
std::string vector_name(Scalar scalar, std::uint32_t width);

}  // namespace muster::cuda
