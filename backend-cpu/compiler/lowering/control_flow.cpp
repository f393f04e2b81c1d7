#include <algorithm>
#include <array>
#include <utility>

#include <muster/backend-cpu/compiler/lowering/control_flow.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {

void ControlFlow::record_nodes(DebugInfo& debug, std::vector<NodeId> given) {
    debug_ = &debug;
    given_ = std::move(given);
}

void ControlFlow::run_region(std::span<const NodeId> nodes, BasicBlock* end) {
    end_of_region_ = end;
    run_nodes(nodes, end);
}

void ControlFlow::run_block(BlockId id, BasicBlock* when_empty) { run_nodes(program_.block(id), when_empty); }

void ControlFlow::run_nodes(std::span<const NodeId> nodes, BasicBlock* when_empty) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        run(nodes[i]);
        if (!b_.reachable) return;
        const Op op = program_.node(nodes[i]).op;
        if (op == Op::break_ || op == Op::continue_ || op == Op::return_) {  // all active lanes leave
            b_.CreateBr(when_empty);
            b_.reachable = false;
            return;
        }
        const OpGroup group = info(op).group;
        if (group != OpGroup::control || !shapes_.may_empty(nodes[i]) || !b_.mask) continue;
        b_.go_on_if(b_.any(b_.mask), "rest", when_empty);
    }
}

void ControlFlow::run(NodeId node) {
    const llvm::DebugLoc around = b_.getCurrentDebugLocation();
    if (debug_ && given_[node.index]) b_.SetCurrentDebugLocation(debug_->at(given_[node.index]));
    run_one(node);
    if (debug_ && given_[node.index]) show_value(node);
    if (debug_) b_.SetCurrentDebugLocation(around);
    if (values_.is_in_slots(node)) values_.put_in_slots(node);
    kept_.keep(node);
}

void ControlFlow::show_value(NodeId node) {
    const OpGroup group = info(program_.node(node).op).group;
    if (program_.name(node).empty() || group == OpGroup::control || !b_.reachable) return;
    const auto of = words_of(program_.type(node));
    const Lanes lanes = of.size() <= DebugInfo::most_words ? values_.value(node) : Lanes();
    std::vector<DebugWord> words;
    for (std::size_t i = 0; i < lanes.size() && i < of.size(); ++i)
        words.push_back({.value = lanes[i].value,
                         .type = lanes[i].value->getType(),
                         .scalar = of[i].scalar,
                         .of_lane_0 = lanes[i].offsets != 0});
    debug_->show(given_[node.index], words, b_.GetInsertBlock());
}

void ControlFlow::run_one(NodeId node) {
    switch (info(program_.node(node).op).group) {
        case OpGroup::free:
        case OpGroup::sync:
        case OpGroup::extension: return;
        case OpGroup::exact:
        case OpGroup::packed:
        case OpGroup::math:
        case OpGroup::subgroup: return values_.evaluate(node);
        case OpGroup::atomic: return atomics_.run(node);
        case OpGroup::memory: return access_memory(node);
        case OpGroup::control: return decide(node);
    }
}

void ControlFlow::access_memory(NodeId node) {
    const Node& n = program_.node(node);
    const auto operands = program_.operands(node);
    if (n.op == Op::array_length) return values_.evaluate(node);
    if (n.op == Op::declare)
        return own_.initialise({n.payload}, operands.empty() ? NodeId{} : operands[0],
                               shapes_.is_divergent_write(node));
    const Place place = resolve(program_, operands[0]);
    const bool is_own = is_per_invocation(program_.variable(place.variable));
    if (n.op == Op::load)
        return values_.set(node, is_own ? own_.load(node, place) : access_.load(node, place));
    const Lanes lanes = values_.value(operands[1]);
    if (is_own)
        own_.store(node, place, lanes);
    else
        access_.store(node, place, lanes);
}

void ControlFlow::decide(NodeId node) {
    using Form = std::pair<Op, void (ControlFlow::*)(NodeId)>;
    static constexpr std::array<Form, 8> forms{{{Op::if_, &ControlFlow::if_},
                                                {Op::loop, &ControlFlow::loop},
                                                {Op::switch_, &ControlFlow::switch_},
                                                {Op::scope, &ControlFlow::scope},
                                                {Op::break_, &ControlFlow::jump},
                                                {Op::continue_, &ControlFlow::jump},
                                                {Op::return_, &ControlFlow::jump},
                                                {Op::break_if, &ControlFlow::break_if}}};
    (this->*std::ranges::find(forms, program_.node(node).op, &Form::first)->second)(node);
}

// True if running the block under an empty mask is cheaper than branching around it: a few
// operations on the lanes' own variables, and jumps that leave other lanes behind. Everything in it
// is harmless without active lanes.
bool ControlFlow::is_cheap(BlockId id) const {
    constexpr std::size_t few = 8;
    const auto nodes = program_.block(id);
    const auto is_in_slots = [&](NodeId place) {
        const VariableId variable = program_.root_variable(place);
        return is_per_invocation(program_.variable(variable)) && !own_.slots(variable).empty();
    };
    return nodes.size() <= few && std::ranges::all_of(nodes, [&](NodeId node) {
               const Op op = program_.node(node).op;
               if (op == Op::load || op == Op::store) return is_in_slots(program_.operand(node, 0));
               if (op == Op::break_ || op == Op::continue_)
                   return shapes_.leaves_lanes(node) && !targets_.of(node).of_workgroup;
               if (op == Op::div || op == Op::rem || op == Op::sqrt || op == Op::fma ||
                   op == Op::extract_dynamic)
                   return false;
               return info(op).group == OpGroup::exact;
           });
}

// True if a branch pays for itself where all lanes take the block: without a mask, nothing is blended, and
// loads and stores are plain.
bool ControlFlow::is_built_twice(BlockId id) const {
    constexpr std::size_t most_nodes = 64;
    std::size_t nodes = 0;
    for (const NodeId node : program_.block(id)) nodes += nodes_within(program_, node);
    return nodes <= most_nodes && !is_cheap(id);
}

// An i1: true if all lanes take the if_'s first block.
Value* ControlFlow::all_take(NodeId branch) {
    const NodeId condition = program_.operand(branch, 0);
    if (Value* found = holds_for_all(condition)) return found;
    Value* bits = b_.bits_of(values_.word(condition, 0).value);
    return b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

// An i1, computed on scalars, that implies the condition for all lanes, and mostly follows from it;
// null if there is none. It compares a number with consecutive ones, as in `i != id.x` and `id.x <
// width && id.y < height`.
Value* ControlFlow::holds_for_all(NodeId condition) {
    const Lane lane = values_.word(condition, 0);
    if (lane.is_uniform()) return lane.value;
    const Op op = program_.node(condition).op;
    if (op != Op::bit_and && op != Op::ne && op != Op::lt && op != Op::gt) return nullptr;
    const auto operands = program_.operands(condition);
    if (op == Op::bit_and) {
        Value *left = holds_for_all(operands[0]), *right = left ? holds_for_all(operands[1]) : nullptr;
        return right ? b_.CreateAnd(left, right) : nullptr;
    }
    if (program_.type(operands[0]) != u32_type) return nullptr;
    Lane numbers = values_.word(operands[0], 0), bound = values_.word(operands[1], 0);
    if (op == Op::gt || (op == Op::ne && bound.offsets == offsets_.counting())) std::swap(numbers, bound);
    if (numbers.offsets != offsets_.counting() || !bound.is_uniform()) return nullptr;
    Value* above = op == Op::ne
                       ? b_.CreateSub(bound.value, numbers.value)
                       : b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, bound.value, numbers.value);
    return b_.CreateICmpUGE(above, b_.word(width_));
}

void ControlFlow::if_(NodeId node) {
    Lane condition = values_.word(program_.operand(node, 0), 0);
    const auto blocks = program_.blocks(node);
    const bool has_else = !program_.block(blocks[1]).empty();
    if (const auto known = assumptions_.decided(node)) {
        if (!*known && !has_else) return;
        condition = {.value = b_.getInt1(*known)};
    }
    Value* before = b_.mask;
    BasicBlock* end = b_.block("end_if");
    Value* end_mask = shapes_.changes_mask(node) ? b_.mask_slot("mask") : nullptr;
    const auto side = [&](BlockId id, Value* lanes, BasicBlock* next) {
        b_.mask = lanes;
        b_.reachable = true;
        run_block(id, next);
        if (!b_.reachable) return;
        if (end_mask) b_.add_to_mask(end_mask);
        b_.CreateBr(next);
    };
    BasicBlock* then = b_.block("then");
    if (!condition.varying) {
        // Without an else, the path around the `if` carries its mask too.
        BasicBlock* otherwise = has_else ? b_.block("else") : end_mask ? b_.block("past") : end;
        b_.CreateCondBr(condition.value, then, otherwise);
        b_.SetInsertPoint(then);
        side(blocks[0], before, end);
        if (otherwise != end) {
            b_.SetInsertPoint(otherwise);
            side(blocks[1], before, end);
        }
    } else {
        if (!before && !has_else && !end_mask && is_built_twice(blocks[0])) {
            BasicBlock *all = b_.block("taken_by_all"), *apart = b_.block("taken_apart");
            b_.CreateCondBr(all_take(node), all, apart);
            b_.SetInsertPoint(all);
            side(blocks[0], nullptr, end);
            b_.SetInsertPoint(apart);
        }
        Value* wanted = b_.both(before, condition.value);
        Value* others = b_.both(before, b_.CreateNot(condition.value));
        BasicBlock* second = b_.block("second");
        const auto begin = [&](BlockId id, Value* lanes, BasicBlock* here, BasicBlock* next) {
            b_.CreateCondBr(is_cheap(id) ? b_.getTrue() : b_.any(lanes), here, next);
            b_.SetInsertPoint(here);
        };
        begin(blocks[0], wanted, then, second);
        side(blocks[0], wanted, second);
        b_.SetInsertPoint(second);
        if (has_else) begin(blocks[1], others, b_.block("else"), end);
        side(blocks[1], others, end);
    }
    b_.reachable = !llvm::pred_empty(end);
    if (!b_.reachable) {
        new llvm::UnreachableInst(b_.getContext(), end);
        return;
    }
    b_.SetInsertPoint(end);
    b_.mask = end_mask ? b_.load_mask(end_mask) : before;
}

void ControlFlow::jump(NodeId node) {
    const Op op = program_.node(node).op;
    if (op == Op::return_) return leave_region(node, nullptr);
    const JumpTarget& target = targets_.of(node);
    if (target.of_workgroup) return leave_region(node, &target);
    Value* mask_slot = op == Op::break_ ? target.leave_mask : target.go_on_mask;
    if (mask_slot) b_.add_to_mask(mask_slot);
    if (shapes_.leaves_lanes(node)) {
        b_.mask = b_.no_lanes();
        return;
    }
    b_.CreateBr(op == Op::break_ ? target.leave : target.go_on);
    b_.reachable = false;
}

// Records lanes that leave the region: to the end of the invocation, or out of a construct around barriers.
void ControlFlow::leave_region(NodeId node, const JumpTarget* target) {
    if (target)
        scratch_.add_to_lane_set(program_.node(node).op == Op::break_ ? target->away
                                                                      : target->away_until_continuing);
    else if (targets_.returned != JumpTarget::no_place)
        scratch_.add_to_lane_set(targets_.returned);
    b_.mask = b_.no_lanes();
    if (shapes_.leaves_lanes(node)) return;
    b_.CreateBr(end_of_region_);
    b_.reachable = false;
}

void ControlFlow::break_if(NodeId node) {
    const JumpTarget& target = targets_.innermost();
    const Lane condition = values_.word(program_.operand(node, 0), 0);
    if (!condition.varying) {
        BasicBlock *leave = target.leave_mask ? b_.block("leave") : target.leave, *stay = b_.block("stay");
        b_.CreateCondBr(condition.value, leave, stay);
        if (target.leave_mask) {
            b_.SetInsertPoint(leave);
            b_.add_to_mask(target.leave_mask);
            b_.CreateBr(target.leave);
        }
        b_.SetInsertPoint(stay);
        return;
    }
    Value* before = b_.mask;
    b_.mask = b_.both(before, condition.value);
    if (target.leave_mask) b_.add_to_mask(target.leave_mask);
    b_.mask = b_.both(before, b_.CreateNot(condition.value));
    b_.go_on_if(b_.any(b_.mask), "stay", target.leave);
}

// Continues after a construct with the lanes that left it; with `before`, its entry mask, if
// all lanes leave together.
void ControlFlow::end_construct(const JumpTarget& target, Value* before) {
    b_.arrive(target.leave);
    b_.mask = b_.reachable && target.leave_mask ? b_.load_mask(target.leave_mask) : before;
}

void ControlFlow::scope(NodeId node) {
    Value* before = b_.mask;
    BasicBlock* end = b_.block("end_scope");
    JumpTarget target{.construct = node, .leave = end};
    if (shapes_.changes_mask(node)) target.leave_mask = b_.mask_slot("left");
    targets_.push(target);
    run_block(program_.blocks(node)[0], end);
    targets_.pop();
    if (b_.reachable) {
        if (target.leave_mask) b_.add_to_mask(target.leave_mask);
        b_.CreateBr(end);
    }
    end_construct(target, before);
}

void ControlFlow::switch_(NodeId node) {
    const Lane selector = values_.word(program_.operand(node, 0), 0);
    Value* before = b_.mask;
    BasicBlock* end = b_.block("end_switch");
    JumpTarget target{.construct = node, .leave = end};
    if (shapes_.changes_mask(node)) target.leave_mask = b_.mask_slot("left");
    const auto cases = program_.switch_cases(node);
    if (selector.is_uniform())
        branch_to_case(selector.value, cases, target);
    else
        mask_cases(b_.as_vector(selector), cases, target);
    end_construct(target, before);
}

void ControlFlow::run_case(BlockId id, Value* lanes, const JumpTarget& target, BasicBlock* next) {
    b_.mask = lanes;
    b_.reachable = true;
    targets_.push(target);
    run_block(id, next);
    targets_.pop();
    if (b_.reachable) leave_switch(target, next);
}

void ControlFlow::leave_switch(const JumpTarget& target, BasicBlock* next) {
    if (target.leave_mask) b_.add_to_mask(target.leave_mask);
    b_.CreateBr(next);
}

void ControlFlow::branch_to_case(Value* selector, std::span<const SwitchCase> cases,
                                 const JumpTarget& target) {
    Value* before = b_.mask;
    BasicBlock* otherwise = b_.block("no_case");
    llvm::SwitchInst* choice = b_.CreateSwitch(selector, otherwise);
    bool has_default = false;
    for (const SwitchCase& one : cases) {
        BasicBlock* here = b_.block("case");
        for (const std::uint32_t bits : one.selectors) choice->addCase(b_.getInt32(bits), here);
        if (one.is_default) choice->setDefaultDest(here), has_default = true;
        b_.SetInsertPoint(here);
        run_case(one.block, before, target, target.leave);
    }
    b_.SetInsertPoint(otherwise);
    b_.mask = before;
    if (has_default)
        b_.CreateUnreachable();
    else
        leave_switch(target, target.leave);
}

void ControlFlow::mask_cases(Value* selected, std::span<const SwitchCase> cases, const JumpTarget& target) {
    Value* before = b_.mask;
    Value* chosen = b_.no_lanes();  // lanes that match a case
    std::vector<Value*> lanes_of;
    for (const SwitchCase& one : cases) {
        Value* lanes = b_.no_lanes();
        for (const std::uint32_t bits : one.selectors)
            lanes = b_.CreateOr(lanes, b_.CreateICmpEQ(selected, b_.as_vector(b_.word(bits))));
        lanes_of.push_back(lanes);
        chosen = b_.CreateOr(chosen, lanes);
    }
    for (std::size_t c = 0; c < cases.size(); ++c) {
        Value* lanes = lanes_of[c];
        if (cases[c].is_default) lanes = b_.CreateOr(lanes, b_.CreateNot(chosen));
        lanes = b_.both(before, lanes);
        BasicBlock *here = b_.block("case"), *next = b_.block("next_case");
        b_.CreateCondBr(b_.any(lanes), here, next);
        b_.SetInsertPoint(here);
        run_case(cases[c].block, lanes, target, next);
        b_.SetInsertPoint(next);
    }
    if (target.leave_mask && std::ranges::none_of(cases, &SwitchCase::is_default)) {
        b_.mask = b_.both(before, b_.CreateNot(chosen));
        b_.add_to_mask(target.leave_mask);
    }
    b_.CreateBr(target.leave);
}

}  // namespace muster::cpu
