#include <algorithm>
#include <optional>

#include <muster/backend-cuda/lowering/ending_loops.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cuda {
namespace {

/// A comparison that keeps the loop running while it is true.
struct Test {
    Op op;
    NodeId value, bound;
};

Op mirrored(Op op) {
    if (op == Op::lt) return Op::gt;
    if (op == Op::gt) return Op::lt;
    return op == Op::le ? Op::ge : op == Op::ge ? Op::le : op;
}
Op negated(Op op) {
    if (op == Op::lt) return Op::ge;
    if (op == Op::gt) return Op::le;
    if (op == Op::le) return Op::gt;
    if (op == Op::ge) return Op::lt;
    return op == Op::eq ? Op::ne : Op::eq;
}

class EndingLoop {
  public:
    EndingLoop(const Program& program, NodeId loop) : program_(program), loop_(loop) {}

    bool ends() const {
        // Look only at the top of the body, before anything may jump: every iteration passes it.
        for (const NodeId node : program_.block(program_.blocks(loop_)[0])) {
            const Op op = program_.node(node).op;
            if (op == Op::if_) {
                const auto test = leaves_at(node);
                return test && (runs_out(*test) || runs_out({mirrored(test->op), test->bound, test->value}));
            }
            if (info(op).group == OpGroup::control) return false;
        }
        return false;
    }

  private:
    bool is_lone_break(BlockId block) const {
        const auto nodes = program_.block(block);
        return nodes.size() == 1 && program_.node(nodes[0]).op == Op::break_;
    }

    std::optional<Test> leaves_at(NodeId node) const {
        const auto blocks = program_.blocks(node);
        bool leaves_if = is_lone_break(blocks[0]);
        if (!leaves_if && !is_lone_break(blocks[1])) return std::nullopt;
        NodeId condition = program_.operand(node, 0);
        if (program_.node(condition).op == Op::logical_not) {
            condition = program_.operand(condition, 0);
            leaves_if = !leaves_if;
        }
        const Op op = program_.node(condition).op;
        if (op < Op::eq || op > Op::ge) return std::nullopt;
        const NodeId a = program_.operand(condition, 0), b = program_.operand(condition, 1);
        // Integers only: for NaN, !(a < b) isn't a >= b.
        const Scalar scalar = program_.types()[program_.type(a)].scalar;
        if (scalar != Scalar::i32 && scalar != Scalar::u32) return std::nullopt;
        return Test{leaves_if ? negated(op) : op, a, b};
    }

    bool runs_out(const Test& test) const {
        if (program_.node(test.value).op != Op::load || !is_inside(test.value)) return false;
        const NodeId place = program_.operand(test.value, 0);
        if (program_.node(place).op != Op::ref_variable) return false;
        const auto step = only_store(VariableId{program_.node(place).payload});
        return step && changes(test, place, program_.operand(*step, 1));
    }

    // The variable's only store in the loop, if it stands in the continuing block itself.
    std::optional<NodeId> only_store(VariableId variable) const {
        if (program_.variable(variable).space != AddressSpace::function) return std::nullopt;
        std::size_t stores = 0;
        for_each_within(program_, loop_, [&](NodeId node) {
            const Op op = program_.node(node).op;
            if (op == Op::store) stores += program_.root_variable(program_.operand(node, 0)) == variable;
            if (op == Op::declare) stores += VariableId{program_.node(node).payload} == variable;
        });
        if (stores != 1) return std::nullopt;
        for (const NodeId node : program_.block(program_.blocks(loop_)[1]))
            if (program_.node(node).op == Op::store &&
                program_.root_variable(program_.operand(node, 0)) == variable)
                return node;
        return std::nullopt;
    }

    bool is_load_of(NodeId value, NodeId place) const {
        return program_.node(value).op == Op::load && program_.operand(value, 0) == place && is_inside(value);
    }
    bool is_inside(NodeId value) const {
        return any_within(program_, loop_, [&](NodeId node) { return node == value; });
    }

    // True if the step reaches the bound. i < n with i + 1 reaches the greatest value at last, likewise i > n
    // with i - 1. x > 0 with x / 2 reaches 0.
    bool changes(const Test& test, NodeId place, NodeId next) const {
        const Op op = program_.node(next).op;
        if (info(op).operands != 2 || !is_load_of(program_.operand(next, 0), place)) {
            const bool adds_in_front = op == Op::add && is_load_of(program_.operand(next, 1), place);
            return adds_in_front && test.op == Op::lt &&
                   constant_word(program_, program_.operand(next, 0)) == 1u;
        }
        const auto step = constant_word(program_, program_.operand(next, 1));
        if (!step) return false;
        const bool up = (op == Op::add && *step == 1) || (op == Op::sub && *step == UINT32_MAX);
        const bool down = (op == Op::sub && *step == 1) || (op == Op::add && *step == UINT32_MAX);
        if (up) return test.op == Op::lt;
        if (op == Op::add && test.op == Op::lt) return reaches(test.bound, *step);
        if (down) return test.op == Op::gt;
        if (constant_word(program_, test.bound) != 0u || (test.op != Op::gt && test.op != Op::ne))
            return false;
        const bool is_unsigned = program_.type(next) == u32_type;
        if (op == Op::shift_right) return (is_unsigned || test.op == Op::gt) && *step > 0 && *step < 32;
        return op == Op::div && *step > 1 && *step < 0x80000000u;
    }

    // True if steps of more than one pass the bound without wrapping around.
    bool reaches(NodeId bound, std::uint32_t step) const {
        const auto end = constant_word(program_, bound);
        const bool is_unsigned = program_.type(bound) == u32_type;
        const std::uint32_t most = is_unsigned ? UINT32_MAX : INT32_MAX;
        if (!end || step == 0 || step > most) return false;
        const bool is_negative = !is_unsigned && *end > most;
        return is_negative || *end <= most - step + 1;
    }

    const Program& program_;
    NodeId loop_;
};

}  // namespace

bool has_effect(const Program& program, NodeId loop) {
    for (const NodeId node : program.block(program.blocks(loop)[0])) {
        const OpGroup group = info(program.node(node).op).group;
        if (group == OpGroup::sync || group == OpGroup::atomic || is_grid_barrier(program, node)) return true;
        // A `continue` in an earlier node may skip the effect.
        if (any_within(program, node, [&](NodeId inner) { return program.node(inner).op == Op::continue_; }))
            return false;
    }
    return false;
}

bool certainly_ends(const Program& program, NodeId loop) { return EndingLoop(program, loop).ends(); }

}  // namespace muster::cuda
