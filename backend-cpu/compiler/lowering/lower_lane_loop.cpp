// Short loops of atomic operations at scattered indices, such as over the bytes of a word that each lane has:
// all turns of a lane, then the next lane. A lane's scalars then stay in registers from turn to turn, and
// what they read is read once.
#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {

// True if the loop does nothing but such operations, as many times for each lane. Other invocations may see a
// lane's operations at any time, so the order among lanes is free.
bool Lowering::is_loop_of_updates(NodeId loop) {
    if (width_ == 1 || mask_ || lane_ || shapes_.changes_mask(loop) || !is_short(loop)) return false;
    std::size_t updates = 0;
    const bool fits = !any_within(program_, loop, [&](NodeId node) {
        const Op op = program_.node(node).op;
        const OpGroup group = info(op).group;
        if (group == OpGroup::atomic) ++updates;
        if (node == loop || op == Op::break_ || group == OpGroup::exact || group == OpGroup::free)
            return false;
        if (op == Op::if_ || op == Op::break_if) return !shapes_.of(program_.operand(node, 0)).is_uniform();
        if (group == OpGroup::atomic) return !is_update_in_lane(node);
        return !is_uniform_access(node);
    });
    return fits && updates > 0;
}

bool Lowering::is_update_in_lane(NodeId atomic) {
    const Place place = resolve(program_, program_.operand(atomic, 0));
    const auto operands = program_.operands(atomic);
    if (is_used(atomic) || operands.size() != 2 || is_wide(types_[place.type].scalar)) return false;
    if (!is_plain_atomic(program_.variable(place.variable)) || !is_proven(atomic)) return false;
    const auto varies = [&](const PlaceStep& step) { return shapes_.of(step.index).is_varying(); };
    return std::ranges::any_of(place.steps, varies) && is_computed_in_lanes(atomic) &&
           shapes_.of(operands[1]).is_uniform();
}

// True for accesses to a lane's own variables that are the same for all lanes, and to constant memory.
bool Lowering::is_uniform_access(NodeId node) {
    const Op op = program_.node(node).op;
    if (op == Op::array_length) return true;
    if (op != Op::load && op != Op::store && op != Op::declare) return false;
    const VariableId variable = op == Op::declare ? VariableId{program_.node(node).payload}
                                                  : program_.root_variable(program_.operand(node, 0));
    if (!is_per_invocation(program_.variable(variable)))
        return op == Op::load && is_constant_memory(program_.variable(variable));
    return variable_storage_[variable.index].slots.size() == 1 && shapes_.of(variable, 0).is_uniform();
}

void Lowering::loop_of_updates(NodeId loop) {
    std::map<llvm::Value*, llvm::Value*> at_start;  // by slot
    for_each_within(program_, loop, [&](NodeId node) {
        if (program_.node(node).op != Op::store) return;
        const VariableId variable = program_.root_variable(program_.operand(node, 0));
        llvm::Value* slot = variable_storage_[variable.index].slots[0];
        at_start[slot] = b_.CreateLoad(llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType(), slot);
    });
    llvm::BasicBlock *start = b_.GetInsertBlock(), *each = block("lane"), *end = block("all_lanes");
    b_.CreateBr(each);
    b_.SetInsertPoint(each);
    llvm::PHINode* lane = b_.CreatePHI(b_.getInt64Ty(), 2, "lane");
    lane->addIncoming(b_.getInt64(0), start);
    for (const auto& [slot, value] : at_start) b_.CreateStore(value, slot);
    lane_ = lane;
    one_loop(loop);
    lane_ = nullptr;
    llvm::Value* next = b_.CreateAdd(lane, b_.getInt64(1));
    lane->addIncoming(next, b_.GetInsertBlock());
    set_unrolling(b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(width_)), each, end), "disable");
    b_.SetInsertPoint(end);
}

void Lowering::update_in_lane(NodeId atomic) {
    llvm::Value* pointer = pointer_in_lane(resolve(program_, program_.operand(atomic, 0)), lane_);
    update(atomic, pointer, word_of(program_.operand(atomic, 1), 0).value, nullptr);
}

}  // namespace muster::cpu
