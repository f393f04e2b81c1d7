// element.hpp - the types of device values and variables, as C++ types.
//
//     f32, f16, i32, u32, bool, vec2<f32>, vec3<u32>, vec4<i32>, ... values
//     f64, i64, u64, vec2<f64>, ...                                 values of 64 bits
//     i8, u8, i16, u16, vec4<u8>, ...                               values that are stored and converted, not computed with
//     mat2x3<f32>, mat4x4<f32>, ...                                 matrices of 2 columns and 3 rows, ...: values too
//     Array<f32, 16>                                                fixed-size arrays: values too
//     Atomic<u32>, Atomic<f32>, Array<f32>                          only in memory; Array<f32> is sized at run time
//     struct Particle { Field<vec3<f32>> position; Field<f32> mass; };      structures: structure.hpp
//
// These only name types: a device value of type T is a Value<T> (value.hpp, composite.hpp), a variable of
// type T is a Var<T> or similar (variable.hpp, parameter.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace muster::lang {

using f32 = float;
using muster::f16;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using f64 = double;
using i64 = std::int64_t;
using u64 = std::uint64_t;

template <class S, std::uint32_t N>
struct Vector {};
template <class S>
using vec2 = Vector<S, 2>;
template <class S>
using vec3 = Vector<S, 3>;
template <class S>
using vec4 = Vector<S, 4>;
/// C columns, which are vectors of R components.
template <class S, std::uint32_t C, std::uint32_t R>
struct Matrix {};
template <class S>
using mat2x2 = Matrix<S, 2, 2>;
template <class S>
using mat2x3 = Matrix<S, 2, 3>;
template <class S>
using mat2x4 = Matrix<S, 2, 4>;
template <class S>
using mat3x2 = Matrix<S, 3, 2>;
template <class S>
using mat3x3 = Matrix<S, 3, 3>;
template <class S>
using mat3x4 = Matrix<S, 3, 4>;
template <class S>
using mat4x2 = Matrix<S, 4, 2>;
template <class S>
using mat4x3 = Matrix<S, 4, 3>;
template <class S>
using mat4x4 = Matrix<S, 4, 4>;
template <class S>
struct Atomic {};
/// N elements; without N, as many as are bound.
template <class T, std::uint32_t N = 0>
struct Array {};

namespace detail {

template <class T>
inline constexpr bool never = false;

/// Properties of a type; this base makes all of them false.
struct NoElement {
    static constexpr bool is_value = false;  // a scalar or vector
    static constexpr bool is_structure = false;
    static constexpr bool is_array = false;          // or a matrix: an array of columns
    static constexpr bool is_constructible = false;  // as in WGSL: a Value can hold it
    static constexpr bool is_sized = false;
    static constexpr bool holds_bool = false;
    static constexpr bool holds_atomic = false;
};
template <class T>
struct Element : NoElement {};

template <class S, Scalar kind, std::uint32_t N>
struct ValueElement : NoElement {
    static constexpr bool is_value = true, is_constructible = true, is_sized = true;
    static constexpr bool holds_bool = kind == Scalar::boolean;
    using scalar = S;
    static constexpr std::uint32_t width = N;
    static constexpr Scalar scalar_kind = kind;
    static constexpr std::uint64_t size = info(kind).bytes * N, align = info(kind).bytes * (N == 3 ? 4 : N);
    static TypeId type(IrBuilder&) { return type_of(kind, N); }
};
template <>
struct Element<bool> : ValueElement<bool, Scalar::boolean, 1> {};
template <>
struct Element<i32> : ValueElement<i32, Scalar::i32, 1> {};
template <>
struct Element<u32> : ValueElement<u32, Scalar::u32, 1> {};
template <>
struct Element<f32> : ValueElement<f32, Scalar::f32, 1> {};
template <>
struct Element<f16> : ValueElement<f16, Scalar::f16, 1> {};
template <>
struct Element<i8> : ValueElement<i8, Scalar::i8, 1> {};
template <>
struct Element<u8> : ValueElement<u8, Scalar::u8, 1> {};
template <>
struct Element<i16> : ValueElement<i16, Scalar::i16, 1> {};
template <>
struct Element<u16> : ValueElement<u16, Scalar::u16, 1> {};
template <>
struct Element<f64> : ValueElement<f64, Scalar::f64, 1> {};
template <>
struct Element<i64> : ValueElement<i64, Scalar::i64, 1> {};
template <>
struct Element<u64> : ValueElement<u64, Scalar::u64, 1> {};
template <class S, std::uint32_t N>
struct Element<Vector<S, N>> : ValueElement<S, Element<S>::scalar_kind, N> {};

template <class S>
struct Element<Atomic<S>> : NoElement {
    static_assert(std::is_same_v<S, u32> || std::is_same_v<S, i32> || std::is_same_v<S, f32> ||
                      std::is_same_v<S, u64> || std::is_same_v<S, i64>,
                  "an Atomic is of u32, i32, f32, u64 or i64");
    static constexpr bool holds_atomic = true;
    static constexpr bool is_sized = true;
    static constexpr std::uint64_t size = Element<S>::size, align = size;
    static TypeId type(IrBuilder& ir) { return ir.types().atomic(Element<S>::scalar_kind); }
};

template <class T, std::uint32_t N>
struct Element<Array<T, N>> : NoElement {
    static_assert(Element<T>::is_sized,
                  "an array's elements are scalars, vectors, atomics, structures or arrays, "
                  "of a fixed size");
    static constexpr bool is_array = true;
    using element = T;
    static constexpr std::uint32_t count = N;
    static constexpr bool is_constructible = N > 0 && Element<T>::is_constructible, is_sized = N > 0;
    static constexpr bool holds_bool = Element<T>::holds_bool, holds_atomic = Element<T>::holds_atomic;
    static constexpr std::uint64_t align = Element<T>::align, size = N * round_up(Element<T>::size, align);
    static TypeId type(IrBuilder& ir) {
        const TypeId element = Element<T>::type(ir);
        return N == 0 ? ir.types().runtime_array(element) : ir.types().array(element, N);
    }
};

template <class S, std::uint32_t C, std::uint32_t R>
struct Element<Matrix<S, C, R>> : Element<Array<Vector<S, R>, C>> {
    static_assert(is_float(Element<S>::scalar_kind), "a matrix is of f32, f16 or f64");
};

template <class T>
using scalar_of = typename Element<T>::scalar;
template <class T, class S>
struct WithScalar {
    using type = S;
};
template <class S0, std::uint32_t N, class S>
struct WithScalar<Vector<S0, N>, S> {
    using type = Vector<S, N>;
};
/// T with its scalars replaced by S.
template <class T, class S>
using with_scalar = typename WithScalar<T, S>::type;

template <class S, std::uint32_t N>
struct OfWidth {
    static_assert(N >= 1 && N <= 4, "these bits fill no scalar or vector of the other type");
    using type = Vector<S, N>;
};
template <class S>
struct OfWidth<S, 1> {
    using type = S;
};
/// S, or a vector of S, with as many bytes as T.
template <class T, class S>
using with_bits_of = typename OfWidth<S, Element<T>::size / Element<S>::size>::type;

}  // namespace detail

/// A scalar or vector.
template <class T>
concept ValueType = detail::Element<T>::is_value;
template <class T>
concept StructureType = detail::Element<T>::is_structure;
/// An array or a matrix.
template <class T>
concept ArrayType = detail::Element<T>::is_array;
/// Types that a Value can hold: no atomics, nothing sized at run time.
template <class T>
concept ConstructibleType = detail::Element<T>::is_constructible;
template <class T>
concept VectorType = ValueType<T> && detail::Element<T>::width >
1;
template <class T>
concept FloatType = ValueType<T> && is_float(detail::Element<T>::scalar_kind);
template <class T>
concept IntegerType = ValueType<T> && is_integer(detail::Element<T>::scalar_kind);
template <class T>
concept NumberType = FloatType<T> || IntegerType<T>;
template <class T>
concept SignedType = FloatType<T> ||(IntegerType<T>&& is_signed(detail::Element<T>::scalar_kind));
/// A number of 64 bits, or a vector of them.
template <class T>
concept WideType = ValueType<T> && is_wide(detail::Element<T>::scalar_kind);
/// An integer of 8 or 16 bits, or a vector of them.
template <class T>
concept NarrowType = ValueType<T> && is_narrow(detail::Element<T>::scalar_kind);
template <class T>
concept BoolType = ValueType<T> && detail::Element<T>::scalar_kind == Scalar::boolean;

}  // namespace muster::lang
