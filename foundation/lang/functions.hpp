// functions.hpp - WGSL's numeric, bit and subgroup built-in functions, in snake case, on device values:
// functions.def lists them. packing.hpp has those of one type, subgroups.hpp those of bools.
// Argument-dependent lookup finds them; C++ numbers may accompany a device value: clamp(x, 0.0f, 1.0f).
// Source: WGSL section "Numeric Built-in Functions" and those around it; builtins.hpp defines the results.
#pragma once

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/lang/operand.hpp>

namespace muster::lang {

/// e = fract * 2^exp.
template <class T>
struct Frexp;
/// e = fract + whole.
template <class T>
struct Modf;

}  // namespace muster::lang

namespace muster::lang::detail {

namespace b = builtins;

/// Records a call of an operation, or of a function of builtins.hpp, which takes (ir, nodes...).
template <class R, auto function, class... Operands>
Value<R> built_in(const Operands&... operands) {
    return compute<R>(
        [](IrBuilder& ir, Nodes n) {
            if constexpr (std::is_same_v<decltype(function), Op>)
                return b::operation(ir, function, n);
            else
                return [&]<std::size_t... i>(std::index_sequence<i...>) { return function(ir, n[i]...); }
            (std::index_sequence_for<Operands...>{});
        },
        operands...);
}

/// select(if_false, if_true, condition): the condition is a bool, or for vectors one bool per component.
template <class T>
struct AnyFunctions {
    using A = const Operand<T>&;
    using Flag = Value<std::conditional_t<ValueType<T>, bool, T>>;  // names Value<bool> once T is known
    friend Value<T> select(A if_false, A if_true, const Operand<bool>& condition) {
        return built_in<T, Op::select>(if_false, if_true, condition);
    }
    friend Value<T> select(A if_false, A if_true,
                           const Value<with_scalar<T, bool>>& condition) requires VectorType<T> {
        return AnyFunctions::select_each(if_false, if_true, {condition, if_false.where});
    }
    friend Value<T> select(A if_false, A if_true,
                           Value<with_scalar<T, bool>>&& condition) requires VectorType<T> {
        return AnyFunctions::select_each(if_false, if_true, {std::move(condition), if_false.where});
    }
    friend Flag all(A a) requires BoolType<T> { return built_in<bool, Op::all>(a); }
    friend Flag any(A a) requires BoolType<T> { return built_in<bool, Op::any>(a); }

  private:
    static Value<T> select_each(A if_false, A if_true, const Operand<with_scalar<T, bool>>& condition) {
        return built_in<T, Op::select>(if_false, if_true, condition);
    }
};

// The domains of functions.def: the types that a function's T may be.
template <class T>
concept number = NumberType<T>;
template <class T>
concept signed_number = SignedType<T>;
template <class T>
concept integer = IntegerType<T>;
template <class T>
concept floating = FloatType<T>;
template <class T>
concept floating_32 = std::is_same_v<scalar_of<T>, f32>;
template <class T>
concept number_vector = VectorType<T>;
template <class T>
concept floating_vector = FloatType<T> && VectorType<T>;
template <class T>
concept floating_vec3 = FloatType<T> && Element<T>::width == 3;

// Declares the parameters x0, x1, ... of these types, and names them.
#define MUSTER_NTH(a, b, c, d, chosen, ...) chosen
#define MUSTER_PARAMETERS_1(a) const Operand<a>& x0
#define MUSTER_PARAMETERS_2(a, b) MUSTER_PARAMETERS_1(a), const Operand<b>& x1
#define MUSTER_PARAMETERS_3(a, b, c) MUSTER_PARAMETERS_2(a, b), const Operand<c>& x2
#define MUSTER_PARAMETERS_4(a, b, c, d) MUSTER_PARAMETERS_3(a, b, c), const Operand<d>& x3
#define MUSTER_PARAMETERS(...)                                                             \
    MUSTER_NTH(__VA_ARGS__, MUSTER_PARAMETERS_4, MUSTER_PARAMETERS_3, MUSTER_PARAMETERS_2, \
               MUSTER_PARAMETERS_1, )                                                      \
    (__VA_ARGS__)
#define MUSTER_ARGUMENTS_2 x0, x1
#define MUSTER_ARGUMENTS_3 x0, x1, x2
#define MUSTER_ARGUMENTS_4 x0, x1, x2, x3
#define MUSTER_ARGUMENTS(...) \
    MUSTER_NTH(__VA_ARGS__, MUSTER_ARGUMENTS_4, MUSTER_ARGUMENTS_3, MUSTER_ARGUMENTS_2, x0, )
// NOLINTBEGIN(bugprone-macro-parentheses): `parameters` is a list in parentheses
#define MUSTER_FRIEND(name, domain, parameters, result, function)                \
    friend Value<result> name(MUSTER_PARAMETERS parameters) requires domain<T> { \
        return built_in<result, function>(MUSTER_ARGUMENTS parameters);          \
    }
// NOLINTEND(bugprone-macro-parentheses)

/// The functions of functions.def whose operands have types that depend on one of them, and others of such.
template <class T>
struct NumberFunctions {
    using A = const Operand<T>&;
    using t = T;
    using s = scalar_of<T>;
    using ti = with_scalar<T, i32>;
    using u = u32;

#define MUSTER_OPERATION(wgsl, op, domain, parameters, result, ...) \
    MUSTER_FRIEND(op, domain, parameters, result, Op::op)
#define MUSTER_EXPANSION(wgsl, function, domain, parameters, result, ...) \
    MUSTER_FRIEND(function, domain, parameters, result, b::function)
#include <muster/foundation/build/functions.def>

    friend Modf<T> modf(A a) requires FloatType<T> {
        builtins::Modf parts;
        effect(a.where, {a.child}, [&](IrBuilder& ir, Nodes n) { return (parts = b::modf(ir, n[0])).fract; });
        return {Value<T>(known(parts.fract)), Value<T>(known(parts.whole))};
    }
    friend Frexp<T> frexp(A a) requires FloatType<T> {
        builtins::Frexp parts;
        effect(a.where, {a.child},
               [&](IrBuilder& ir, Nodes n) { return (parts = b::frexp(ir, n[0])).fract; });
        return {Value<T>(known(parts.fract)), Value<ti>(known(parts.exp))};
    }
    /// `id` is below 128.
    friend Value<T> subgroup_broadcast(A a, std::uint32_t id) {
        return compute<T>(
            [id](IrBuilder& ir, Nodes n) {
                return ir.subgroup(Op::subgroup_broadcast, n[0], ir.constant(id));
            },
            a);
    }
    friend Value<T> quad_broadcast(A a, std::uint32_t id) {
        return compute<T>(
            [id](IrBuilder& ir, Nodes n) { return b::quad_broadcast(ir, n[0], ir.constant(id)); }, a);
    }
    friend Value<T> quad_swap_x(A a) { return NumberFunctions::swap(a, 1); }
    friend Value<T> quad_swap_y(A a) { return NumberFunctions::swap(a, 2); }
    friend Value<T> quad_swap_diagonal(A a) { return NumberFunctions::swap(a, 3); }

  private:
    static Value<T> swap(A a, std::uint32_t mask) {
        return compute<T>([mask](IrBuilder& ir, Nodes n) { return b::quad_swap(ir, n[0], mask); }, a);
    }
};
#undef MUSTER_FRIEND
#undef MUSTER_ARGUMENTS
#undef MUSTER_ARGUMENTS_4
#undef MUSTER_ARGUMENTS_3
#undef MUSTER_ARGUMENTS_2
#undef MUSTER_PARAMETERS
#undef MUSTER_PARAMETERS_4
#undef MUSTER_PARAMETERS_3
#undef MUSTER_PARAMETERS_2
#undef MUSTER_PARAMETERS_1
#undef MUSTER_NTH

/// The base class through which lookup finds a type's functions.
template <class T>
struct Functions : AnyFunctions<T> {};
template <NumberType T>
struct Functions<T> : AnyFunctions<T>, NumberFunctions<T> {};

}  // namespace muster::lang::detail
