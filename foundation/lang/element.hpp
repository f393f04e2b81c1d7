// element.hpp - what device values are made of: scalars, vectors, atomics and arrays, as C++ types.
//
//     f32, i32, u32, bool, vec2<f32>, vec3<u32>, vec4<i32>, ...     values
//     Atomic<u32>, Atomic<i32>, Array<f32, 16>                      what variables may hold beside them
//
// These are names of types alone; a value of one on the device is a Value<T> (value.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <muster/foundation/ir_builder.hpp>

namespace muster::lang {

using f32 = float;
using i32 = std::int32_t;
using u32 = std::uint32_t;

template <class S, std::uint32_t N>
struct Vector {};
template <class S>
using vec2 = Vector<S, 2>;
template <class S>
using vec3 = Vector<S, 3>;
template <class S>
using vec4 = Vector<S, 4>;
template <class S>
struct Atomic {};
template <class T, std::uint32_t N>
struct Array {};

namespace detail {

template <class T>
struct Element {
    static constexpr bool is_value = false;
};
template <class S, Scalar kind, std::uint32_t N>
struct ValueElement {
    static constexpr bool is_value = true;
    using scalar = S;
    static constexpr std::uint32_t width = N;
    static constexpr Scalar scalar_kind = kind;
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
template <class S, std::uint32_t N>
struct Element<Vector<S, N>> : ValueElement<S, Element<S>::scalar_kind, N> {};
template <class S>
struct Element<Atomic<S>> {
    static constexpr bool is_value = false;
    static TypeId type(IrBuilder& ir) { return ir.types().atomic(Element<S>::scalar_kind); }
};
template <class T, std::uint32_t N>
struct Element<Array<T, N>> {
    static constexpr bool is_value = false;
    static_assert(N > 0, "an array has at least one element");
    static TypeId type(IrBuilder& ir) {
        const TypeId element = Element<T>::type(ir);
        return ir.types().array(element, N);
    }
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
/// T's shape, made of S.
template <class T, class S>
using with_scalar = typename WithScalar<T, S>::type;

}  // namespace detail

template <class T>
concept ValueType = detail::Element<T>::is_value;
template <class T>
concept VectorType = ValueType<T> && detail::Element<T>::width >
1;
template <class T>
concept FloatType = ValueType<T> && detail::Element<T>::scalar_kind == Scalar::f32;
template <class T>
concept IntegerType = ValueType<T> &&
    (detail::Element<T>::scalar_kind == Scalar::i32 || detail::Element<T>::scalar_kind == Scalar::u32);
template <class T>
concept NumberType = FloatType<T> || IntegerType<T>;
template <class T>
concept SignedType = NumberType<T> && detail::Element<T>::scalar_kind != Scalar::u32;
template <class T>
concept BoolType = ValueType<T> && detail::Element<T>::scalar_kind == Scalar::boolean;

}  // namespace muster::lang
