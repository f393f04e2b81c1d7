// Control flow within a region. If all active lanes agree, a branch stays a branch; if they may not, both
// sides run under masks, each behind a branch that skips it when no lane takes it. Every block has a target
// for the case that its last lane has left, so code always runs with at least one active lane.
#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {

void Lowering::run_block(BlockId id, llvm::BasicBlock* when_empty) {
    run_nodes(program_.block(id), when_empty);
}

void Lowering::run_nodes(std::span<const NodeId> nodes, llvm::BasicBlock* when_empty) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        run(nodes[i]);
        if (!reachable_) return;
        const Op op = program_.node(nodes[i]).op;
        if (op == Op::break_ || op == Op::continue_ || op == Op::return_) {  // all active lanes leave
            b_.CreateBr(when_empty);
            reachable_ = false;
            return;
        }
        const OpGroup group = info(op).group;
        if (group != OpGroup::control || !shapes_.may_empty(nodes[i]) || !mask_) continue;
        llvm::BasicBlock* rest = block("rest");
        b_.CreateCondBr(any(mask_), rest, when_empty);
        b_.SetInsertPoint(rest);
    }
}

void Lowering::run(NodeId node) {
    const llvm::DebugLoc around = b_.getCurrentDebugLocation();
    if (debug_ && given_nodes_[node.index]) b_.SetCurrentDebugLocation(debug_->at(given_nodes_[node.index]));
    run_one(node);
    if (debug_) b_.SetCurrentDebugLocation(around);
    if (kept_in_slots_[node.index]) keep_in_slots(node);
    keep_value(node);
}

void Lowering::run_one(NodeId node) {
    const Op op = program_.node(node).op;
    switch (info(op).group) {
        case OpGroup::free:
        case OpGroup::sync:
        case OpGroup::extension: return;
        case OpGroup::exact:
        case OpGroup::packed:
        case OpGroup::math:
        case OpGroup::subgroup: evaluate(node); return;
        case OpGroup::atomic: atomic(node); return;
        case OpGroup::memory:
            if (op == Op::load) return load(node);
            if (op == Op::store) return store(node);
            if (op == Op::array_length) return evaluate(node);
            initialise({program_.node(node).payload},
                       program_.operands(node).empty() ? NodeId{} : program_.operand(node, 0),
                       shapes_.is_divergent_write(node));
            return;
        case OpGroup::control: break;
    }
    if (op == Op::if_) return if_(node);
    if (op == Op::loop) return loop(node);
    if (op == Op::switch_) return switch_(node);
    if (op == Op::scope) return scope(node);
    if (op == Op::break_if) return break_if(node);
    jump(node);
}

// Masks are stored in slots where paths with different masks meet.
void Lowering::add_to_mask(llvm::Value* mask_slot) {
    llvm::Value* before = b_.CreateLoad(all_lanes()->getType(), mask_slot);
    b_.CreateStore(b_.CreateOr(before, current_mask()), mask_slot);
}

llvm::Value* Lowering::load_mask(llvm::Value* mask_slot) {
    return b_.CreateLoad(all_lanes()->getType(), mask_slot);
}

// True if running the block under an empty mask is cheaper than branching around it: a few
// operations on the lanes' own variables, and jumps that leave other lanes behind. Everything in it
// is harmless without active lanes.
bool Lowering::is_cheap(BlockId id) const {
    constexpr std::size_t few = 8;
    const auto nodes = program_.block(id);
    const auto is_in_slots = [&](NodeId place) {
        const VariableId variable = program_.root_variable(place);
        return is_per_invocation(program_.variable(variable)) &&
               !variable_storage_[variable.index].slots.empty();
    };
    return nodes.size() <= few && std::ranges::all_of(nodes, [&](NodeId node) {
               const Op op = program_.node(node).op;
               if (op == Op::load || op == Op::store) return is_in_slots(program_.operand(node, 0));
               if (op == Op::break_ || op == Op::continue_)
                   return shapes_.leaves_lanes(node) && !target_of(node).of_workgroup;
               if (op == Op::div || op == Op::rem || op == Op::sqrt || op == Op::fma ||
                   op == Op::extract_dynamic)
                   return false;
               return info(op).group == OpGroup::exact;
           });
}

// True if a branch pays for itself where all lanes take the block: without a mask, nothing is blended, and
// loads and stores are plain.
bool Lowering::is_built_twice(BlockId id) const {
    constexpr std::size_t most_nodes = 64;
    std::size_t nodes = 0;
    for (const NodeId node : program_.block(id)) nodes += nodes_within(program_, node);
    return nodes <= most_nodes && !is_cheap(id);
}

// An i1: true if all lanes take the if_'s first block.
llvm::Value* Lowering::all_take(NodeId branch) {
    const NodeId condition = program_.operand(branch, 0);
    if (llvm::Value* found = holds_for_all(condition)) return found;
    llvm::Value* bits = bits_of(word_of(condition, 0).value);
    return b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

// An i1, computed on scalars, that implies the condition for all lanes, and mostly follows from it;
// null if there is none. It compares a number with consecutive ones, as in `i != id.x` and `id.x <
// width && id.y < height`.
llvm::Value* Lowering::holds_for_all(NodeId condition) {
    const Lane lane = word_of(condition, 0);
    if (lane.is_uniform()) return lane.value;
    const Op op = program_.node(condition).op;
    if (op != Op::bit_and && op != Op::ne && op != Op::lt && op != Op::gt) return nullptr;
    const auto operands = program_.operands(condition);
    if (op == Op::bit_and) {
        llvm::Value *left = holds_for_all(operands[0]), *right = left ? holds_for_all(operands[1]) : nullptr;
        return right ? b_.CreateAnd(left, right) : nullptr;
    }
    if (program_.type(operands[0]) != u32_type) return nullptr;
    Lane numbers = word_of(operands[0], 0), bound = word_of(operands[1], 0);
    if (op == Op::gt || (op == Op::ne && bound.offsets == offsets_.counting())) std::swap(numbers, bound);
    if (numbers.offsets != offsets_.counting() || !bound.is_uniform()) return nullptr;
    llvm::Value* above =
        op == Op::ne ? b_.CreateSub(bound.value, numbers.value)
                     : b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, bound.value, numbers.value);
    return b_.CreateICmpUGE(above, word(width_));
}

void Lowering::if_(NodeId node) {
    Lane condition = word_of(program_.operand(node, 0), 0);
    const auto blocks = program_.blocks(node);
    const bool has_else = blocks.size() > 1 && !program_.block(blocks[1]).empty();
    if (const auto known = decided(node)) {
        if (!*known && !has_else) return;
        condition = {.value = b_.getInt1(*known)};
    }
    llvm::Value* before = mask_;
    llvm::BasicBlock* end = block("end_if");
    llvm::Value* end_mask = nullptr;
    if (shapes_.changes_mask(node)) {
        end_mask = slot(all_lanes()->getType(), "mask");
        b_.CreateStore(no_lanes(), end_mask);
    }
    bool end_reachable = false;
    const auto side = [&](BlockId id, llvm::Value* lanes, llvm::BasicBlock* next) {
        mask_ = lanes;
        reachable_ = true;
        run_block(id, next);
        if (!reachable_) return;
        if (end_mask) add_to_mask(end_mask);
        b_.CreateBr(next);
        end_reachable = true;
    };
    llvm::BasicBlock* then = block("then");
    if (!condition.varying) {
        llvm::BasicBlock* otherwise = has_else ? block("else") : end;
        if (!has_else) end_reachable = true;
        if (!has_else && end_mask) {  // the path around the `if` carries its mask too
            otherwise = block("past");
        }
        b_.CreateCondBr(condition.value, then, otherwise);
        b_.SetInsertPoint(then);
        side(blocks[0], before, end);
        if (has_else) {
            b_.SetInsertPoint(otherwise);
            side(blocks[1], before, end);
        } else if (end_mask) {
            b_.SetInsertPoint(otherwise);
            mask_ = before;
            add_to_mask(end_mask);
            b_.CreateBr(end);
        }
        // When a side's last lane leaves, control goes to the end.
        if (end_mask && !llvm::pred_empty(end)) end_reachable = true;
    } else {
        if (!before && !has_else && !end_mask && is_built_twice(blocks[0])) {
            llvm::BasicBlock *all = block("taken_by_all"), *apart = block("taken_apart");
            b_.CreateCondBr(all_take(node), all, apart);
            b_.SetInsertPoint(all);
            side(blocks[0], nullptr, end);
            b_.SetInsertPoint(apart);
        }
        llvm::Value* wanted = both(before, condition.value);
        llvm::Value* others = both(before, b_.CreateNot(condition.value));
        llvm::BasicBlock* second = block("second");
        const auto begin = [&](BlockId id, llvm::Value* lanes, llvm::BasicBlock* here,
                               llvm::BasicBlock* next) {
            b_.CreateCondBr(is_cheap(id) ? b_.getTrue() : any(lanes), here, next);
            b_.SetInsertPoint(here);
        };
        begin(blocks[0], wanted, then, second);
        side(blocks[0], wanted, second);
        b_.SetInsertPoint(second);
        if (has_else) {
            llvm::BasicBlock* otherwise = block("else");
            begin(blocks[1], others, otherwise, end);
            side(blocks[1], others, end);
        } else {
            mask_ = others;
            if (end_mask) add_to_mask(end_mask);
            b_.CreateBr(end);
        }
        end_reachable = true;
    }
    reachable_ = end_reachable;
    if (!reachable_) {
        new llvm::UnreachableInst(context_, end);
        return;
    }
    b_.SetInsertPoint(end);
    mask_ = end_mask ? load_mask(end_mask) : before;
}

const Lowering::JumpTarget& Lowering::target_of(NodeId node) const {
    const bool continues = program_.node(node).op == Op::continue_;
    for (std::size_t t = targets_.size(); t-- > 0;) {
        const Op op = program_.node(targets_[t].construct).op;
        if (op == Op::loop || !continues) return targets_[t];
    }
    return targets_.back();
}

void Lowering::jump(NodeId node) {
    const Op op = program_.node(node).op;
    const bool stays = shapes_.leaves_lanes(node);
    if (op == Op::return_) {
        leave_region(node, nullptr);
        return;
    }
    const JumpTarget& target = target_of(node);
    if (target.of_workgroup) return leave_region(node, &target);
    llvm::Value* mask_slot = op == Op::break_ ? target.leave_mask : target.go_on_mask;
    if (mask_slot) add_to_mask(mask_slot);
    if (!stays) {
        b_.CreateBr(op == Op::break_ ? target.leave : target.go_on);
        reachable_ = false;
        return;
    }
    mask_ = no_lanes();
}

// Records lanes that leave the region: to the end of the invocation, or out of a construct around barriers.
void Lowering::leave_region(NodeId node, const JumpTarget* target) {
    const auto note = [&](std::uint64_t at) {
        llvm::Value* place = per_subgroup(at, 8);
        llvm::Value* bits = b_.CreateZExt(bits_of(current_mask()), b_.getInt64Ty());
        llvm::Value* before = b_.CreateAlignedLoad(b_.getInt64Ty(), place, llvm::Align(8));
        b_.CreateAlignedStore(b_.CreateOr(before, bits), place, llvm::Align(8));
    };
    if (target) {
        note(program_.node(node).op == Op::break_ ? target->away : target->away_until_continuing);
    } else if (keeps_returned_) {
        note(returned_at_);
    }
    mask_ = no_lanes();
    if (shapes_.leaves_lanes(node)) return;
    b_.CreateBr(end_);
    reachable_ = false;
}

void Lowering::break_if(NodeId node) {
    JumpTarget& target = targets_.back();
    const Lane condition = word_of(program_.operand(node, 0), 0);
    if (!condition.varying) {
        llvm::BasicBlock *leave = target.leave_mask ? block("leave") : target.leave, *stay = block("stay");
        b_.CreateCondBr(condition.value, leave, stay);
        if (target.leave_mask) {
            b_.SetInsertPoint(leave);
            add_to_mask(target.leave_mask);
            b_.CreateBr(target.leave);
        }
        b_.SetInsertPoint(stay);
        return;
    }
    llvm::Value* before = mask_;
    mask_ = both(before, condition.value);
    if (target.leave_mask) add_to_mask(target.leave_mask);
    mask_ = both(before, b_.CreateNot(condition.value));
    llvm::BasicBlock* stay = block("stay");
    b_.CreateCondBr(any(mask_), stay, target.leave);
    b_.SetInsertPoint(stay);
}

// Marks the body's values that the continuing block uses. They pass through slots, because
// lanes may `continue` early.
void Lowering::mark_kept_in_slots(NodeId loop) {
    const auto blocks = program_.blocks(loop);
    const auto body = program_.block(blocks[0]);
    const auto uses = [&](auto& self, NodeId node) -> void {
        for (const NodeId operand : program_.operands(node)) {
            if (info(program_.node(operand).op).group == OpGroup::free) self(self, operand);
            if (std::ranges::find(body, operand) != body.end()) kept_in_slots_[operand.index] = true;
        }
    };
    for (const BlockId block : blocks.subspan(1))
        for (const NodeId node : program_.block(block))
            for_each_within(program_, node, [&](NodeId inner) { uses(uses, inner); });
}

void Lowering::keep_in_slots(NodeId node) {
    std::vector<llvm::Value*> slots;
    for (const Lane& lane : values_[node.index]) {
        slots.push_back(slot(lane.value->getType(), "handed"));
        b_.CreateStore(lane.value, slots.back());
    }
    slots_of_[node.index] = std::move(slots);
}

void Lowering::one_loop(NodeId node) {
    const auto blocks = program_.blocks(node);
    const bool changes = shapes_.changes_mask(node);
    const bool waits = shapes_.has_divergent_continue(node);
    llvm::Value* before = mask_;
    llvm::Type* mask_type = all_lanes()->getType();
    llvm::BasicBlock *start = block("loop"), *continuing = block("continuing"), *end = block("end_loop");
    JumpTarget target{.construct = node, .leave = end, .go_on = continuing};
    llvm::Value* loop_mask = nullptr;
    if (changes) {
        loop_mask = slot(mask_type, "running");
        target.go_on_mask = slot(mask_type, "continuing");
        b_.CreateStore(current_mask(), loop_mask);
        if (any_within(program_, node,
                       [&](NodeId inner) { return program_.node(inner).op == Op::return_; })) {
            target.leave_mask = slot(mask_type, "left");
            b_.CreateStore(no_lanes(), target.leave_mask);
        }
        if (waits) mark_kept_in_slots(node);
    }
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    if (changes) {
        mask_ = load_mask(loop_mask);
        b_.CreateStore(no_lanes(), target.go_on_mask);
    }
    targets_.push_back(target);
    run_block(blocks[0], waits ? continuing : end);
    if (reachable_) {
        if (changes) add_to_mask(target.go_on_mask);
        b_.CreateBr(continuing);
    }
    reachable_ = !llvm::pred_empty(continuing);
    b_.SetInsertPoint(continuing);
    if (!reachable_) {
        b_.CreateUnreachable();
    } else {
        mask_ = before;
        if (changes) {
            mask_ = load_mask(target.go_on_mask);
            if (waits) {
                llvm::BasicBlock* some = block("some");
                b_.CreateCondBr(any(mask_), some, end);
                b_.SetInsertPoint(some);
            }
        }
        if (blocks.size() > 1) run_block(blocks[1], end);
        if (reachable_) {
            if (changes) b_.CreateStore(current_mask(), loop_mask);
            llvm::BranchInst* back = b_.CreateBr(start);
            if (lane_ && is_short(node)) set_unrolling(back, "full");
        }
    }
    targets_.pop_back();
    end_construct(end, target.leave_mask, before);
}

// Continues after a construct with the lanes that left it; with `before`, its entry mask, if
// all lanes leave together.
void Lowering::end_construct(llvm::BasicBlock* end, llvm::Value* leave_mask, llvm::Value* before) {
    arrive(end);
    mask_ = reachable_ && leave_mask ? load_mask(leave_mask) : before;
}

void Lowering::scope(NodeId node) {
    llvm::Value* before = mask_;
    llvm::BasicBlock* end = block("end_scope");
    JumpTarget target{.construct = node, .leave = end};
    if (shapes_.changes_mask(node)) {
        target.leave_mask = slot(all_lanes()->getType(), "left");
        b_.CreateStore(no_lanes(), target.leave_mask);
    }
    targets_.push_back(target);
    run_block(program_.blocks(node)[0], end);
    targets_.pop_back();
    if (reachable_) {
        if (target.leave_mask) add_to_mask(target.leave_mask);
        b_.CreateBr(end);
    }
    end_construct(end, target.leave_mask, before);
}

void Lowering::switch_(NodeId node) {
    const Lane selector = word_of(program_.operand(node, 0), 0);
    llvm::Value* before = mask_;
    llvm::BasicBlock* end = block("end_switch");
    JumpTarget target{.construct = node, .leave = end};
    if (shapes_.changes_mask(node)) {
        target.leave_mask = slot(all_lanes()->getType(), "left");
        b_.CreateStore(no_lanes(), target.leave_mask);
    }
    const auto cases = program_.switch_cases(node);
    if (selector.is_uniform())
        branch_to_case(selector.value, cases, target);
    else
        mask_cases(as_vector(selector), cases, target);
    end_construct(end, target.leave_mask, before);
}

void Lowering::run_case(BlockId id, llvm::Value* lanes, const JumpTarget& target, llvm::BasicBlock* next) {
    mask_ = lanes;
    reachable_ = true;
    targets_.push_back(target);
    run_block(id, next);
    targets_.pop_back();
    if (reachable_) leave_switch(target, next);
}

void Lowering::leave_switch(const JumpTarget& target, llvm::BasicBlock* next) {
    if (target.leave_mask) add_to_mask(target.leave_mask);
    b_.CreateBr(next);
}

void Lowering::branch_to_case(llvm::Value* selector, std::span<const SwitchCase> cases,
                              const JumpTarget& target) {
    llvm::Value* before = mask_;
    llvm::BasicBlock* otherwise = block("no_case");
    llvm::SwitchInst* choice = b_.CreateSwitch(selector, otherwise);
    bool has_default = false;
    for (const SwitchCase& one : cases) {
        llvm::BasicBlock* here = block("case");
        for (const std::uint32_t bits : one.selectors) choice->addCase(b_.getInt32(bits), here);
        if (one.is_default) choice->setDefaultDest(here), has_default = true;
        b_.SetInsertPoint(here);
        run_case(one.block, before, target, target.leave);
    }
    b_.SetInsertPoint(otherwise);
    mask_ = before;
    if (has_default)
        b_.CreateUnreachable();
    else
        leave_switch(target, target.leave);
}

void Lowering::mask_cases(llvm::Value* selected, std::span<const SwitchCase> cases,
                          const JumpTarget& target) {
    llvm::Value* before = mask_;
    llvm::Value* chosen = no_lanes();  // lanes that match a case
    std::vector<llvm::Value*> lanes_of;
    for (const SwitchCase& one : cases) {
        llvm::Value* lanes = no_lanes();
        for (const std::uint32_t bits : one.selectors)
            lanes = b_.CreateOr(lanes, b_.CreateICmpEQ(selected, as_vector(word(bits))));
        lanes_of.push_back(lanes);
        chosen = b_.CreateOr(chosen, lanes);
    }
    bool has_default = false;
    for (std::size_t c = 0; c < cases.size(); ++c) {
        has_default = has_default || cases[c].is_default;
        llvm::Value* lanes = lanes_of[c];
        if (cases[c].is_default) lanes = b_.CreateOr(lanes, b_.CreateNot(chosen));
        lanes = both(before, lanes);
        llvm::BasicBlock *here = block("case"), *next = block("next_case");
        b_.CreateCondBr(any(lanes), here, next);
        b_.SetInsertPoint(here);
        run_case(cases[c].block, lanes, target, next);
        b_.SetInsertPoint(next);
    }
    if (!has_default && target.leave_mask) {
        mask_ = both(before, b_.CreateNot(chosen));
        add_to_mask(target.leave_mask);
    }
    b_.CreateBr(target.leave);
}

}  // namespace muster::cpu
