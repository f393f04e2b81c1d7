// Loops that lanes leave at the end of an array, as in `for (var i = id.x; i < length; i += step)`: as
// long as a scalar test tells that no lane leaves, turns run without a mask. The loop with masks
// follows, for the last turns.
#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {
namespace {

// Larger loops aren't built twice.
constexpr std::size_t most_nodes = 128;

bool is_pure(Op op) {
    const OpGroup group = info(op).group;
    return group == OpGroup::exact || group == OpGroup::free || op == Op::load || op == Op::array_length;
}

// True if a jump from within the node leads out of it. `inside`: constructs around, within the node.
bool has_jump_out(const Program& program, NodeId node, bool in_loop = false, bool in_other = false) {
    const Op op = program.node(node).op;
    if (op == Op::return_) return true;
    if (op == Op::continue_) return !in_loop;
    if (op == Op::break_) return !in_loop && !in_other;
    const bool is_loop = op == Op::loop, is_other = op == Op::switch_ || op == Op::scope;
    return std::ranges::any_of(program.blocks(node), [&](BlockId block) {
        return std::ranges::any_of(program.block(block), [&](NodeId inner) {
            return has_jump_out(program, inner, in_loop || is_loop, in_other || is_other);
        });
    });
}

}  // namespace

// The loop's first statement with an effect, if it is `if !(numbers < bound) { break; }` and no other jump
// leaves the loop or begins its next turn.
std::optional<Lowering::LeavingTest> Lowering::leaving_test(NodeId loop) const {
    if (mask_ != nullptr || width_ == 1 || !shapes_.changes_mask(loop)) return {};
    if (nodes_within(program_, loop) > most_nodes) return {};
    const auto blocks = program_.blocks(loop);
    const auto body = program_.block(blocks[0]);
    const auto first =
        std::ranges::find_if_not(body, [&](NodeId node) { return is_pure(program_.node(node).op); });
    if (first == body.end() || program_.node(*first).op != Op::if_) return {};
    const auto sides = program_.blocks(*first);
    if (sides.size() > 1 && !program_.block(sides[1]).empty()) return {};
    const auto then = program_.block(sides[0]);
    if (then.size() != 1 || program_.node(then[0]).op != Op::break_) return {};
    for (const BlockId block : blocks)
        for (const NodeId node : program_.block(block))
            if (node != *first && (program_.node(node).op == Op::break_if || has_jump_out(program_, node)))
                return {};
    NodeId stays = program_.operand(*first, 0);
    if (program_.node(stays).op != Op::logical_not) return {};
    stays = program_.operand(stays, 0);
    const Op op = program_.node(stays).op;
    if (op != Op::lt && op != Op::gt) return {};
    LeavingTest test{static_cast<std::size_t>(first - body.begin()), stays};
    const NodeId numbers = program_.operand(stays, op == Op::lt ? 0 : 1);
    if (program_.type(numbers) != u32_type || shapes_.of(numbers).offsets != offsets_.counting()) return {};
    if (!shapes_.of(program_.operand(stays, op == Op::lt ? 1 : 0)).is_uniform()) return {};
    return test;
}

void Lowering::whole_turns(NodeId loop, const LeavingTest& test) {
    const auto blocks = program_.blocks(loop);
    const auto body = program_.block(blocks[0]);
    llvm::BasicBlock *start = block("whole_loop"), *inside = block("all_inside"),
                     *apart = block("some_leave");
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    for (const NodeId node : body.first(test.at)) run(node);
    b_.CreateCondBr(holds_for_all(test.stays), inside, apart);
    b_.SetInsertPoint(inside);
    targets_.push_back({.construct = loop});
    run_nodes(body.subspan(test.at + 1), nullptr);
    mask_ = nullptr;  // what parted inside has met again
    if (reachable_ && blocks.size() > 1) run_block(blocks[1], nullptr);
    targets_.pop_back();
    if (reachable_) b_.CreateBr(start);
    reachable_ = true;
    mask_ = nullptr;
    b_.SetInsertPoint(apart);
}

}  // namespace muster::cpu
