// functions.hpp - WGSL's numeric and bit built-in functions, in snake case, on device values.
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

/// Records a call of a function of builtins.hpp, which takes (ir, nodes...).
template <class R, auto function, class... Operands>
Value<R> built_in(const Operands&... operands) {
    return compute<R>(
        [](IrBuilder& ir, Nodes n) {
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
        return compute<T>([](IrBuilder& ir, Nodes n) { return ir.select(n[0], n[1], n[2]); }, if_false,
                          if_true, condition);
    }
    friend Value<T> select(A if_false, A if_true,
                           const Value<with_scalar<T, bool>>& condition) requires VectorType<T> {
        return AnyFunctions::select_each(if_false, if_true, {condition, if_false.where});
    }
    friend Value<T> select(A if_false, A if_true,
                           Value<with_scalar<T, bool>>&& condition) requires VectorType<T> {
        return AnyFunctions::select_each(if_false, if_true, {std::move(condition), if_false.where});
    }
    friend Flag all(A a) requires BoolType<T> { return AnyFunctions::reduce(Op::all, a); }
    friend Flag any(A a) requires BoolType<T> { return AnyFunctions::reduce(Op::any, a); }

  private:
    static Value<T> select_each(A if_false, A if_true, const Operand<with_scalar<T, bool>>& condition) {
        return compute<T>([](IrBuilder& ir, Nodes n) { return ir.select(n[0], n[1], n[2]); }, if_false,
                          if_true, condition);
    }
    static Flag reduce(Op op, A a) {
        return compute<bool>(
            [op](IrBuilder& ir, Nodes n) { return VectorType<T> ? ir.unary(op, n[0]) : n[0]; }, a);
    }
};

template <class T>
struct NumberFunctions {
    using A = const Operand<T>&;
    friend Value<T> abs(A a) { return unary<T>(Op::abs, a); }
    friend Value<T> min(A a, A c) { return binary<T>(Op::min, a, c); }
    friend Value<T> max(A a, A c) { return binary<T>(Op::max, a, c); }
    friend Value<T> clamp(A a, A low, A high) { return built_in<T, b::clamp>(a, low, high); }
    friend Value<T> sign(A a) requires SignedType<T> { return built_in<T, b::sign>(a); }
    friend Value<scalar_of<T>> dot(A a, A c) requires VectorType<T> {
        return built_in<scalar_of<T>, b::dot>(a, c);
    }
};

template <class T>
struct FloatFunctions {
    using A = const Operand<T>&;
    friend Value<T> floor(A a) { return unary<T>(Op::floor, a); }
    friend Value<T> ceil(A a) { return unary<T>(Op::ceil, a); }
    friend Value<T> trunc(A a) { return unary<T>(Op::trunc, a); }
    friend Value<T> round(A a) { return unary<T>(Op::round, a); }
    friend Value<T> sqrt(A a) { return unary<T>(Op::sqrt, a); }
    friend Value<T> fma(A a, A c, A d) {
        return compute<T>([](IrBuilder& ir, Nodes n) { return ir.fma(n[0], n[1], n[2]); }, a, c, d);
    }
    friend Value<T> saturate(A a) { return built_in<T, b::saturate>(a); }
    friend Value<T> step(A edge, A x) { return built_in<T, b::step>(edge, x); }
    friend Value<T> mix(A a, A c, A t) { return built_in<T, b::mix>(a, c, t); }
    friend Value<T> fract(A a) { return built_in<T, b::fract>(a); }
    friend Value<T> radians(A a) { return built_in<T, b::radians>(a); }
    friend Value<T> degrees(A a) { return built_in<T, b::degrees>(a); }
    friend Value<T> smoothstep(A low, A high, A x) { return built_in<T, b::smoothstep>(low, high, x); }
    friend Modf<T> modf(A a) {
        builtins::Modf parts;
        effect(a.where, {a.child}, [&](IrBuilder& ir, Nodes n) { return (parts = b::modf(ir, n[0])).fract; });
        return {Value<T>(known(parts.fract)), Value<T>(known(parts.whole))};
    }
    friend Value<scalar_of<T>> length(A a) { return built_in<scalar_of<T>, b::length>(a); }
    friend Value<scalar_of<T>> distance(A a, A c) { return built_in<scalar_of<T>, b::distance>(a, c); }
    friend Value<T> inverse_sqrt(A a) { return unary<T>(Op::inverse_sqrt, a); }
    friend Value<T> exp(A a) { return unary<T>(Op::exp, a); }
    friend Value<T> exp2(A a) { return unary<T>(Op::exp2, a); }
    friend Value<T> log(A a) { return unary<T>(Op::log, a); }
    friend Value<T> log2(A a) { return unary<T>(Op::log2, a); }
    friend Value<T> pow(A a, A c) { return binary<T>(Op::pow, a, c); }
    friend Value<T> sin(A a) { return unary<T>(Op::sin, a); }
    friend Value<T> cos(A a) { return unary<T>(Op::cos, a); }
    friend Value<T> tan(A a) { return unary<T>(Op::tan, a); }
    friend Value<T> asin(A a) { return unary<T>(Op::asin, a); }
    friend Value<T> acos(A a) { return unary<T>(Op::acos, a); }
    friend Value<T> atan(A a) { return unary<T>(Op::atan, a); }
    friend Value<T> atan2(A y, A x) { return binary<T>(Op::atan2, y, x); }
    friend Value<T> sinh(A a) { return unary<T>(Op::sinh, a); }
    friend Value<T> cosh(A a) { return unary<T>(Op::cosh, a); }
    friend Value<T> tanh(A a) { return unary<T>(Op::tanh, a); }
    friend Value<T> asinh(A a) { return unary<T>(Op::asinh, a); }
    friend Value<T> acosh(A a) { return unary<T>(Op::acosh, a); }
    friend Value<T> atanh(A a) { return unary<T>(Op::atanh, a); }
    friend Value<T> quantize_to_f16(A a) requires std::is_same_v<scalar_of<T>, f32> {
        return built_in<T, b::quantize_to_f16>(a);
    }
    friend Value<T> ldexp(A a, const Operand<with_scalar<T, i32>>& exponent) {
        return built_in<T, b::ldexp>(a, exponent);
    }
    friend Frexp<T> frexp(A a) {
        builtins::Frexp parts;
        effect(a.where, {a.child},
               [&](IrBuilder& ir, Nodes n) { return (parts = b::frexp(ir, n[0])).fract; });
        return {Value<T>(known(parts.fract)), Value<with_scalar<T, i32>>(known(parts.exp))};
    }
};

template <class T>
struct FloatVectorFunctions {
    using A = const Operand<T>&;
    friend Value<T> normalize(A a) { return built_in<T, b::normalize>(a); }
    friend Value<T> reflect(A a, A normal) { return built_in<T, b::reflect>(a, normal); }
    friend Value<T> refract(A a, A normal, const Operand<scalar_of<T>>& eta) {
        return built_in<T, b::refract>(a, normal, eta);
    }
    friend Value<T> face_forward(A a, A incident, A reference) {
        return built_in<T, b::face_forward>(a, incident, reference);
    }
    friend Value<T> cross(A a, A c) requires(Element<T>::width == 3) { return built_in<T, b::cross>(a, c); }
};

template <class T>
struct IntegerFunctions {
    using A = const Operand<T>&;
    using U = const Operand<u32>&;
    friend Value<T> count_one_bits(A a) { return unary<T>(Op::count_one_bits, a); }
    friend Value<T> count_leading_zeros(A a) { return unary<T>(Op::count_leading_zeros, a); }
    friend Value<T> count_trailing_zeros(A a) { return unary<T>(Op::count_trailing_zeros, a); }
    friend Value<T> reverse_bits(A a) { return unary<T>(Op::reverse_bits, a); }
    friend Value<T> first_leading_bit(A a) { return built_in<T, b::first_leading_bit>(a); }
    friend Value<T> first_trailing_bit(A a) { return built_in<T, b::first_trailing_bit>(a); }
    friend Value<T> extract_bits(A a, U offset, U count) {
        return built_in<T, b::extract_bits>(a, offset, count);
    }
    friend Value<T> insert_bits(A a, A bits, U offset, U count) {
        return built_in<T, b::insert_bits>(a, bits, offset, count);
    }
};

/// Functions of the subgroup's active invocations (WGSL section "Subgroup Built-in Functions");
/// subgroups.hpp has those of bools.
template <class T>
struct SubgroupFunctions {
    using A = const Operand<T>&;
    using U = const Operand<u32>&;
    friend Value<T> subgroup_add(A a) { return SubgroupFunctions::record(Op::subgroup_add, a); }
    friend Value<T> subgroup_mul(A a) { return SubgroupFunctions::record(Op::subgroup_mul, a); }
    friend Value<T> subgroup_min(A a) { return SubgroupFunctions::record(Op::subgroup_min, a); }
    friend Value<T> subgroup_max(A a) { return SubgroupFunctions::record(Op::subgroup_max, a); }
    friend Value<T> subgroup_and(A a) requires IntegerType<T> {
        return SubgroupFunctions::record(Op::subgroup_and, a);
    }
    friend Value<T> subgroup_or(A a) requires IntegerType<T> {
        return SubgroupFunctions::record(Op::subgroup_or, a);
    }
    friend Value<T> subgroup_xor(A a) requires IntegerType<T> {
        return SubgroupFunctions::record(Op::subgroup_xor, a);
    }
    friend Value<T> subgroup_inclusive_add(A a) {
        return SubgroupFunctions::record(Op::subgroup_inclusive_add, a);
    }
    friend Value<T> subgroup_inclusive_mul(A a) {
        return SubgroupFunctions::record(Op::subgroup_inclusive_mul, a);
    }
    friend Value<T> subgroup_exclusive_add(A a) {
        return SubgroupFunctions::record(Op::subgroup_exclusive_add, a);
    }
    friend Value<T> subgroup_exclusive_mul(A a) {
        return SubgroupFunctions::record(Op::subgroup_exclusive_mul, a);
    }
    friend Value<T> subgroup_broadcast_first(A a) {
        return SubgroupFunctions::record(Op::subgroup_broadcast_first, a);
    }
    /// `id` is below 128.
    friend Value<T> subgroup_broadcast(A a, std::uint32_t id) {
        return compute<T>(
            [id](IrBuilder& ir, Nodes n) {
                return ir.subgroup(Op::subgroup_broadcast, n[0], ir.constant(id));
            },
            a);
    }
    friend Value<T> subgroup_shuffle(A a, U id) {
        return SubgroupFunctions::record(Op::subgroup_shuffle, a, id);
    }
    friend Value<T> subgroup_shuffle_up(A a, U delta) {
        return SubgroupFunctions::record(Op::subgroup_shuffle_up, a, delta);
    }
    friend Value<T> subgroup_shuffle_down(A a, U delta) {
        return SubgroupFunctions::record(Op::subgroup_shuffle_down, a, delta);
    }
    friend Value<T> subgroup_shuffle_xor(A a, U mask) {
        return SubgroupFunctions::record(Op::subgroup_shuffle_xor, a, mask);
    }
    friend Value<T> quad_broadcast(A a, std::uint32_t id) {
        return compute<T>(
            [id](IrBuilder& ir, Nodes n) { return b::quad_broadcast(ir, n[0], ir.constant(id)); }, a);
    }
    friend Value<T> quad_swap_x(A a) { return SubgroupFunctions::swap(a, 1); }
    friend Value<T> quad_swap_y(A a) { return SubgroupFunctions::swap(a, 2); }
    friend Value<T> quad_swap_diagonal(A a) { return SubgroupFunctions::swap(a, 3); }

  private:
    static Value<T> record(Op op, A a) {
        return compute<T>([op](IrBuilder& ir, Nodes n) { return ir.subgroup(op, n[0]); }, a);
    }
    static Value<T> record(Op op, A a, U lane) {
        return compute<T>([op](IrBuilder& ir, Nodes n) { return ir.subgroup(op, n[0], n[1]); }, a, lane);
    }
    static Value<T> swap(A a, std::uint32_t mask) {
        return compute<T>([mask](IrBuilder& ir, Nodes n) { return b::quad_swap(ir, n[0], mask); }, a);
    }
};

struct NoFunctions {};
template <class T, int group>
struct FunctionsOf : NoFunctions {};
template <NumberType T>
struct FunctionsOf<T, 0> : NumberFunctions<T>, SubgroupFunctions<T> {};
template <FloatType T>
struct FunctionsOf<T, 1> : FloatFunctions<T> {};
template <IntegerType T>
struct FunctionsOf<T, 1> : IntegerFunctions<T> {};
template <FloatType T>
requires VectorType<T>
struct FunctionsOf<T, 2> : FloatVectorFunctions<T> {
};

/// The base class through which lookup finds a type's functions.
template <class T>
struct Functions : AnyFunctions<T>, FunctionsOf<T, 0>, FunctionsOf<T, 1>, FunctionsOf<T, 2> {};

}  // namespace muster::lang::detail
