// types.hpp - a program's types in the dialect, with WGSL's layout.
//
// Vectors are as small as CUDA's: vec3 takes 12 bytes but 16 in WGSL's arrays, where it becomes an element
// with a member `value`. An f16 is its bits, `half_bits`; it is only moved, and converted from and to
// float. Structures are aligned, to at most wrapped_alignment, and have padding words if that doesn't
// suffice; the text asserts their size. Structures that contain bool can't be shared with the host, so they
// have the language's own layout.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/driver/c_text/names.hpp>
#include <muster/driver/c_text/prelude.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::c_text {

class Types {
  public:
    Types(const TypeTable& table, const Dialect& dialect, const Syntax& syntax, Names& names,
          Prelude& prelude)
        : table_(table),
          dialect_(dialect),
          syntax_(syntax),
          names_(names),
          prelude_(prelude),
          known_(table.count()) {}

    const Type& operator[](TypeId type) const { return table_[type]; }

    /// "float3", "array<float, 16>", "array_float_16", or a structure's name; adds its
    /// definition to the prelude. If the structure ends in a run-time array, the text's
    /// structure has only the members before it.
    const std::string& name(TypeId type);
    /// The type's name as an array element.
    std::string element_name(TypeId element);
    std::string member(TypeId structure, std::uint32_t which);
    /// Text of an array's element; `is_pointer`: the array is a pointer to its first element.
    std::string element(const Type& array, std::string_view whole, std::string_view index,
                        bool is_pointer = false) const;
    bool is_aggregate(TypeId type) const;
    /// True for a structure whose only member is a run-time array; its text has no members.
    bool is_only_array(TypeId type) const;

    /// The alignment of the text's type in bytes, at most wrapped_alignment.
    std::uint32_t align(TypeId type) const;
    /// True if the type has padding between its scalars, which a copy of the whole would overwrite.
    bool has_gaps(TypeId type) const;
    /// Statement that copies a value's scalars to a place in storage, and leaves its padding alone.
    std::string store(TypeId type, const std::string& to, std::string_view from);
    /// Statement that zeroes a local in loops, where an initialiser would store element by element.
    std::string set_zero(TypeId type, const std::string& to);

    std::string zero(TypeId type);
    std::string scalar_literal(Scalar scalar, std::uint64_t bits);
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
        std::uint32_t align = 0;  // 0: none
        std::uint64_t bytes = 0;  // of padding
    };
    struct Known {
        std::string name;
        std::vector<std::string> members;
        std::vector<Gap> gaps;         // one per member of a structure
        std::uint64_t tail_bytes = 0;  // padding after the last member
        bool stores = false;
    };
    void define(TypeId id);
    void define_vector(TypeId id);
    void define_array(TypeId id);
    void lay_out(TypeId id);
    std::string definition(TypeId id);
    std::string begin_structure(const std::string& name, std::uint32_t align) const;
    std::string end_structure(const std::string& name) const;
    bool is_padded_in_arrays(TypeId element) const;
    std::string_view padded_name(TypeId element) const;
    std::uint64_t scalar_bytes(TypeId type) const;
    void require_store(TypeId id);
    void require_set_zero(TypeId id);
    std::string part(TypeId type, std::span<const std::uint32_t>& words);
    std::string constant_scalar(Scalar scalar, std::uint64_t bits);
    std::string listed(TypeId type, std::span<const std::string> parts);

    const TypeTable& table_;
    const Dialect& dialect_;
    const Syntax& syntax_;
    Names& names_;
    Prelude& prelude_;
    std::vector<Known> known_;
};

}  // namespace muster::c_text
