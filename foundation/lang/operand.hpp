// operand.hpp - the operands of operators and functions of the kernel language: device values, places to load
// from, C++ numbers that become constants, and scalars that are splat to vectors. Internal to lang.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include <muster/foundation/lang/element.hpp>
#include <muster/foundation/lang/recorder.hpp>
#include <muster/foundation/lang/structure.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::lang {

template <class T>
class Value;

namespace detail {

/// The T of a Value, Place, Var, ...; void for every other type.
template <class A>
struct ValueTypeOf {
    using type = void;
};
template <class A>
requires requires { typename A::device_type; }
struct ValueTypeOf<A> {
    using type = typename A::device_type;
};
template <class A>
using value_type_of = typename ValueTypeOf<std::remove_cvref_t<A>>::type;

/// A number of C++, or a 16-bit float of the host.
template <class A>
inline constexpr bool is_number =
    std::is_arithmetic_v<std::remove_cvref_t<A>> || std::is_same_v<std::remove_cvref_t<A>, f16>;
/// C++ numbers that convert as WGSL's abstract numbers do: integers to any number, floats to every float,
/// bool to bool; and f16 to itself.
template <class A, class S>
concept NumberFor = is_number<A> &&
    (std::is_same_v<S, bool> == std::is_same_v<std::remove_cvref_t<A>, bool>)&&(
        std::is_same_v<std::remove_cvref_t<A>, f16> ? std::is_same_v<S, f16>
                                                    : std::is_floating_point_v<S> || std::is_same_v<S, f16> ||
                                                          std::is_integral_v<std::remove_cvref_t<A>>);

template <class A, class T>
concept OperandFor = (ConstructibleType<T> && std::is_same_v<value_type_of<A>, T>) ||
                     (ValueType<T> &&
                      (std::is_same_v<value_type_of<A>, scalar_of<T>> || NumberFor<A, scalar_of<T>>));

template <class S, class A>
Child constant(A number, Location where) {
    if constexpr (std::is_integral_v<S> && !std::is_same_v<S, bool>) {
        if (Recorder* const recorder = Recorder::current(); recorder != nullptr && !std::in_range<S>(number))
            recorder->fault(where, std::to_string(number) + " doesn't fit the type of the other operand.",
                            "convert the device value, as with to<i64>(), or change the number");
    }
    if constexpr (std::is_same_v<S, f16> && !std::is_same_v<A, f16>) {
        const f16 rounded = semantics::to_f16(static_cast<double>(number));
        if (Recorder* const recorder = Recorder::current(); recorder != nullptr &&
                                                            !semantics::is_finite(rounded) &&
                                                            std::isfinite(static_cast<double>(number)))
            recorder->fault(where,
                            std::to_string(number) + " doesn't fit f16, whose largest number is 65504.",
                            "convert the device value with to<f32>(), or change the number");
        return {known([&](IrBuilder& ir) { return ir.constant(rounded); }), false};
    } else if constexpr (NarrowType<S>) {
        using Wide = std::conditional_t<std::is_signed_v<S>, i32, u32>;
        return {known([&](IrBuilder& ir) {
                    return ir.convert(Element<S>::scalar_kind, ir.constant(static_cast<Wide>(number)));
                }),
                false};
    } else {
        return {known([&](IrBuilder& ir) { return ir.constant(static_cast<S>(number)); }), false};
    }
}

template <VectorType T>
Child splat(Child scalar, Location where) {
    return {record(where, {scalar}, [](IrBuilder& ir, Nodes n) { return ir.splat(n[0], Element<T>::width); }),
            true};
}

/// An operand of type T, converted at the point of use, whose location it records.
template <class T>
struct Operand {
    template <OperandFor<T> A>
    Operand(A&& given, Location at = Location::current()) : where(at) {  // NOLINT: implicit by purpose
        if constexpr (is_number<A>)
            child = constant<scalar_of<T>>(given, at);
        else
            child = std::forward<A>(given).as_child(at);
        if constexpr (!std::is_same_v<value_type_of<A>, T> && VectorType<T>) child = splat<T>(child, at);
    }
    Child child;
    Location where;
};

/// An index: an i32 or u32; C++ numbers become u32 constants.
struct Index {
    template <class A>
    requires(std::is_same_v<value_type_of<A>, u32> || std::is_same_v<value_type_of<A>, i32> ||
             NumberFor<A, u32>) Index(A&& given, Location at = Location::current())
        : where(at) {  // NOLINT: implicit by purpose
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<A>>) {
            child = constant<u32>(given, at);
            number = static_cast<std::int64_t>(given);
        } else {
            child = std::forward<A>(given).as_child(at);
        }
    }
    Child child;
    std::optional<std::int64_t> number;  // if the index is a C++ number
    Location where;
};

/// Records a value that `emit` computes from its operands.
template <class R, class... Operands>
Value<R> compute(Emit emit, const Operands&... operands) {
    const Location where = std::get<0>(std::tie(operands...)).where;
    return Value<R>(record(where, {operands.child...}, std::move(emit)));
}
template <class R, class A>
Value<R> unary(Op op, const A& a) {
    return compute<R>([op](IrBuilder& ir, Nodes n) { return ir.unary(op, n[0]); }, a);
}
template <class R, class A, class B>
Value<R> binary(Op op, const A& a, const B& b) {
    return compute<R>([op](IrBuilder& ir, Nodes n) { return ir.binary(op, n[0], n[1]); }, a, b);
}

}  // namespace detail
}  // namespace muster::lang
