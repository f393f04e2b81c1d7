// value.hpp - values on the device: the results of expressions in a kernel.
//
//     Value<f32> v = 2.0f * x[i] + 1.0f;           // computed here, once, like WGSL's let
//     Value<vec3<f32>> c = vec<f32>(v, v, 1.0f);
//     Value<f32> red = c.x();                      // or c[0]; or c[i] with i on the device
//     Value<vec2<f32>> yx = c.swizzle<"yx">();
//     Value<u32> n = to<u32>(v);
//     Value<u32> word = bits<u32>(v);
//
// A Value names a result. A C++ assignment of another Value makes the object name that one and assigns
// nothing on the device; for data that changes while the kernel runs, use a Var (variable.hpp). Operators are
// WGSL's, on equal types, a vector and a scalar, or a value and a C++ number. `&&` and `||` don't compile,
// because C++ would need a value that doesn't exist yet; `&` and `|` evaluate both sides. Nor does a device
// value as a C++ condition: use if_ (control.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <muster/foundation/lang/functions.hpp>
#include <muster/foundation/lang/part.hpp>

namespace muster::lang {
namespace detail {

/// The operators of T, found by lookup through operands of or with type T.
template <class T>
struct Operators : Functions<T> {
    using device_type = T;
    using A = const Operand<T>&;
    using Truth = Value<with_scalar<T, bool>>;

    friend Value<T> operator+(A a, A b) requires NumberType<T> { return binary<T>(Op::add, a, b); }
    friend Value<T> operator-(A a, A b) requires NumberType<T> { return binary<T>(Op::sub, a, b); }
    friend Value<T> operator*(A a, A b) requires NumberType<T> { return binary<T>(Op::mul, a, b); }
    friend Value<T> operator/(A a, A b) requires NumberType<T> { return binary<T>(Op::div, a, b); }
    friend Value<T> operator%(A a, A b) requires NumberType<T> { return binary<T>(Op::rem, a, b); }
    friend Value<T> operator-(A a) requires SignedType<T> { return unary<T>(Op::neg, a); }

    friend Truth operator==(A a, A b) requires(!NarrowType<T>) {
        return binary<with_scalar<T, bool>>(Op::eq, a, b);
    }
    friend Truth operator!=(A a, A b) requires(!NarrowType<T>) {
        return binary<with_scalar<T, bool>>(Op::ne, a, b);
    }
    friend Truth operator<(A a, A b) requires NumberType<T> {
        return binary<with_scalar<T, bool>>(Op::lt, a, b);
    }
    friend Truth operator<=(A a, A b) requires NumberType<T> {
        return binary<with_scalar<T, bool>>(Op::le, a, b);
    }
    friend Truth operator>(A a, A b) requires NumberType<T> {
        return binary<with_scalar<T, bool>>(Op::gt, a, b);
    }
    friend Truth operator>=(A a, A b) requires NumberType<T> {
        return binary<with_scalar<T, bool>>(Op::ge, a, b);
    }

    friend Value<T> operator&(A a, A b) requires(IntegerType<T> || BoolType<T>) {
        return binary<T>(Op::bit_and, a, b);
    }
    friend Value<T> operator|(A a, A b) requires(IntegerType<T> || BoolType<T>) {
        return binary<T>(Op::bit_or, a, b);
    }
    friend Value<T> operator^(A a, A b) requires IntegerType<T> { return binary<T>(Op::bit_xor, a, b); }
    friend Value<T> operator~(A a) requires IntegerType<T> { return unary<T>(Op::bit_not, a); }
    friend Value<T> operator!(A a) requires BoolType<T> { return unary<T>(Op::logical_not, a); }
    /// Shift counts are u32, with the same width.
    friend Value<T> operator<<(A a, const Operand<with_scalar<T, u32>>& count) requires IntegerType<T> {
        return binary<T>(Op::shift_left, a, count);
    }
    friend Value<T> operator>>(A a, const Operand<with_scalar<T, u32>>& count) requires IntegerType<T> {
        return binary<T>(Op::shift_right, a, count);
    }
};

/// Letters of "xyzw" or "rgba" as a template argument.
template <std::size_t N>
struct Letters {
    consteval Letters(const char (&text)[N]) {  // NOLINT: implicit by purpose
        for (std::size_t i = 0; i + 1 < N; ++i) {
            constexpr std::string_view xyzw = "xyzw", rgba = "rgba";
            const std::size_t at = std::min(xyzw.find(text[i]), rgba.find(text[i]));
            if (at == std::string_view::npos) throw "a swizzle is made of x, y, z, w or of r, g, b, a";
            components[i] = static_cast<std::uint8_t>(at);
            highest = std::max(highest, components[i]);
        }
    }
    std::array<std::uint8_t, N - 1> components{};
    std::uint8_t highest = 0;
};

}  // namespace detail

template <class A>
concept DeviceOperand = !std::is_void_v<detail::value_type_of<A>>;

template <class T>
class Value : public detail::Operators<T> {
    static_assert(ValueType<T>,
                  "a Value holds a bool, i32, u32, f32, f16, i64, u64, f64, a vector, a matrix, a structure "
                  "of Fields or "
                  "an Array<T, N>");
    using Location = detail::Location;
    using S = detail::scalar_of<T>;
    static constexpr std::uint32_t width = detail::Element<T>::width;

  public:
    /// From an object of type T, which is loaded here, or from a C++ number.
    template <class A>
    requires(!std::is_same_v<std::remove_cvref_t<A>, Value> &&
             (std::is_same_v<detail::value_type_of<A>, T> || detail::NumberFor<A, detail::scalar_of<T>>))
        Value(A&& given, Location at = Location::current())  // NOLINT: implicit by purpose
        : handle_(detail::Operand<T>(std::forward<A>(given), at).child.handle) {}
    explicit Value(detail::Handle handle) : handle_(handle) {}

    // Components of vectors.
    Value<S> x(Location at = Location::current()) const& { return part<0>({handle_, false}, at); }
    Value<S> y(Location at = Location::current()) const& { return part<1>({handle_, false}, at); }
    Value<S> z(Location at = Location::current()) const& { return part<2>({handle_, false}, at); }
    Value<S> w(Location at = Location::current()) const& { return part<3>({handle_, false}, at); }
    Value<S> x(Location at = Location::current()) && { return part<0>({handle_, true}, at); }
    Value<S> y(Location at = Location::current()) && { return part<1>({handle_, true}, at); }
    Value<S> z(Location at = Location::current()) && { return part<2>({handle_, true}, at); }
    Value<S> w(Location at = Location::current()) && { return part<3>({handle_, true}, at); }
    /// Two to four components in any order: swizzle<"zyx">().
    template <detail::Letters letters>
    auto swizzle(Location at = Location::current()) const& {
        return pick<letters>({handle_, false}, at);
    }
    template <detail::Letters letters>
    auto swizzle(Location at = Location::current()) && {
        return pick<letters>({handle_, true}, at);
    }

    Value<S> operator[](const detail::Index& index) const& requires VectorType<T> {
        return at({handle_, false}, index);
    }
    Value<S> operator[](const detail::Index& index) && requires VectorType<T> {
        return at({handle_, true}, index);
    }

    detail::Child as_child(Location) const& { return {handle_, false}; }
    detail::Child as_child(Location) && { return {handle_, true}; }

  private:
    static Value<S> at(detail::Child whole, const detail::Index& index) {
        return Value<S>(detail::element({whole, detail::Hold::value}, index, width).child.handle);
    }
    template <std::uint32_t which>
    static Value<S> part(detail::Child whole, Location at) {
        static_assert(which < width && width > 1, "the value has no such component");
        return Value<S>(detail::record(
            at, {whole}, [](IrBuilder& ir, detail::Nodes n) { return ir.extract(n[0], which); }));
    }
    template <detail::Letters letters>
    static auto pick(detail::Child whole, Location at) {
        constexpr std::size_t count = letters.components.size();
        static_assert(count >= 2 && count <= 4 && letters.highest < width && width > 1,
                      "a swizzle picks two to four of the components that the vector has");
        return Value<Vector<S, count>>(detail::record(at, {whole}, [](IrBuilder& ir, detail::Nodes n) {
            return ir.swizzle(n[0], letters.components);
        }));
    }

    detail::Handle handle_;
};

template <class T>
struct Frexp {
    Value<T> fract;
    Value<detail::with_scalar<T, i32>> exp;
};
template <class T>
struct Modf {
    Value<T> fract, whole;
};

/// Fail to compile, with the reason: see the top of this header.
template <class A, class B>
requires(DeviceOperand<A> || DeviceOperand<B>) Value<bool>
operator&&(A&&, B&&) {
    static_assert(detail::never<A>,
                  "&& on device values doesn't stop at its left side: use &, which takes both");
    return Value<bool>(detail::Handle{});
}
template <class A, class B>
requires(DeviceOperand<A> || DeviceOperand<B>) Value<bool>
operator||(A&&, B&&) {
    static_assert(detail::never<A>,
                  "|| on device values doesn't stop at its left side: use |, which takes both");
    return Value<bool>(detail::Handle{});
}

/// A vector of two to four C++ numbers and device scalars: vec<f32>(1.0f, x[i]).
template <class S>
Value<vec2<S>> vec(const std::type_identity_t<detail::Operand<S>>& x,
                   const std::type_identity_t<detail::Operand<S>>& y) {
    return detail::compute<vec2<S>>(
        [](IrBuilder& ir, detail::Nodes n) { return ir.compose(detail::Element<vec2<S>>::type(ir), n); }, x,
        y);
}
template <class S>
Value<vec3<S>> vec(const std::type_identity_t<detail::Operand<S>>& x,
                   const std::type_identity_t<detail::Operand<S>>& y,
                   const std::type_identity_t<detail::Operand<S>>& z) {
    return detail::compute<vec3<S>>(
        [](IrBuilder& ir, detail::Nodes n) { return ir.compose(detail::Element<vec3<S>>::type(ir), n); }, x,
        y, z);
}
template <class S>
Value<vec4<S>> vec(const std::type_identity_t<detail::Operand<S>>& x,
                   const std::type_identity_t<detail::Operand<S>>& y,
                   const std::type_identity_t<detail::Operand<S>>& z,
                   const std::type_identity_t<detail::Operand<S>>& w) {
    return detail::compute<vec4<S>>(
        [](IrBuilder& ir, detail::Nodes n) { return ir.compose(detail::Element<vec4<S>>::type(ir), n); }, x,
        y, z, w);
}

/// Converts the value to scalars S, componentwise, by WGSL's conversion rules; to integers of 8 and 16 bits
/// from other integers, whose low bits it keeps.
template <class S, DeviceOperand A>
auto to(A&& given, detail::Location at = detail::Location::current()) {
    using T = detail::value_type_of<A>;
    static_assert(!NarrowType<S> || IntegerType<T> || NarrowType<T>,
                  "floats and bools convert to an i32 or u32, which converts to fewer bits");
    const detail::Operand<T> operand(std::forward<A>(given), at);
    return detail::compute<detail::with_scalar<T, S>>(
        [](IrBuilder& ir, detail::Nodes n) { return ir.convert(detail::Element<S>::scalar_kind, n[0]); },
        operand);
}

/// Reinterprets the value's bits as scalars S, as many as they fill: WGSL's bitcast. bits<u32>
/// of a vec2<f16> is one u32.
template <class S, DeviceOperand A>
requires(!std::is_same_v<S, bool>) auto bits(A&& given, detail::Location at = detail::Location::current()) {
    using T = detail::value_type_of<A>;
    static_assert(NumberType<T>, "a bool has no bits");
    const detail::Operand<T> operand(std::forward<A>(given), at);
    return detail::compute<detail::with_bits_of<T, S>>(
        [](IrBuilder& ir, detail::Nodes n) { return ir.bitcast(detail::Element<S>::scalar_kind, n[0]); },
        operand);
}

/// A constant: constant<f32>(1.5f). Needed only if no other operand determines a C++ number's type.
template <ValueType T, class A>
Value<T> constant(A number, detail::Location at = detail::Location::current()) {
    return Value<T>(detail::Operand<T>(number, at).child.handle);
}

// The built-in values of each invocation (WGSL section "Built-in Inputs and Outputs").
namespace detail {
template <class T>
Value<T> builtin_value(Builtin which) {
    return Value<T>(known([which](IrBuilder& ir) { return ir.builtin(which); }));
}
}  // namespace detail
inline Value<vec3<u32>> global_invocation_id() {
    return detail::builtin_value<vec3<u32>>(Builtin::global_invocation_id);
}
inline Value<vec3<u32>> local_invocation_id() {
    return detail::builtin_value<vec3<u32>>(Builtin::local_invocation_id);
}
inline Value<u32> local_invocation_index() {
    return detail::builtin_value<u32>(Builtin::local_invocation_index);
}
inline Value<vec3<u32>> workgroup_id() { return detail::builtin_value<vec3<u32>>(Builtin::workgroup_id); }
inline Value<vec3<u32>> num_workgroups() { return detail::builtin_value<vec3<u32>>(Builtin::num_workgroups); }

}  // namespace muster::lang
