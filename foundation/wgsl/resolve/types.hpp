// types.hpp - the types that WGSL expressions have: those of the IR, and those that exist only in the text
// (abstract numbers, pointers, results of frexp and the like).
//
// Types are interned by a Types: equal types are the same object, so they are compared by address. Structures
// are equal only to themselves. Layout is WGSL's, section "Alignment and Size". Threads: one Types, one
// thread. Lifetime: types live as long as their Types.
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
    nothing,  // what a function without a result yields
    abstract_int,
    abstract_float,
    boolean,
    i32,
    u32,
    f32,
    vector,
    array,
    structure,
    atomic,
    pointer,
};

struct WgslType;

struct WgslMember {
    std::string name;
    const WgslType* type = nullptr;
    std::uint32_t align = 0;   // as declared, 0: not
    std::uint64_t size = 0;    // as declared, 0: not
    std::uint64_t offset = 0;  // bytes
};

struct WgslType {
    Kind kind = Kind::nothing;
    const WgslType* element = nullptr;  // vector, array, atomic, pointer: of what
    std::uint32_t count = 0;            // vector: width; array: elements, 0: sized at run time
    bool override_sized = false;        // array whose count came from an override: workgroup variables only
    AddressSpace space = AddressSpace::function;    // pointer
    Access access = Access::read_write;             // pointer
    std::string name;                               // as WGSL spells it
    std::vector<WgslMember> members;                // structure
    std::uint64_t size = 0, align = 1, stride = 0;  // bytes
    std::uint64_t words = 1;                        // scalars in a value
    std::uint32_t depth = 1;                        // nesting of composites
    bool constructible = true;                      // may be a value: no atomics, nothing sized at run time
    bool host_shareable = true;
    bool is_abstract = false;  // is or has an abstract number
    bool has_runtime_array = false;

    bool is_scalar() const { return kind >= Kind::abstract_int && kind <= Kind::f32; }
    bool is_vector() const { return kind == Kind::vector; }
    /// The scalar of a scalar or vector.
    const WgslType* scalar() const { return is_vector() ? element : this; }
    /// 1 of a scalar.
    std::uint32_t width() const { return is_vector() ? count : 1; }
    bool is_boolean() const { return scalar()->kind == Kind::boolean; }
    bool is_float() const { return scalar()->kind == Kind::f32 || scalar()->kind == Kind::abstract_float; }
    bool is_integer() const {
        const Kind k = scalar()->kind;
        return k == Kind::i32 || k == Kind::u32 || k == Kind::abstract_int;
    }
    bool is_numeric() const { return is_float() || is_integer(); }
};

using TypeRef = const WgslType*;

class Types {
  public:
    Types();

    TypeRef nothing, abstract_int, abstract_float, boolean, i32, u32, f32;

    TypeRef scalar(Kind kind) const;
    TypeRef vector(TypeRef scalar, std::uint32_t width);
    /// Scalar or vector of `shape`'s width.
    TypeRef shaped(TypeRef scalar, TypeRef shape) {
        return shape->is_vector() ? vector(scalar, shape->count) : scalar;
    }
    TypeRef array(TypeRef element, std::uint32_t count, bool override_sized = false);
    TypeRef atomic(TypeRef scalar);
    TypeRef pointer(AddressSpace space, TypeRef to, Access access);
    /// A new structure, equal to no other; lays out the members.
    TypeRef structure(std::string name, std::vector<WgslMember> members);
    /// A structure that no text can name, such as frexp's result; the same for the same name.
    TypeRef hidden_structure(std::string_view name, std::vector<WgslMember> members);

    /// The concrete type that a value of this type takes where nothing says which (WGSL section "Conversion
    /// Rank").
    TypeRef concrete(TypeRef type);

    /// Arrays, structures and atomics made so far, which a program's table may have each.
    std::size_t count() const { return counted_; }

  private:
    TypeRef add(std::string key, WgslType type);
    std::deque<WgslType> types_;
    std::unordered_map<std::string, TypeRef> by_key_;
    std::size_t counted_ = 0;
    std::array<std::array<TypeRef, 5>, 12> vectors_{};  // by scalar kind and width: looked up often
};

/// WGSL's ConversionRank, without the load rule; UINT32_MAX: there is no automatic conversion.
std::uint32_t conversion_rank(TypeRef from, TypeRef to);
inline bool converts(TypeRef from, TypeRef to) { return conversion_rank(from, to) != UINT32_MAX; }

/// The IR's type, made in `table`. Precondition: concrete, no pointer.
TypeId ir_type(TypeTable& table, TypeRef type);

}  // namespace muster::wgsl
