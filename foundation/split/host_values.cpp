#include <algorithm>

#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/host_values.hpp>
#include <muster/foundation/split/uses.hpp>

namespace muster::split {

bool is_plain(const TypeTable& types, TypeId type) {
    return types[type].kind == TypeKind::scalar || types[type].kind == TypeKind::vector;
}

namespace {

/// True for values that the host reads and hands over as words, one per scalar.
bool is_hostable(const TypeTable& types, TypeId type) {
    return is_plain(types, type) && info(types[type].scalar).bytes == 4;
}

}  // namespace

HostValues::HostValues(const Program& program, const HostControlFlow& host_flow, FloatResults floats)
    : program_(&program),
      host_flow_(&host_flow),
      floats_(floats),
      hosted_(program.variables().size()),
      cost_(program.node_count(), never) {
    find_candidates();
    do evaluate();
    while (drop_unfit());
}

bool HostValues::is_hosted_load(NodeId node) const {
    return program_->node(node).op == Op::load && is_hosted(accessed(*program_, node));
}

bool HostValues::is_hosted_access(NodeId node) const {
    const VariableId variable = accessed(*program_, node);
    return variable && is_hosted(variable);
}

bool HostValues::can_resolve(NodeId reference) const {
    for (NodeId at = reference; program_->node(at).op != Op::ref_variable; at = program_->operand(at, 0))
        if (program_->node(at).op == Op::ref_index && !can_evaluate(program_->operand(at, 1))) return false;
    return true;
}

/// Candidates are function variables that are loaded and stored only as a whole.
void HostValues::find_candidates() {
    for (std::uint32_t i = 0; i < hosted_.size(); ++i) {
        const Variable& variable = program_->variables()[i];
        hosted_[i] =
            variable.space == AddressSpace::function && is_hostable(program_->types(), variable.type);
    }
    for (std::uint32_t i = 0; i < program_->node_count(); ++i) {
        const NodeId node{i};
        const VariableId variable = accessed(*program_, node);
        if (!variable || program_->node(node).op == Op::declare) continue;
        if (program_->node(program_->operand(node, 0)).op != Op::ref_variable)
            hosted_[variable.index] = false;
    }
}

/// Operands come before their users in the arena's order.
void HostValues::evaluate() {
    for (std::uint32_t i = 0; i < cost_.size(); ++i) cost_[i] = cost_of(NodeId{i});
}

std::uint32_t HostValues::cost_of_operands(NodeId node) const {
    std::uint32_t cost = 1;
    for (const NodeId operand : program_->operands(node)) cost = std::min(never, cost + cost_[operand.index]);
    return cost;
}

std::uint32_t HostValues::cost_of_load(NodeId node) const {
    const NodeId place = program_->operand(node, 0);
    const Variable& variable = program_->variable(program_->root_variable(place));
    if (is_hosted_load(node)) return 1;
    const bool is_immutable = variable.space == AddressSpace::uniform ||
                              (variable.space == AddressSpace::storage && variable.access == Access::read);
    if (!is_immutable || !is_hostable(program_->types(), program_->type(node))) return never;
    std::uint32_t cost = 1;
    for (NodeId at = place; program_->node(at).op != Op::ref_variable; at = program_->operand(at, 0))
        if (program_->node(at).op == Op::ref_index)
            cost = std::min(never, cost + cost_[program_->operand(at, 1).index]);
    return cost;
}

std::uint32_t HostValues::cost_of(NodeId id) const {
    const Node& node = program_->node(id);
    if (node.op == Op::constant) return 1;
    if (node.op == Op::builtin)
        return static_cast<Builtin>(node.payload) == Builtin::num_workgroups ? 1 : never;
    if (node.op == Op::load) return cost_of_load(id);
    if (node.op == Op::array_length || is_grid_uniform_load(*program_, id)) return 1;
    if (info(node.op).group != OpGroup::exact) return never;
    if (floats_ == FloatResults::varying && computes_floats(*program_, id)) return never;
    return cost_of_operands(id);
}

/// Drops variables that can't be hosted; returns true if it dropped any, which may disqualify others.
bool HostValues::drop_unfit() {
    bool dropped = false;
    for (std::uint32_t i = 0; i < program_->node_count(); ++i) {
        const NodeId node{i};
        const Op op = program_->node(node).op;
        if ((op != Op::store && op != Op::declare) || !is_hosted_access(node)) continue;
        const std::span<const NodeId> operands = program_->operands(node);
        const bool evaluable = operands.empty() || can_evaluate(operands.back());
        if (host_flow_->is_on_level(node) && host_flow_->is_uniform(node) && evaluable) continue;
        hosted_[accessed(*program_, node).index] = false;
        dropped = true;
    }
    return dropped;
}

}  // namespace muster::split
