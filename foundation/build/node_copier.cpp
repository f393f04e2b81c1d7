#include <cstdint>

#include <muster/foundation/build/node_copier.hpp>

namespace muster {

void NodeCopier::variables(const VariableHook& change) {
    VariableId id{0};
    for (Variable variable : from_.variables()) {
        variable.type = type(variable.type);
        if (variable.initial) variable.initial = get(variable.initial);
        if (change) change(to_, id, variable);
        to_.variable(std::move(variable));
        ++id.index;
    }
}

NodeId NodeCopier::get(NodeId old) {
    if (node_[old.index]) return node_[old.index];
    return node_[old.index] = free_node(old);
}

std::vector<NodeId> NodeCopier::operands(NodeId old) {
    std::vector<NodeId> made;
    made.reserve(from_.operands(old).size());
    for (const NodeId operand : from_.operands(old)) made.push_back(get(operand));
    return made;
}

void NodeCopier::set(NodeId old, NodeId made) {
    node_[old.index] = made;
    if (made && !from_.name(old).empty()) to_.name(made, from_.name(old));
}

NodeId NodeCopier::copy(NodeId old, std::span<const NodeId> with) {
    const NodeId made = made_of(old, with);
    set(old, made);
    return made;
}

void NodeCopier::jump(NodeId old) {
    const Op op = from_.node(old).op;
    if (op == Op::break_if) to_.break_if(get(from_.operand(old, 0)));
    if (op == Op::break_) to_.break_();
    if (op == Op::continue_) to_.continue_();
    if (op == Op::return_) to_.return_();
}

NodeId NodeCopier::free_node(NodeId old) {
    const Node& node = from_.node(old);
    if (node.op == Op::constant) {
        if (node.payload == zero_constant) return to_.zero(type(node.type));
        return to_.constant(type(node.type), from_.constant_words(old));
    }
    if (node.op == Op::builtin) return to_.builtin(static_cast<Builtin>(node.payload));
    if (node.op == Op::ref_variable) return to_.ref(VariableId{node.payload});
    if (node.op == Op::ref_index)
        return to_.ref_index(get(from_.operand(old, 0)), get(from_.operand(old, 1)));
    return to_.ref_member(get(from_.operand(old, 0)), node.payload);
}

NodeId NodeCopier::made_of(NodeId old, std::span<const NodeId> with) {
    const Node& node = from_.node(old);
    switch (info(node.op).group) {
        case OpGroup::memory: return memory(node, with);
        case OpGroup::atomic: return atomic(node, with);
        case OpGroup::sync: return to_.barrier(node.op);
        case OpGroup::subgroup:
            to_.set_subgroup_flow(keeps_uniformity_ && node.payload == 0 ? known_uniform : node.payload);
            return to_.subgroup(node.op, with[0], with.size() > 1 ? with[1] : NodeId{});
        case OpGroup::extension:
            return to_.extension(from_.extensions()[node.payload], type(node.type), with);
        case OpGroup::free:
        case OpGroup::exact:
        case OpGroup::packed:
        case OpGroup::math:
        case OpGroup::control: break;
    }
    return value(node, with);
}

NodeId NodeCopier::memory(const Node& node, std::span<const NodeId> with) {
    if (node.op == Op::declare)
        return to_.declare(VariableId{node.payload}, with.empty() ? NodeId{} : with[0]);
    if (node.op == Op::load) return to_.load(with[0]);
    if (node.op == Op::store) return to_.store(with[0], with[1]);
    return to_.array_length(with[0]);
}

NodeId NodeCopier::atomic(const Node& node, std::span<const NodeId> with) {
    if (node.op == Op::atomic_compare_exchange) return to_.atomic(node.op, with[0], with[2], with[1]);
    return to_.atomic(node.op, with[0], with.size() > 1 ? with[1] : NodeId{});
}

NodeId NodeCopier::value(const Node& node, std::span<const NodeId> with) {
    const Type& result = from_.types()[node.type];
    if (node.op == Op::compose) return to_.compose(type(node.type), with);
    if (node.op == Op::extract) return to_.extract(with[0], node.payload);
    if (node.op == Op::extract_dynamic) return to_.extract_dynamic(with[0], with[1]);
    if (node.op == Op::splat) return to_.splat(with[0], result.width);
    if (node.op == Op::convert) return to_.convert(result.scalar, with[0]);
    if (node.op == Op::bitcast) return to_.bitcast(result.scalar, with[0]);
    if (node.op == Op::swizzle) {
        std::vector<std::uint8_t> components;
        for (std::uint32_t i = 0; i < result.width; ++i)
            components.push_back(static_cast<std::uint8_t>((node.payload >> (2 * i)) & 3u));
        return to_.swizzle(with[0], components);
    }
    if (node.op == Op::select) return to_.select(with[0], with[1], with[2]);
    if (with.size() == 3) return to_.fma(with[0], with[1], with[2]);
    return with.size() == 2 ? to_.binary(node.op, with[0], with[1]) : to_.unary(node.op, with[0]);
}

}  // namespace muster
