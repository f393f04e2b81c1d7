// Operations on matrices, column by column.

#include <array>
#include <vector>

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/build/builtins_detail.hpp>

namespace muster::builtins {
namespace {

using namespace detail;
using Nodes = std::vector<NodeId>;

/// The columns of a matrix; if it was just composed, the operands themselves.
Nodes columns(IrBuilder& ir, NodeId m) {
    if (ir.node(m).op == Op::compose) return {ir.operands(m).begin(), ir.operands(m).end()};
    Nodes all;
    for (std::uint32_t i = 0; i < type_of_node(ir, m).count; ++i) all.push_back(ir.extract(m, i));
    return all;
}

NodeId matrix(IrBuilder& ir, const Nodes& columns) {
    return ir.compose(ir.types().array(ir.type(columns[0]), static_cast<std::uint32_t>(columns.size())),
                      columns);
}

/// The vector of these scalars.
NodeId vector(IrBuilder& ir, const Nodes& scalars) {
    return ir.compose(type_of(scalar(ir, scalars[0]), static_cast<std::uint32_t>(scalars.size())), scalars);
}

Nodes widened(IrBuilder& ir, Nodes columns) {
    for (NodeId& each : columns) each = widen(ir, each);
    return columns;
}

/// The columns, each times the component of `v` with its number, added up in order; of
/// f16 in f32, rounded once.
NodeId sum_up(IrBuilder& ir, const Nodes& columns, NodeId v) {
    if (is_f16(ir, v)) return ir.convert(Scalar::f16, sum_up(ir, widened(ir, columns), widen(ir, v)));
    NodeId sum = mul(ir, columns[0], ir.extract(v, 0));
    for (std::uint32_t i = 1; i < columns.size(); ++i)
        sum = add(ir, sum, mul(ir, columns[i], ir.extract(v, i)));
    return sum;
}

NodeId column_by_column(IrBuilder& ir, Op op, NodeId a, NodeId b) {
    Nodes all = columns(ir, a);
    const Nodes others = columns(ir, b);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = ir.binary(op, all[i], others[i]);
    return matrix(ir, all);
}

}  // namespace

NodeId add_matrices(IrBuilder& ir, NodeId a, NodeId b) { return column_by_column(ir, Op::add, a, b); }
NodeId subtract_matrices(IrBuilder& ir, NodeId a, NodeId b) { return column_by_column(ir, Op::sub, a, b); }

NodeId scale_matrix(IrBuilder& ir, NodeId m, NodeId factor) {
    Nodes all = columns(ir, m);
    const NodeId wide = ir.splat(factor, width(ir, all[0]));
    for (NodeId& each : all) each = mul(ir, each, wide);
    return matrix(ir, all);
}

NodeId matrix_times_vector(IrBuilder& ir, NodeId m, NodeId v) { return sum_up(ir, columns(ir, m), v); }

NodeId vector_times_matrix(IrBuilder& ir, NodeId v, NodeId m) {
    Nodes components = columns(ir, m);
    for (NodeId& each : components) each = dot(ir, v, each);
    return vector(ir, components);
}

NodeId matrix_times_matrix(IrBuilder& ir, NodeId a, NodeId b) {
    const Nodes left = columns(ir, a);
    Nodes all = columns(ir, b);
    for (NodeId& each : all) each = sum_up(ir, left, each);
    return matrix(ir, all);
}

NodeId transpose(IrBuilder& ir, NodeId m) {
    const Nodes from = columns(ir, m);
    Nodes all;
    for (std::uint32_t row = 0; row < width(ir, from[0]); ++row) {
        Nodes components;
        for (const NodeId each : from) components.push_back(ir.extract(each, row));
        all.push_back(vector(ir, components));
    }
    return matrix(ir, all);
}

NodeId convert_matrix(IrBuilder& ir, Scalar to, NodeId m) {
    Nodes all = columns(ir, m);
    for (NodeId& each : all) each = ir.convert(to, each);
    return matrix(ir, all);
}

NodeId determinant(IrBuilder& ir, NodeId m) {
    const Nodes c = columns(ir, m);
    if (is_f16(ir, c[0])) return ir.convert(Scalar::f16, determinant(ir, convert_matrix(ir, Scalar::f32, m)));
    if (c.size() == 2)
        return sub(ir, mul(ir, ir.extract(c[0], 0), ir.extract(c[1], 1)),
                   mul(ir, ir.extract(c[0], 1), ir.extract(c[1], 0)));
    if (c.size() == 3) return dot(ir, c[0], cross(ir, c[1], c[2]));
    const auto xxx = [&](NodeId a) { return ir.swizzle(a, std::array<std::uint8_t, 3>{0, 0, 0}); };
    const auto yzw = [&](NodeId a) { return ir.swizzle(a, std::array<std::uint8_t, 3>{1, 2, 3}); };
    // The minors of two columns that have the first row, and those that don't.
    const auto p = [&](NodeId a, NodeId b) {
        return sub(ir, mul(ir, xxx(a), yzw(b)), mul(ir, yzw(a), xxx(b)));
    };
    const auto q = [&](NodeId a, NodeId b) { return cross(ir, yzw(a), yzw(b)); };
    return add(ir, dot(ir, p(c[0], c[1]), q(c[2], c[3])), dot(ir, q(c[0], c[1]), p(c[2], c[3])));
}

}  // namespace muster::builtins
