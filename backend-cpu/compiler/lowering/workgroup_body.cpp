#include <algorithm>
#include <array>
#include <utility>

#include <muster/backend-cpu/compiler/lowering/workgroup_body.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {

void WorkgroupBody::lay_out() {
    if (!plan_.has_barriers()) return;
    bool returns = false;
    const auto visit = [&](auto& self, const std::vector<PlanStep>& steps) -> void {
        for (const PlanStep& step : steps) {
            if (step.kind == PlanStep::Kind::region) {
                const PlanRegion& region = plan_.region(step.region);
                left_by_regions_.insert(region.left.begin(), region.left.end());
                returns = returns || region.returns;
            }
            for (const auto& inner : step.blocks) self(self, inner);
        }
    };
    visit(visit, plan_.body());
    if (returns) targets_.returned = scratch_.take_lane_set();
}

void WorkgroupBody::run(BasicBlock* end) {
    end_ = end;
    values_.forget_slots();
    shared_.clear_workgroup_variables();
    if (targets_.returned != JumpTarget::no_place) scratch_.clear_lane_set(targets_.returned);
    prefetches_.for_workgroup();
    b_.reachable = true;
    b_.mask = nullptr;
    if (plan_.has_barriers() && own_.has_private(Home::kept))
        over_subgroups([&] { own_.initialise_private(Home::kept); });
    steps(plan_.body());
    if (b_.reachable) b_.CreateBr(end_);
}

void WorkgroupBody::steps(const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) {
        if (!b_.reachable) return;
        switch (step.kind) {
            case PlanStep::Kind::once:
                b_.mask = nullptr;
                control_.run(step.node);
                break;
            case PlanStep::Kind::region: region(step); break;
            case PlanStep::Kind::construct: decide(step); break;
            case PlanStep::Kind::jump: jump(step.node); break;
        }
    }
}

// Emits a loop over the subgroups, or over the first `count` of them, whose body `emit_body` emits.
void WorkgroupBody::over_subgroups(llvm::function_ref<void()> emit_body, Value* count) {
    if (geometry_.subgroups == 1 && !count) {
        position_.subgroup = b_.word(0);
        emit_body();
        return;
    }
    BasicBlock *before = b_.GetInsertBlock(), *each = b_.block("subgroup"),
               *after = b_.block("all_subgroups");
    if (count) {
        b_.CreateCondBr(b_.CreateICmpEQ(count, b_.word(0)), after, each);
    } else {
        b_.CreateBr(each);
        count = b_.word(geometry_.subgroups);
    }
    b_.SetInsertPoint(each);
    PHINode* number = b_.CreatePHI(b_.getInt32Ty(), 2, "subgroup");
    number->addIncoming(b_.word(0), before);
    position_.subgroup = number;
    emit_body();
    Value* next = b_.CreateAdd(number, b_.word(1));
    number->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpEQ(next, count), after, each);
    b_.SetInsertPoint(after);
}

// The `if (local_invocation_index < bound)`, as in the steps of a tree reduction, or `== bound`, that
// everything in the region is under. None if the region is large: it is built twice.
std::optional<WorkgroupBody::BoundedIf> WorkgroupBody::bounded_if(const PlanStep& step) {
    constexpr std::size_t most_nodes = 200;
    if (!plan_.has_barriers() || step.nodes.empty()) return {};
    const PlanRegion& region = plan_.region(step.region);  // a skipped subgroup can't report that lanes stay
    if (region.returns || !region.left.empty()) return {};
    const NodeId last = step.nodes.back();
    if (program_.node(last).op != Op::if_) return {};
    for (const BlockId otherwise : program_.blocks(last).subspan(1))
        if (!program_.block(otherwise).empty()) return {};
    for (const NodeId node : step.nodes) {
        if (plan_.is_kept(node) || plan_.is_decisive(node)) return {};
        if (node != last && info(program_.node(node).op).group != OpGroup::exact) return {};
    }
    if (nodes_within(program_, last) > most_nodes) return {};
    const NodeId condition = program_.operand(last, 0);
    const Op op = program_.node(condition).op;
    if (op != Op::lt && op != Op::gt && op != Op::eq) return {};
    const NodeId index = program_.operand(condition, op == Op::gt ? 1 : 0);
    const NodeId bound = program_.operand(condition, op == Op::gt ? 0 : 1);
    if (program_.type(bound) != u32_type || !is_local_index(index)) return {};
    if (program_.node(bound).op != Op::constant && !plan_.is_once(bound)) return {};
    return BoundedIf{last, values_.word(bound, 0).value, op == Op::eq};
}

// A loop over only those subgroups that are below the bound, without a mask of the `if` where all of
// their lanes are below it.
void WorkgroupBody::bounded_region(const BoundedIf& under, const PlanStep& step) {
    const auto invocations = static_cast<std::uint32_t>(program_.workgroup_size().count());
    Value* bound = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, under.bound, b_.word(invocations));
    Value *whole = b_.CreateUDiv(bound, b_.word(width_)), *has_more = nullptr;
    if (under.is_equality) {
        has_more = b_.CreateICmpULT(bound, b_.word(invocations));
    } else {
        has_more = b_.CreateICmpNE(b_.CreateURem(bound, b_.word(width_)), b_.word(0));
        assumptions_.set_taken_by_all(under.node);
        over_subgroups([&] { subgroup(step, nullptr); }, whole);
        assumptions_.set_taken_by_all({});
    }
    BasicBlock *more = b_.block("subgroup_in_part"), *end = b_.block("end_bounded");
    b_.CreateCondBr(has_more, more, end);
    b_.SetInsertPoint(more);
    position_.subgroup = whole;
    subgroup(step, nullptr);
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
}

bool WorkgroupBody::is_local_index(NodeId value) const {
    const Node& node = program_.node(value);
    if (node.op == Op::builtin) return static_cast<Builtin>(node.payload) == Builtin::local_invocation_index;
    if (node.op != Op::extract || node.payload != 0) return false;
    const Node& whole = program_.node(program_.operand(value, 0));
    const Extent3 size = program_.workgroup_size();
    return whole.op == Op::builtin && static_cast<Builtin>(whole.payload) == Builtin::local_invocation_id &&
           size.y == 1 && size.z == 1;
}

void WorkgroupBody::region(const PlanStep& step) {
    const PlanRegion& region = plan_.region(step.region);
    const bool may_empty = plan_.has_barriers() && (region.returns || !region.left.empty());
    Value* stays = may_empty ? b_.slot(b_.getInt1Ty(), "stays") : nullptr;
    if (stays) b_.CreateStore(b_.getFalse(), stays);
    if (const auto under = bounded_if(step))
        bounded_region(*under, step);
    else
        over_subgroups([&] { subgroup(step, stays); });
    b_.reachable = true;
    b_.mask = nullptr;
    if (!stays) return;
    b_.go_on_if(b_.CreateLoad(b_.getInt1Ty(), stays), "some", way_out());
}

void WorkgroupBody::subgroup(const PlanStep& step, Value* stays) {
    find_local_ids();
    BasicBlock* end = b_.block("end_subgroup");
    const auto kept = own_.kept_among(step.nodes);
    for (const auto& [variable, written] : kept) own_.fetch_kept({variable});
    find_mask(end);
    assumptions_.around_subgroup([&, mask = b_.mask] {
        b_.mask = mask;
        b_.reachable = true;
        if (!plan_.has_barriers()) {
            values_.forget_slots();
            own_.initialise_private(Home::region);
        }
        kept_.restore(plan_.region(step.region));
        control_.run_region(step.nodes, end);
        if (!b_.reachable) return;
        if (stays) b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt1Ty(), stays), b_.any(b_.mask)), stays);
        b_.CreateBr(end);
    });
    b_.SetInsertPoint(end);
    for (const auto& [variable, written] : kept)
        if (written) own_.put_kept({variable});
    b_.reachable = true;
}

void WorkgroupBody::find_local_ids() {
    const Extent3 size = program_.workgroup_size();
    Value* first = b_.CreateMul(position_.subgroup, b_.word(width_));
    position_.local[3] = first;
    position_.local[0] = b_.CreateURem(first, b_.word(size.x));
    position_.local[1] = b_.CreateURem(b_.CreateUDiv(first, b_.word(size.x)), b_.word(size.y));
    position_.local[2] = b_.CreateUDiv(first, b_.word(size.x * size.y));
}

// The mask of a subgroup: all lanes, except those past the last invocation and those that
// left in earlier regions.
void WorkgroupBody::find_mask(BasicBlock* when_empty) {
    b_.mask = nullptr;
    if (geometry_.ragged) {
        Value* index = b_.as_vector({.value = position_.local[3], .offsets = offsets_.counting()});
        b_.mask = b_.CreateICmpULT(
            index, b_.as_vector(b_.word(static_cast<std::uint32_t>(program_.workgroup_size().count()) *
                                        geometry_.packed_workgroups)));
    }
    if (geometry_.packed_workgroups > 1 && !assumptions_.hold())
        b_.mask = b_.both(b_.mask, b_.CreateICmpULT(b_.lane_constants(geometry_.workgroup_of_lane),
                                                    b_.as_vector(position_.packed)));
    std::vector<std::uint64_t> away;
    if (targets_.returned != JumpTarget::no_place) away.push_back(targets_.returned);
    for (const JumpTarget& target : targets_.outermost_first())
        if (target.is_left_by_regions()) away.insert(away.end(), {target.away, target.away_until_continuing});
    if (away.empty()) return;
    Value* gone = b_.getInt64(0);
    for (const std::uint64_t at : away) gone = b_.CreateOr(gone, scratch_.lane_set(at));
    Value* here = b_.CreateNot(b_.CreateTrunc(gone, b_.getIntNTy(width_)));
    if (width_ > 1) here = b_.CreateBitCast(here, b_.all_lanes()->getType());
    b_.mask = b_.both(b_.mask, here);
    b_.go_on_if(b_.any(b_.mask), "some", when_empty);
}

// The block that follows when no invocation of the workgroup is left: where those that left the
// innermost construct resume.
BasicBlock* WorkgroupBody::way_out() const {
    const auto around = targets_.outermost_first();
    const auto target = std::ranges::find_if(around.rbegin(), around.rend(), &JumpTarget::is_left_by_regions);
    if (target == around.rend()) return end_;
    return target->go_on ? target->go_on : target->leave;
}

// Emitted where lanes rejoin: if no lane is active even here, control goes to `way_out`.
void WorkgroupBody::leave_where_nobody_is(BasicBlock* way_out) {
    Value* found = b_.slot(b_.getInt1Ty(), "found");
    b_.CreateStore(b_.getFalse(), found);
    over_subgroups([&] {
        find_local_ids();
        BasicBlock* end = b_.block("end_subgroup");
        find_mask(end);
        b_.CreateStore(b_.getTrue(), found);
        b_.CreateBr(end);
        b_.SetInsertPoint(end);
    });
    b_.mask = nullptr;
    b_.go_on_if(b_.CreateLoad(b_.getInt1Ty(), found), "some", way_out);
}

JumpTarget WorkgroupBody::begin_construct(NodeId construct, BasicBlock* leave, BasicBlock* go_on) {
    JumpTarget target{.construct = construct, .leave = leave, .go_on = go_on, .of_workgroup = true};
    if (left_by_regions_.contains(construct)) {
        target.away = scratch_.take_lane_set();
        target.away_until_continuing = scratch_.take_lane_set();
        scratch_.clear_lane_set(target.away);
        scratch_.clear_lane_set(target.away_until_continuing);
    }
    targets_.push(target);
    return target;
}

void WorkgroupBody::decide(const PlanStep& step) {
    using Form = std::pair<Op, void (WorkgroupBody::*)(const PlanStep&)>;
    static constexpr std::array<Form, 4> forms{{{Op::if_, &WorkgroupBody::if_},
                                                {Op::loop, &WorkgroupBody::loop},
                                                {Op::switch_, &WorkgroupBody::switch_},
                                                {Op::scope, &WorkgroupBody::scope}}};
    (this->*std::ranges::find(forms, program_.node(step.node).op, &Form::first)->second)(step);
}

void WorkgroupBody::if_(const PlanStep& step) {
    BasicBlock *then = b_.block("then"), *otherwise = b_.block("else"), *end = b_.block("end_if");
    b_.CreateCondBr(kept_.decision(program_.operand(step.node, 0)), then, otherwise);
    b_.SetInsertPoint(then);
    b_.reachable = true;
    steps(step.blocks[0]);
    if (b_.reachable) b_.CreateBr(end);
    b_.SetInsertPoint(otherwise);
    b_.reachable = true;
    steps(step.blocks[1]);
    if (b_.reachable) b_.CreateBr(end);
    b_.arrive(end);
}

void WorkgroupBody::loop(const PlanStep& step) {
    BasicBlock *start = b_.block("loop"), *continuing = b_.block("continuing"), *end = b_.block("end_loop");
    const JumpTarget target = begin_construct(step.node, end, continuing);
    if (target.is_left_by_regions())  // lanes may reach the continuing block past the nodes that it uses
        for (const NodeId node : program_.block(program_.blocks(step.node)[0]))
            if (plan_.is_once(node)) values_.pass_in_slots(node);
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    steps(step.blocks[0]);
    if (b_.reachable) b_.CreateBr(continuing);
    b_.arrive(continuing);
    if (b_.reachable && target.is_left_by_regions()) {
        scratch_.clear_lane_set(target.away_until_continuing);
        leave_where_nobody_is(end);
    }
    steps(step.blocks[1]);
    if (b_.reachable) {
        llvm::BranchInst* back = b_.CreateBr(start);
        if (const auto turns = turns_of_short_loop(program_, step.node))
            b_.set_unrolling(back, "full", *turns);
    }
    end_construct(target);
}

void WorkgroupBody::end_construct(const JumpTarget& target) {
    targets_.pop();
    b_.arrive(target.leave);
    if (b_.reachable && target.is_left_by_regions()) leave_where_nobody_is(way_out());
}

void WorkgroupBody::scope(const PlanStep& step) {
    BasicBlock* end = b_.block("end_scope");
    const JumpTarget target = begin_construct(step.node, end, nullptr);
    steps(step.blocks[0]);
    if (b_.reachable) b_.CreateBr(end);
    end_construct(target);
}

void WorkgroupBody::switch_(const PlanStep& step) {
    BasicBlock* end = b_.block("end_switch");
    const JumpTarget target = begin_construct(step.node, end, nullptr);
    llvm::SwitchInst* choice = b_.CreateSwitch(kept_.decision(program_.operand(step.node, 0)), end);
    const auto cases = program_.switch_cases(step.node);
    for (std::size_t c = 0; c < cases.size(); ++c) {
        BasicBlock* here = b_.block("case");
        for (const std::uint32_t bits : cases[c].selectors) choice->addCase(b_.getInt32(bits), here);
        if (cases[c].is_default) choice->setDefaultDest(here);
        b_.SetInsertPoint(here);
        b_.reachable = true;
        steps(step.blocks[c]);
        if (b_.reachable) b_.CreateBr(end);
    }
    end_construct(target);
}

void WorkgroupBody::jump(NodeId node) {
    const Op op = program_.node(node).op;
    if (op == Op::break_if) {
        BasicBlock* stay = b_.block("stay");
        b_.CreateCondBr(kept_.decision(program_.operand(node, 0)), targets_.innermost().leave, stay);
        b_.SetInsertPoint(stay);
        return;
    }
    BasicBlock* to = end_;
    if (op != Op::return_) to = op == Op::break_ ? targets_.of(node).leave : targets_.of(node).go_on;
    b_.CreateBr(to);
    b_.reachable = false;
}

}  // namespace muster::cpu
