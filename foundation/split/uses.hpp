// uses.hpp - what the statements of a segment use and do. Internal to the splitter.
#pragma once

#include <algorithm>
#include <cstdint>

#include <muster/foundation/ir/access.hpp>

namespace muster::split {

/// True for float operations that may round, false for those that only move values.
inline bool computes_floats(const Program& program, NodeId node) {
    const auto is_float = [&](NodeId value) {
        const TypeId type = program.type(value);
        if (type == no_type) return false;
        const Type& is = program.types()[type];
        return (is.kind == TypeKind::scalar || is.kind == TypeKind::vector) && muster::is_float(is.scalar);
    };
    const Op op = program.node(node).op;
    if (info(op).group == OpGroup::math) return true;
    if (info(op).group != OpGroup::exact) return false;
    if (op == Op::compose || op == Op::extract || op == Op::extract_dynamic || op == Op::swizzle ||
        op == Op::splat || op == Op::select)
        return false;
    return is_float(node) || std::ranges::any_of(program.operands(node), is_float);
}

/// reads is true for loads and atomic operations; writes for stores, declarations and atomic operations.
inline bool reads(const Program& program, NodeId node) {
    const Op op = program.node(node).op;
    return op == Op::load || info(op).group == OpGroup::atomic;
}
inline bool writes(const Program& program, NodeId node) {
    const Op op = program.node(node).op;
    return op == Op::store || op == Op::declare || info(op).group == OpGroup::atomic;
}

}  // namespace muster::split
