// matrix_operators.hpp - the operators of matrices as calls: of no function that a text can name, but
// evaluated and emitted like one.
//
//     auto call = matrix_operator(types, ast::BinaryOp::multiply, matrix, vector);   // evaluate(*call, ...), emit(...)
//
// Source: WGSL section "Arithmetic Expressions". Threads: pure except for changes to `types`.
#pragma once

#include <optional>

#include <muster/foundation/wgsl/resolve/functions.hpp>

namespace muster::wgsl {

/// Empty if the operator doesn't take these operands. Precondition: at least one is a matrix, both
/// have the same scalar type.
std::optional<FunctionCall> matrix_operator(Types& types, ast::BinaryOp op, TypeRef a, TypeRef b);

}  // namespace muster::wgsl
