#include <optional>

#include <muster/foundation/analysis/grid_phase.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster {
namespace {

/// Follows control flow from a load to the next grid barriers. A jump is assumed to reach every point at
/// which an enclosing construct may continue.
class Phase {
  public:
    Phase(const Program& program, NodeId load)
        : program_(program), load_(load), variable_(program.root_variable(program.operand(load, 0))) {}

    bool finds_write() {
        from_load(program_.body());
        return is_written_;
    }

  private:
    /// The ways in which control may leave a block without passing a grid barrier.
    struct Ways {
        bool end = false, jump = false;
        bool any() const { return end || jump; }
    };

    /// Follows the block from its node `at`.
    Ways from(BlockId block, std::size_t at) {
        bool jump = false;
        for (const NodeId node : program_.block(block).subspan(at)) {
            const Op op = program_.node(node).op;
            if (is_grid_barrier(program_, node) || op == Op::return_) return {.end = false, .jump = jump};
            if (op == Op::break_ || op == Op::continue_) return {.end = false, .jump = true};
            is_written_ = is_written_ || is_write(node);
            if (program_.blocks(node).empty()) continue;
            const Ways inside = through(node);
            jump = jump || inside.jump;
            if (!inside.end) return {.end = false, .jump = jump};
        }
        return {.end = true, .jump = jump};
    }

    Ways through(NodeId construct) {
        const Op op = program_.node(construct).op;
        if (op == Op::loop) return turn(construct);
        Ways ways{.end = op == Op::switch_};
        for (const BlockId block : program_.blocks(construct)) {
            const Ways inside = from(block, 0);
            ways.end = ways.end || inside.end || (op != Op::if_ && inside.jump);
            ways.jump = ways.jump || inside.jump;
        }
        return ways;
    }

    Ways turn(NodeId loop) {
        const Ways body = from(program_.blocks(loop)[0], 0);
        if (body.any()) from(program_.blocks(loop)[1], 0);
        return {.end = body.any(), .jump = body.jump};
    }

    /// Returns nothing if the load isn't in the block.
    std::optional<Ways> from_load(BlockId block) {
        const auto nodes = program_.block(block);
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            std::optional<Ways> ways;
            if (nodes[at] == load_) ways = Ways{.end = true};
            for (const BlockId inner : program_.blocks(nodes[at]))
                if (!ways) ways = from_load(inner);
            if (!ways) continue;
            if (!ways->any()) return ways;
            if (program_.node(nodes[at]).op == Op::loop) {
                from(program_.blocks(nodes[at])[1], 0);
                turn(nodes[at]);
            }
            const Ways rest = from(block, at + 1);
            return Ways{.end = rest.end, .jump = rest.jump || ways->jump};
        }
        return std::nullopt;
    }

    bool is_write(NodeId node) const {
        const Op op = program_.node(node).op;
        const bool writes = op == Op::store || (info(op).group == OpGroup::atomic && op != Op::atomic_load);
        return writes && program_.root_variable(program_.operand(node, 0)) == variable_;
    }

    const Program& program_;
    const NodeId load_;
    const VariableId variable_;
    bool is_written_ = false;
};

/// Visits all nodes in program order.
class Returns {
  public:
    explicit Returns(const Program& program) : program_(program) {}

    bool walk(BlockId block, bool barrier_in_loop) {
        for (const NodeId node : program_.block(block)) {
            if (program_.node(node).op == Op::return_) {
                returned_ = true;
                if (barrier_in_loop) return true;
            }
            if (returned_ && is_grid_barrier(program_, node)) return true;
            const bool around =
                program_.node(node).op == Op::loop &&
                any_within(program_, node, [&](NodeId inner) { return is_grid_barrier(program_, inner); });
            for (const BlockId inner : program_.blocks(node))
                if (walk(inner, barrier_in_loop || around)) return true;
        }
        return false;
    }

  private:
    const Program& program_;
    bool returned_ = false;
};

}  // namespace

bool may_be_overwritten(const Program& program, NodeId grid_uniform_load) {
    return Phase(program, grid_uniform_load).finds_write();
}

bool may_return_before_grid_barrier(const Program& program) {
    return Returns(program).walk(program.body(), false);
}

}  // namespace muster
