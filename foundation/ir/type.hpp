// type.hpp - the types of a program, with WGSL's host-shareable layout.
//
// A TypeTable interns types: equal types have equal ids. Scalars and vectors have the same id in every table
// (`type_of(Scalar::f32, 4)` needs no table), so their ids compare across tables; arrays, structures and
// atomics belong to their table. Layout (size, align, offset, stride; all in bytes) is WGSL's, section
// "Alignment and Size"; bool, which is not host-shareable, takes 4 bytes inside a program. Values have no
// layout: they are words of 4 bytes, one per scalar, or two for a scalar of 64 bits, the low one first. The
// word of an f16 has its bits in the low half, and zeros in the high half; that of a narrow integer is the
// word of the same number as an i32 or u32. Threads: one thread writes a table; afterwards any may read it.
#pragma once

#include <array>
#include <bitset>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

enum class Scalar : std::uint8_t { boolean, i32, u32, f32, f16, i8, u8, i16, u16, i64, u64, f64 };
inline constexpr std::size_t scalar_count = 12;

struct ScalarInfo {
    Scalar scalar;
    std::string_view name;  // WGSL's
    std::uint32_t bytes;    // in memory; in a value, see words_of()
};
inline constexpr std::array<ScalarInfo, scalar_count> scalars{{
    {Scalar::boolean, "bool", 4},
    {Scalar::i32, "i32", 4},
    {Scalar::u32, "u32", 4},
    {Scalar::f32, "f32", 4},
    {Scalar::f16, "f16", 2},
    {Scalar::i8, "i8", 1},
    {Scalar::u8, "u8", 1},
    {Scalar::i16, "i16", 2},
    {Scalar::u16, "u16", 2},
    {Scalar::i64, "i64", 8},
    {Scalar::u64, "u64", 8},
    {Scalar::f64, "f64", 8},
}};
constexpr const ScalarInfo& info(Scalar scalar) { return scalars[static_cast<std::size_t>(scalar)]; }

/// A set of scalar types.
using ScalarSet = std::bitset<scalar_count>;
constexpr bool contains(const ScalarSet& set, Scalar scalar) { return set[static_cast<std::size_t>(scalar)]; }
/// The scalar types without an extension of WGSL: every device has them.
inline constexpr ScalarSet core_scalars{0b01111};
/// All but those of 64 bits.
inline constexpr ScalarSet short_scalars{0b000111111111};
/// The scalar types of floating point.
constexpr bool is_float(Scalar scalar) {
    return scalar == Scalar::f32 || scalar == Scalar::f16 || scalar == Scalar::f64;
}

/// The scalars of 64 bits.
constexpr bool is_wide(Scalar scalar) { return info(scalar).bytes == 8; }
/// The words that a scalar takes in a value.
constexpr std::uint32_t words_of(Scalar scalar) { return is_wide(scalar) ? 2 : 1; }
/// The integers that are operands: of 32 and 64 bits.
constexpr bool is_integer(Scalar scalar) {
    return scalar == Scalar::i32 || scalar == Scalar::u32 || scalar == Scalar::i64 || scalar == Scalar::u64;
}
/// The signed integers of every width.
constexpr bool is_signed(Scalar scalar) {
    return scalar == Scalar::i8 || scalar == Scalar::i16 || scalar == Scalar::i32 || scalar == Scalar::i64;
}

/// The integers of 8 and 16 bits, which are stored, moved and converted, and not computed with.
constexpr bool is_narrow(Scalar scalar) {
    return scalar == Scalar::i8 || scalar == Scalar::u8 || scalar == Scalar::i16 || scalar == Scalar::u16;
}
/// The integer of 32 bits that a narrow one converts to and from: every other conversion is made
/// of this one and another.
constexpr Scalar widened(Scalar narrow) {
    return narrow == Scalar::i8 || narrow == Scalar::i16 ? Scalar::i32 : Scalar::u32;
}

/// The index of a type in its table.
struct TypeId {
    std::uint32_t index = 0;
    constexpr auto operator<=>(const TypeId&) const = default;
};

inline constexpr TypeId no_type{0};  // the type of a statement

/// Returns the id of a scalar (width 1) or a vector (width 2, 3, 4); it is the same in every table.
constexpr TypeId type_of(Scalar scalar, std::uint32_t width = 1) {
    return TypeId{1 + (width - 1) * static_cast<std::uint32_t>(scalar_count) +
                  static_cast<std::uint32_t>(scalar)};
}
inline constexpr std::uint32_t fixed_type_count = 1 + 4 * static_cast<std::uint32_t>(scalar_count);

inline constexpr TypeId bool_type = type_of(Scalar::boolean);
inline constexpr TypeId i32_type = type_of(Scalar::i32);
inline constexpr TypeId u32_type = type_of(Scalar::u32);
inline constexpr TypeId f32_type = type_of(Scalar::f32);
inline constexpr TypeId f16_type = type_of(Scalar::f16);
inline constexpr TypeId i64_type = type_of(Scalar::i64);
inline constexpr TypeId u64_type = type_of(Scalar::u64);
inline constexpr TypeId f64_type = type_of(Scalar::f64);

enum class TypeKind : std::uint8_t { none, scalar, vector, atomic, array, structure };

struct Member {
    std::string name;
    TypeId type;
    std::uint64_t offset = 0;  // bytes from the start of the structure
};

struct Type {
    TypeKind kind = TypeKind::none;
    Scalar scalar = Scalar::boolean;  // scalar, vector, atomic: the component's
    std::uint32_t width = 0;          // scalar, atomic: 1; vector: 2, 3, 4
    TypeId element;                   // array: the element's type; vector: the component's type
    std::uint32_t count = 0;          // array: elements, 0 if sized at run time
    std::uint64_t size =
        0;  // bytes; 0 for a run-time array; up to it, rounded, for a structure that ends in one
    std::uint32_t align = 1;       // bytes
    std::uint64_t stride = 0;      // array: bytes from one element to the next
    std::uint64_t words = 0;       // of a value, without padding; 0 for a run-time array
    std::uint64_t scalars = 0;     // in a value; 0 for a run-time array
    bool contains_atomic = false;  // the type or any of its parts
    bool contains_bool = false;
    bool contains_f16 = false;
    std::uint32_t least_bytes = 4;  // of the smallest scalar in it, in memory; at most 4
    bool contains_runtime_array = false;
    std::string name;             // structure: as declared
    std::vector<Member> members;  // structure

    bool is_runtime_array() const { return kind == TypeKind::array && count == 0; }
    bool is_numeric() const {
        return (kind == TypeKind::scalar || kind == TypeKind::vector) && scalar != Scalar::boolean;
    }
};

/// A member as declared; align and size are WGSL's attributes of those names, 0 if not given.
struct MemberDeclaration {
    std::string name;
    TypeId type;
    std::uint32_t align = 0;
    std::uint64_t size = 0;
};

class TypeTable {
  public:
    TypeTable();

    const Type& operator[](TypeId id) const { return types_[id.index]; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(types_.size()); }

    TypeId atomic(Scalar scalar);                       // i32, u32, f32, i64 or u64
    TypeId array(TypeId element, std::uint32_t count);  // count > 0
    TypeId runtime_array(TypeId element);
    /// Structures are equal if their names, their layouts, and their members' names and types are equal.
    TypeId structure(std::string name, std::span<const MemberDeclaration> members);

    /// Adds a type of another table to this one and returns its id here.
    TypeId import(const TypeTable& from, TypeId id);
    /// The type with an atomic<u32> in place of each atomic<f32>, and the same layout.
    TypeId with_float_atomics_as_words(TypeId id);
    /// True if there is an atomic<f32>.
    bool has_float_atomics() const;

    /// The type of one component of a vector, or of one element of an array.
    TypeId element(TypeId id) const { return types_[id.index].element; }
    /// The words of a value of this type, without padding: vec3<f32> has 3, vec3<f64> has 6.
    /// Not for run-time arrays.
    std::uint64_t scalar_words(TypeId id) const { return types_[id.index].words; }
    std::uint64_t scalars_in(TypeId id) const { return types_[id.index].scalars; }
    /// True if the type is, or ends in, a run-time array.
    bool has_runtime_array(TypeId id) const;
    bool contains_atomic(TypeId id) const { return types_[id.index].contains_atomic; }
    bool contains_bool(TypeId id) const { return types_[id.index].contains_bool; }
    bool contains_f16(TypeId id) const { return types_[id.index].contains_f16; }
    std::uint32_t least_bytes(TypeId id) const { return types_[id.index].least_bytes; }
    /// WGSL's spelling: "vec4<f32>", "array<u32, 16>", a structure's name.
    std::string name(TypeId id) const;

  private:
    void sum_up(Type& type) const;
    TypeId intern(Type type);
    template <class Change>
    TypeId intern_changed(const TypeTable& from, TypeId id, const Change& change);
    std::vector<Type> types_;
};

MUSTER_API_END
}  // namespace muster
