#include <set>

#include <muster/foundation/analysis/flow_walk.hpp>
#include <muster/foundation/analysis/grid_phase.hpp>
#include <muster/foundation/analysis/ways.hpp>
#include <muster/foundation/ir/access.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster {
namespace {

/// The state: whether control may get there from a load without passing a grid barrier.
class Phase final : FlowWalk<StateMeeting<bool>> {
  public:
    Phase(const Program& program, NodeId load)
        : FlowWalk(program),
          program_(program),
          load_(load),
          variable_(program.root_variable(program.operand(load, 0))) {}

    bool finds_write() {
        follow(program_.body());
        return is_written_;
    }

  private:
    using Meeting = StateMeeting<bool>;

    void operation(NodeId node) override {
        is_written_ = is_written_ || (is_behind_ && is_write(node));
        is_behind_ = (is_behind_ && !is_grid_barrier(program_, node)) || node == load_;
    }

    Meeting meeting(NodeId) override { return {is_behind_, false}; }
    void rewind(const Meeting& at) override { is_behind_ = at.before; }
    void arrive(Meeting& at) override { at.met = at.met || is_behind_; }
    void resume(Meeting& at) override { is_behind_ = at.met; }
    void begin_loop(NodeId loop, Meeting&) override { is_behind_ = is_behind_ || turns_.contains(loop); }
    bool end_turn(NodeId loop, Meeting&) override { return is_behind_ && turns_.insert(loop).second; }

    bool is_write(NodeId node) const {
        const Op op = program_.node(node).op;
        const bool writes = op == Op::store || (info(op).group == OpGroup::atomic && op != Op::atomic_load);
        return writes && accessed(program_, node) == variable_;
    }

    const Program& program_;
    const NodeId load_;
    const VariableId variable_;
    std::set<NodeId> turns_;  // loops whose turns may begin so
    bool is_behind_ = false, is_written_ = false;
};

}  // namespace

bool may_be_overwritten(const Program& program, NodeId grid_uniform_load) {
    return Phase(program, grid_uniform_load).finds_write();
}

bool may_return_before_grid_barrier(const Program& program) {
    const auto is_barrier = [&](NodeId node) { return is_grid_barrier(program, node); };
    bool has_returned = false;
    return any_within(program, program.body(), [&](NodeId node) {
        const Op op = program.node(node).op;
        has_returned = has_returned || op == Op::return_;
        return (has_returned && is_barrier(node)) ||
               (op == Op::loop && ways_of(program, node).returns && any_within(program, node, is_barrier));
    });
}

}  // namespace muster
