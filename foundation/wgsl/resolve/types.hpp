// types.hpp - the types of WGSL expressions.
//
// Beside the IR's types these are types that exist only in the text: abstract numbers, pointers, results of
// frexp and similar functions.
//
// Types are interned by a Types object: equal types are the same object and are compared by address. A
// structure is equal only to itself. Layout follows WGSL section "Alignment and Size". Threads: one per Types
// object. Lifetime: types live as long as their Types object.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::wgsl {

enum class Kind : std::uint8_t {
    nothing,  // the result of a function that returns nothing
#define MUSTER_SCALAR(kind, ...) kind,
#include <muster/foundation/wgsl/resolve/scalars.def>
    vector,
    matrix,
    array,
    structure,
    atomic,
    pointer,
    buffer,
};

inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::buffer) + 1;

struct ScalarKind {
    std::string_view name;  // empty for kinds that aren't scalars'
    Scalar scalar{};
    std::uint32_t rank = never;  // of the conversion from AbstractInt
    static constexpr std::uint32_t never = UINT32_MAX;
};
inline constexpr auto scalar_kinds = [] {
    constexpr std::uint32_t never = ScalarKind::never;
    std::array<ScalarKind, kind_count> all;
#define MUSTER_SCALAR(kind, name, scalar, rank) \
    all[static_cast<std::size_t>(Kind::kind)] = {name, Scalar::scalar, rank};
#include <muster/foundation/wgsl/resolve/scalars.def>
    return all;
}();
constexpr const ScalarKind& info(Kind kind) { return scalar_kinds[static_cast<std::size_t>(kind)]; }

struct WgslType;

struct WgslMember {
    std::string name;
    const WgslType* type = nullptr;
    std::uint32_t align = 0;   // as declared; 0: not declared
    std::uint64_t size = 0;    // as declared; 0: not declared
    std::uint64_t offset = 0;  // bytes
};

struct WgslType {
    Kind kind = Kind::nothing;
    const WgslType* element =
        nullptr;  // vector, array, atomic, pointer: the element's or pointee's type; matrix: a column's
    std::uint32_t count =
        0;  // vector: width; matrix: columns; array: elements, buffer: bytes; 0: sized at run time
    bool override_sized =
        false;  // array or buffer whose count came from an override: for workgroup variables only
    AddressSpace space = AddressSpace::function;    // pointer
    Access access = Access::read_write;             // pointer
    std::string name;                               // in WGSL's syntax
    std::vector<WgslMember> members;                // structure
    std::uint64_t size = 0, align = 1, stride = 0;  // bytes
    std::uint64_t words = 1;                        // scalars in a value
    std::uint32_t depth = 1;                        // nesting of composites
    bool constructible = true;                      // can be a value: no atomics, fixed size
    bool host_shareable = true;
    bool is_abstract = false;  // contains an abstract number
    bool has_runtime_array = false;

    bool is_scalar() const { return !info(kind).name.empty(); }
    bool is_vector() const { return kind == Kind::vector; }
    bool is_matrix() const { return kind == Kind::matrix; }
    /// The scalar type of a scalar, vector or matrix.
    const WgslType* scalar() const { return is_vector() ? element : is_matrix() ? element->element : this; }
    /// 1 for a scalar.
    std::uint32_t width() const { return is_vector() ? count : 1; }
    std::uint32_t rows() const { return element->count; }  // of a matrix
    bool is_boolean() const { return scalar()->kind == Kind::boolean; }
    /// The IR's scalar of a scalar, vector or matrix.
    Scalar ir_scalar() const { return info(scalar()->kind).scalar; }
    bool is_float() const { return muster::is_float(ir_scalar()) || scalar()->kind == Kind::abstract_float; }
    bool is_integer() const {
        return muster::is_integer(ir_scalar()) || scalar()->kind == Kind::abstract_int;
    }
    /// True for the integers of 8 and 16 bits, which convert and can't be operands.
    bool is_narrow() const { return muster::is_narrow(ir_scalar()); }
    /// True for numbers of 64 bits.
    bool is_wide() const { return muster::is_wide(ir_scalar()); }
    /// True for an integer that may be an index, a count or a selector.
    bool is_index() const { return is_scalar() && is_integer() && !is_wide(); }
    bool is_numeric() const { return is_float() || is_integer(); }
};

using TypeRef = const WgslType*;

class Types {
  public:
    Types();

    TypeRef nothing, abstract_int, abstract_float, boolean, i32, u32, f32, f16, i8, u8, i16, u16, i64, u64,
        f64;

    TypeRef scalar(Kind kind) const;
    TypeRef vector(TypeRef scalar, std::uint32_t width);
    TypeRef matrix(TypeRef scalar, std::uint32_t columns, std::uint32_t rows);
    /// The scalar type, or a vector or matrix of it with `shape`'s shape.
    TypeRef shaped(TypeRef scalar, TypeRef shape) {
        if (shape->is_matrix()) return matrix(scalar, shape->count, shape->rows());
        return shape->is_vector() ? vector(scalar, shape->count) : scalar;
    }
    TypeRef array(TypeRef element, std::uint32_t count, bool override_sized = false);
    TypeRef atomic(TypeRef scalar);
    /// A buffer of `bytes` bytes, or one sized at run time for 0.
    TypeRef buffer(std::uint32_t bytes, bool override_sized = false);
    TypeRef pointer(AddressSpace space, TypeRef to, Access access);
    /// Makes a new structure, equal to no other, and lays out its members.
    TypeRef structure(std::string name, std::vector<WgslMember> members);
    /// A structure that no text can name, such as frexp's result. Equal names give the same type.
    TypeRef hidden_structure(std::string_view name, std::vector<WgslMember> members);

    /// The concrete type that a value of this type gets by default (WGSL section "Conversion Rank").
    TypeRef concrete(TypeRef type);

    /// Number of matrix, array, structure and atomic types made so far, each of which may be
    /// in a program's type table.
    std::size_t count() const { return counted_; }

  private:
    TypeRef add(std::string key, WgslType type);
    std::deque<WgslType> types_;
    std::unordered_map<std::string, TypeRef> by_key_;
    std::size_t counted_ = 0;
    std::array<std::array<TypeRef, 5>, static_cast<std::size_t>(Kind::vector)>
        vectors_{};  // by scalar kind and width; frequently used
};

/// True if both are scalars, vectors of one width, or matrices of one shape.
bool have_one_shape(TypeRef a, TypeRef b);

/// WGSL's ConversionRank, without the load rule; UINT32_MAX if there is no automatic conversion.
std::uint32_t conversion_rank(TypeRef from, TypeRef to);
inline bool converts(TypeRef from, TypeRef to) { return conversion_rank(from, to) != UINT32_MAX; }

/// True if a pointer of type `pointer` can be passed for a parameter of type `parameter`: pointers to buffers
/// convert to pointers to smaller ones and to ones sized at run time.
bool passes_as(TypeRef pointer, TypeRef parameter);

/// True if the type is an atomic or holds one.
bool holds_atomic(TypeRef type);
/// True if the type is or holds an integer of 8 or 16 bits.
bool holds_narrow(TypeRef type);

/// The run-time array that the type is or ends in; null if there is none.
TypeRef runtime_array(TypeRef type);
/// The offset in bytes of a type's run-time array: WGSL's ArrayOffset.
std::uint64_t array_offset(TypeRef type);
/// The bytes that a type takes with one element of its run-time array, if it has one: WGSL's MinTypeSize.
std::uint64_t least_bytes(TypeRef type);

/// Makes the IR's type in `table`: a matrix becomes the array of its columns, which has the same layout, a
/// buffer the array of its words. Precondition: the type is concrete and not a pointer.
TypeId ir_type(TypeTable& table, TypeRef type);

}  // namespace muster::wgsl
