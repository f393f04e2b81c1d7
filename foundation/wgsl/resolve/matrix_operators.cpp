#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/wgsl/resolve/function_table.hpp>
#include <muster/foundation/wgsl/resolve/matrix_operators.hpp>

namespace muster::wgsl {
namespace {

using ast::BinaryOp;
using Words = std::vector<Word>;
using Constants = std::span<const ConstValue>;

// Abstract numbers.

template <int sign>
Words sum(Constants a) {
    Words words;
    for (std::size_t n = 0; n < a[0].words().size(); ++n) words.push_back(word(a[0][n].f + sign * a[1][n].f));
    return words;
}

Words scaled(const ConstValue& matrix, const ConstValue& factor) {
    Words words;
    for (Word each : matrix.words()) words.push_back(word(each.f * factor[0].f));
    return words;
}

/// The product of a matrix with `rows` rows and one with as many rows as that has columns.
Words product(std::span<const Word> a, std::size_t rows, std::span<const Word> b) {
    const std::size_t depth = a.size() / rows;
    Words words;
    for (std::size_t first = 0; first < b.size(); first += depth) {
        for (std::size_t row = 0; row < rows; ++row) {
            double total = a[row].f * b[first].f;
            for (std::size_t k = 1; k < depth; ++k) total += a[k * rows + row].f * b[first + k].f;
            words.push_back(word(total));
        }
    }
    return words;
}

// clang-format off
constexpr Overload plus{"+", {}, builtins::add_matrices, sum<1>};
constexpr Overload minus{"-", {}, builtins::subtract_matrices, sum<-1>};
constexpr Overload matrix_by_scalar{"*", {}, builtins::scale_matrix, [](Constants a) { return scaled(a[0], a[1]); }};
constexpr Overload scalar_by_matrix{
    "*", {}, [](IrBuilder& ir, NodeId factor, NodeId m) { return builtins::scale_matrix(ir, m, factor); },
    [](Constants a) { return scaled(a[1], a[0]); }};
constexpr Overload matrix_by_vector{
    "*", {}, builtins::matrix_times_vector,
    [](Constants a) { return product(a[0].words(), a[0].type()->rows(), a[1].words()); }};
constexpr Overload vector_by_matrix{
    "*", {}, builtins::vector_times_matrix,
    [](Constants a) { return product(a[0].words(), 1, a[1].words()); }};
constexpr Overload matrix_by_matrix{
    "*", {}, builtins::matrix_times_matrix,
    [](Constants a) { return product(a[0].words(), a[0].type()->rows(), a[1].words()); }};
// clang-format on

}  // namespace

std::optional<FunctionCall> matrix_operator(Types& types, BinaryOp op, TypeRef a, TypeRef b) {
    const auto call = [&](const Overload& overload, TypeRef result) {
        return FunctionCall{&overload, {a, b}, result};
    };
    if (a == b && op == BinaryOp::add) return call(plus, a);
    if (a == b && op == BinaryOp::subtract) return call(minus, a);
    if (op != BinaryOp::multiply) return {};
    if (b->is_scalar()) return call(matrix_by_scalar, a);
    if (a->is_scalar()) return call(scalar_by_matrix, b);
    if (b->is_vector())
        return a->count == b->count ? std::optional(call(matrix_by_vector, a->element)) : std::nullopt;
    if (a->is_vector())
        return a == b->element ? std::optional(call(vector_by_matrix, types.vector(a->element, b->count)))
                               : std::nullopt;
    if (!a->is_matrix() || !b->is_matrix() || a->count != b->rows()) return {};
    return call(matrix_by_matrix, types.matrix(a->scalar(), b->count, a->rows()));
}

}  // namespace muster::wgsl
