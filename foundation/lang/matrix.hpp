// matrix.hpp - the operators and functions of matrices, which are WGSL's.
//
//     Value<vec3<f32>> moved = turn * position;         // matrix * vector, vector * matrix, matrix * matrix
//     Value<mat3x3<f32>> half = 0.5f * turn + other;
//     Value<vec3<f32>> axis = turn[2];                  // a column
//     Value<mat2x3<f32>> m = construct<mat2x3<f32>>(x, y);    // of columns; without any: zero
//     Value<f32> volume = determinant(turn);
//
// A matrix is the array of its columns, in memory and in programs; builtins.hpp defines the results.
#pragma once

#include <muster/foundation/lang/value.hpp>

namespace muster::lang::detail {

/// An operand of this very type: no scalar becomes a vector.
template <class T>
struct Whole : Operand<T> {
    template <class A>
    requires std::is_same_v<value_type_of<A>, T> Whole(A&& given, Location at = Location::current())
        : Operand<T>(std::forward<A>(given), at) {}  // NOLINT: implicit by purpose
};

inline NodeId scaled_matrix(IrBuilder& ir, NodeId factor, NodeId m) { return b::scale_matrix(ir, m, factor); }

/// Nothing, for arrays that aren't matrices.
template <class T>
struct MatrixOperators {};

/// Found by lookup through operands with this base.
template <class S, std::uint32_t C, std::uint32_t R>
struct MatrixOperators<Matrix<S, C, R>> {
    using M = Matrix<S, C, R>;
    using A = const Whole<M>&;
    template <std::uint32_t columns>
    using Right = const Whole<Matrix<S, columns, C>>&;

    friend Value<M> operator+(A a, A c) { return built_in<M, b::add_matrices>(a, c); }
    friend Value<M> operator-(A a, A c) { return built_in<M, b::subtract_matrices>(a, c); }
    friend Value<M> operator*(A a, const Operand<S>& factor) {
        return built_in<M, b::scale_matrix>(a, factor);
    }
    friend Value<M> operator*(const Operand<S>& factor, A a) { return built_in<M, scaled_matrix>(factor, a); }
    friend Value<Vector<S, R>> operator*(A a, const Whole<Vector<S, C>>& v) {
        return built_in<Vector<S, R>, b::matrix_times_vector>(a, v);
    }
    friend Value<Vector<S, C>> operator*(const Whole<Vector<S, R>>& v, A a) {
        return built_in<Vector<S, C>, b::vector_times_matrix>(v, a);
    }
    friend Value<Matrix<S, 2, R>> operator*(A a, Right<2> c) { return product<2>(a, c); }
    friend Value<Matrix<S, 3, R>> operator*(A a, Right<3> c) { return product<3>(a, c); }
    friend Value<Matrix<S, 4, R>> operator*(A a, Right<4> c) { return product<4>(a, c); }
    friend Value<Matrix<S, R, C>> transpose(A a) { return built_in<Matrix<S, R, C>, b::transpose>(a); }
    friend Value<S> determinant(A a) requires(C == R) { return built_in<S, b::determinant>(a); }

  private:
    template <std::uint32_t columns>
    static Value<Matrix<S, columns, R>> product(A a, Right<columns> c) {
        return built_in<Matrix<S, columns, R>, b::matrix_times_matrix>(a, c);
    }
};

}  // namespace muster::lang::detail
