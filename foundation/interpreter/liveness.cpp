#include <algorithm>
#include <ranges>

#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/interpreter/liveness.hpp>
#include <muster/foundation/ir/access.hpp>

namespace muster::interpreter {
namespace {

class LivenessWalk {
  public:
    explicit LivenessWalk(const Program& program) : program_(program) {
        const std::uint32_t count = program.node_count();
        live_.position.assign(count, 0);
        live_.last.assign(count, 0);
        live_.uses.assign(count, 0);
        live_.writes.resize(program.variables().size());
        depth_.assign(count, 0);
    }

    Liveness run() && {
        block(program_.body());
        // A value is needed as long as its parts.
        for (const NodeId id : std::views::reverse(order_)) {
            if (!is_part_of_operand(program_, id)) continue;
            std::uint32_t& whole = live_.last[program_.operand(id, 0).index];
            whole = std::max(whole, live_.last[id.index]);
        }
        return std::move(live_);
    }

  private:
    // Records a use; depth_ is the number of loops that were open when the value was made.
    void use(NodeId id) {
        ++live_.uses[id.index];
        const OpGroup group = info(program_.node(id).op).group;
        if (group == OpGroup::free) {
            for (const NodeId operand : program_.operands(id)) use(operand);
        } else if (const std::uint32_t depth = depth_[id.index]; depth < loops_.size()) {
            loops_[depth].push_back(id);
        } else {
            live_.last[id.index] = std::max(live_.last[id.index], now_);
        }
    }

    void block(BlockId id) {
        for (const NodeId node : program_.block(id)) {
            order_.push_back(node);
            live_.position[node.index] = live_.last[node.index] = now_;
            depth_[node.index] = static_cast<std::uint32_t>(loops_.size());
            for (const NodeId operand : program_.operands(node)) use(operand);
            if (const VariableId written = assigned(program_, node))
                live_.writes[written.index].push_back(now_);
            ++now_;
            if (program_.node(node).op == Op::loop) {
                loop(node);
            } else {
                for (const BlockId nested : program_.blocks(node)) block(nested);
            }
        }
    }

    void loop(NodeId id) {
        loops_.emplace_back();
        for (const BlockId nested : program_.blocks(id)) block(nested);
        for (const NodeId used : loops_.back()) live_.last[used.index] = now_;
        loops_.pop_back();
        ++now_;
    }

    const Program& program_;
    Liveness live_;
    std::vector<std::uint32_t> depth_;        // by node: the number of loops around it
    std::vector<std::vector<NodeId>> loops_;  // open loops, outermost first: the outside values that they use
    std::vector<NodeId> order_;
    std::uint32_t now_ = 0;
};

}  // namespace

bool Liveness::is_written_between(VariableId variable, std::uint32_t from, std::uint32_t to) const {
    const std::vector<std::uint32_t>& at = writes[variable.index];
    const auto next = std::ranges::upper_bound(at, from);
    return next != at.end() && *next < to;
}

bool is_part_of_operand(const Program& program, NodeId id) {
    const Node& node = program.node(id);
    if (node.op == Op::extract) return true;
    if (node.op != Op::convert && node.op != Op::bitcast) return false;
    const Type& from = program.types()[program.type(program.operand(id, 0))];
    return keeps_bits(node.op, from.scalar, program.types()[node.type].scalar);
}

Liveness find_liveness(const Program& program) { return LivenessWalk(program).run(); }

}  // namespace muster::interpreter
