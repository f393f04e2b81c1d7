// Control flow: if, loop, switch and scope each become one structured construct.
//
// Code after a jump, in the same block, isn't emitted: it is unreachable, and SPIR-V would need a label
// before it. The same holds after a construct whose end isn't reachable.
#include <utility>

#include <muster/backend-vulkan/lowering/lowering.hpp>

namespace muster::vulkan {

bool Lowering::enter(NodeId node) {
    if (!builder_.is_open()) return false;
    lines_.enter(node, builder_.body);
    return true;
}

void Lowering::operation(NodeId node) {
    const Op op = program_.node(node).op;
    if (op == Op::declare) return declare(node);
    if (op == Op::store) return store(node);
    if (info(op).group == OpGroup::sync) return barrier(node);
    if (large_.is_read_in_place(node)) return;
    const bool is_large = op == Op::load && large_.is_large(program_.type(node));
    if (is_large) return keep_in_memory(node);
    const Id made = evaluate(node);
    values_[node.index] = made;
    if (large_.is_kept_in_memory(node)) keep_in_memory(node);
    if (target_.debug && made != no_id) module_.name(made, program_.name(node));
}

void Lowering::selection_merge(Id label) {
    builder_.statement(spv::Op::OpSelectionMerge,
                       {label, static_cast<Word>(spv::SelectionControlMask::MaskNone)});
}

// Emits the block, with a branch to `after` at its end. Returns true if that branch is reachable.
bool Lowering::branch_block(Id label, BlockId id, Id after) {
    builder_.begin(label);
    block(id);
    if (!builder_.is_open()) return false;
    builder_.branch(after);
    return true;
}

// Begins a merge block. One that isn't reached ends at once, except in a continuing block: validators take
// it for reachable, and each path through a continuing block has to lead back to the loop's head, so code
// after it is emitted as usual.
void Lowering::begin_merge(Id label, bool is_reached) {
    builder_.begin(label);
    if (!is_reached && !in_continuing_) builder_.unreachable();
}

void Lowering::leave_function() {
    report();
    builder_.statement(spv::Op::OpReturn, {});
    builder_.end();
}

void Lowering::if_(NodeId node, BlockId then, BlockId otherwise) {
    const bool has_else = !program_.block(otherwise).empty();
    const Id condition = value(program_.operand(node, 0));
    const Id then_label = module_.id(), after = module_.id();
    const Id else_label = has_else ? module_.id() : after;
    selection_merge(after);
    builder_.branch(condition, then_label, else_label);
    bool reached = branch_block(then_label, then, after) || !has_else;
    if (has_else) reached = branch_block(else_label, otherwise, after) || reached;
    begin_merge(after, reached);
}

void Lowering::loop(NodeId node, BlockId body, BlockId continuing) {
    const Id head = module_.id(), body_label = module_.id(), go_on = module_.id(), after = module_.id();
    Jumps jumps{.leave = after, .go_on = go_on, .head = head};
    enter_watched(node, jumps);
    builder_.branch(head);
    builder_.begin(head);
    begin_iteration(jumps);
    builder_.statement(spv::Op::OpLoopMerge,
                       {after, go_on, static_cast<Word>(spv::LoopControlMask::MaskNone)});
    jumps.left = divergent_loops_[node.index];
    if (jumps.left || jumps.way_out != no_id) {
        builder_.branch(builder_.never(), after, body_label);
    } else {
        builder_.branch(body_label);
    }
    jumps = within(node, jumps, [&] {
        const bool ends = branch_block(body_label, body, go_on);
        builder_.begin(go_on);
        // If nothing continues, the continuing block would use values that were never
        // made, so it stays empty.
        const bool was_in_continuing = std::exchange(in_continuing_, true);
        if (ends || constructs().back().jumps.continued) block(continuing);
        in_continuing_ = was_in_continuing;
        if (builder_.is_open()) builder_.branch(head);
    });
    if (!watched_) return begin_merge(after, jumps.left);
    builder_.begin(after);
    check_ended(node, jumps);
    // Only a loop that the driver ended gets here. A continuing block can't be left.
    if (!jumps.left && !in_continuing_) leave_function();
}

void Lowering::break_if(NodeId node, Jumps& loop) {
    loop.left = true;
    leave_watched(loop);
    builder_.branch(value(program_.operand(node, 0)), loop.leave, loop.head);
}

void Lowering::switch_(NodeId node) {
    const Id selector = value(program_.operand(node, 0)), after = module_.id();
    Id otherwise = after;
    std::vector<Word> cases;
    std::vector<std::pair<Id, BlockId>> blocks;
    for (const SwitchCase& one : program_.switch_cases(node)) {
        const Id label = module_.id();
        blocks.emplace_back(label, one.block);
        if (one.is_default) otherwise = label;
        for (const std::uint32_t value : one.selectors) cases.insert(cases.end(), {value, label});
    }
    selection_merge(after);
    builder_.statement(spv::Op::OpSwitch, {selector, otherwise}, cases);
    builder_.end();
    const Jumps jumps = within(node, {.leave = after, .left = otherwise == after}, [&] {
        for (const auto& [label, block] : blocks)
            if (branch_block(label, block, after)) constructs().back().jumps.left = true;
    });
    begin_merge(after, jumps.left);
}

// A scope is a switch with only a default: a break inside leaves it from any depth.
void Lowering::scope(NodeId node, BlockId body) {
    const Id label = module_.id(), after = module_.id();
    selection_merge(after);
    builder_.statement(spv::Op::OpSwitch, {builder_.word(0), label});
    builder_.end();
    bool ends = false;
    const Jumps jumps = within(node, {.leave = after}, [&] { ends = branch_block(label, body, after); });
    begin_merge(after, ends || jumps.left);
}

void Lowering::return_(NodeId) { leave_function(); }

void Lowering::break_(NodeId, Jumps& from) {
    from.left = true;
    leave_watched(from);
    builder_.branch(from.leave);
}

void Lowering::continue_(NodeId, Jumps& loop) {
    loop.continued = true;
    builder_.branch(loop.go_on);
}

}  // namespace muster::vulkan
