#include <algorithm>

#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/recompute.hpp>
#include <muster/foundation/split/uses.hpp>

namespace muster::split {
namespace {

/// The most operations that are computed again rather than spilled.
constexpr std::uint32_t most_cost = 24, cost_of_math = 12;

}  // namespace

Recompute::Recompute(const Program& program, const HostValues& host, FloatResults floats)
    : program_(program), host_(host), floats_(floats), is_cheap_(program.node_count()) {
    for (std::uint32_t i = 0; i < is_cheap_.size(); ++i) is_cheap_[i] = is_made_cheaply(NodeId{i});
}

bool Recompute::is_leaf(NodeId node) const {
    return host_.is_hosted_load(node) || is_grid_uniform_load(program_, node);
}

/// True if the operation itself gives the same result again.
bool Recompute::may_be_part(NodeId id) const {
    const Node& node = program_.node(id);
    if (is_leaf(id) || node.op == Op::array_length) return true;
    if (node.type == no_type || program_.types().has_runtime_array(node.type) ||
        program_.types().scalar_words(node.type) > most_cost)
        return false;
    if (floats_ == FloatResults::varying && computes_floats(program_, id)) return false;
    const OpGroup group = info(node.op).group;
    if (group == OpGroup::exact || group == OpGroup::math) return true;
    if (node.op != Op::load) return false;
    const Variable& variable = program_.variable(accessed(program_, id));
    return variable.space == AddressSpace::uniform ||
           (variable.space == AddressSpace::storage && variable.access == Access::read);
}

bool Recompute::is_made_cheaply(NodeId value) const {
    if (info(program_.node(value).op).group == OpGroup::free) return true;
    std::vector<NodeId> seen;
    std::uint32_t cost = 0;
    return add(value, seen, cost);
}

/// Adds the cost of a value, counting each node once; returns false if it costs too much or depends on data
/// that may change.
bool Recompute::add(NodeId value, std::vector<NodeId>& seen, std::uint32_t& cost) const {
    if (std::ranges::find(seen, value) != seen.end()) return true;
    if (!may_be_part(value)) return false;
    seen.push_back(value);
    cost += info(program_.node(value).op).group == OpGroup::math ? cost_of_math : 1;
    if (cost > most_cost) return false;
    if (is_leaf(value) || program_.node(value).op == Op::array_length) return true;
    bool all = true;
    for_each_value(program_, value, [&](NodeId operand) { all = all && add(operand, seen, cost); });
    return all;
}

}  // namespace muster::split
