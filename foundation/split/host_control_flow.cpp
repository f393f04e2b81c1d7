#include <muster/foundation/ir/within.hpp>
#include <muster/foundation/split/host_control_flow.hpp>

namespace muster::split {

HostControlFlow::HostControlFlow(const Program& program)
    : program_(program),
      uniformity_(analyse(program, Returned::arrived)),
      walked_(program.node_count()),
      on_level_(program.node_count()),
      target_(program.node_count()),
      parent_(program.node_count()) {
    find(program.body(), {});
    close();
}

/// Marks constructs that contain a grid barrier; returns true if the block contains one.
bool HostControlFlow::find(BlockId block, NodeId around) {
    bool found = false;
    for (const NodeId node : program_.block(block)) {
        parent_[node.index] = around;
        const Op op = program_.node(node).op;
        if (is_grid_barrier(program_, node)) found = true;
        if (op == Op::return_) returns_.push_back(node);
        if (op == Op::break_ || op == Op::continue_) {
            NodeId at = around;
            const auto takes = [&](Op of) {
                return of == Op::loop || (op == Op::break_ && (of == Op::switch_ || of == Op::scope));
            };
            while (!takes(program_.node(at).op)) at = parent_[at.index];
            target_[node.index] = at;
            jumps_.push_back(node);
        }
        for (const BlockId inner : program_.blocks(node))
            if (find(inner, node)) walked_[node.index] = found = true;
    }
    return found;
}

/// True for a branch that all remaining invocations take together and that contains no jump out of a walked
/// construct.
bool HostControlFlow::may_be_walked(NodeId branch) const {
    const Op op = program_.node(branch).op;
    if ((op != Op::if_ && op != Op::switch_) || !is_uniform(branch)) return false;
    return !any_within(program_, branch, [&](NodeId inner) {
        const Op jump = program_.node(inner).op;
        return (jump == Op::break_ || jump == Op::continue_) && walked_[target_[inner.index].index];
    });
}

/// Walks the constructs between a jump and the construct that it leaves; returns true
/// if anything has changed.
bool HostControlFlow::walk_around(NodeId jump, NodeId target) {
    bool changed = false;
    for (NodeId at = parent_[jump.index]; at && at != target; at = parent_[at.index]) {
        changed |= !walked_[at.index];
        walked_[at.index] = true;
    }
    return changed;
}

/// If all invocations leave a walked construct together, the host walks the constructs around the jump too.
void HostControlFlow::close() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const NodeId jump : jumps_)
            if (walked_[target_[jump.index].index] && is_uniform(jump))
                changed |= walk_around(jump, target_[jump.index]);
    }
    mark_level(program_.body());
}

void HostControlFlow::mark_level(BlockId block) {
    for (const NodeId node : program_.block(block)) {
        on_level_[node.index] = true;
        if (!walked_[node.index]) continue;
        for (const BlockId inner : program_.blocks(node)) mark_level(inner);
    }
}

}  // namespace muster::split
