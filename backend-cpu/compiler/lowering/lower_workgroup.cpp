// One workgroup: the plan's steps, a region's loop over subgroups, and control flow that the
// whole workgroup decides.
#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/analysis/overwritten.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {

void Lowering::one_workgroup() {
    for (std::uint32_t v = 0; v < program_.variables().size(); ++v) {
        const Variable& variable = program_.variables()[v];
        if (variable.space != AddressSpace::workgroup ||
            is_overwritten_first(program_, {v}, WorkgroupOrder::in_regions))
            continue;
        b_.CreateMemSetInline(offset_pointer(scratch_, workgroup_at_[v]), llvm::Align(scratch_align),
                              b_.getInt8(0), b_.getInt64(types_[variable.type].size));
    }
    if (keeps_returned_) clear_away(returned_at_);
    prefetch_blocks();
    reachable_ = true;
    mask_ = nullptr;
    if (plan_.has_barriers()) start_private();
    steps(plan_.body());
    if (reachable_) b_.CreateBr(workgroup_end_);
}

void Lowering::start_private() {
    bool any_kept = false;
    for (std::uint32_t v = 0; v < program_.variables().size(); ++v)
        any_kept = any_kept ||
                   (program_.variables()[v].space == AddressSpace::private_ && plan_.home({v}) == Home::kept);
    if (!any_kept) return;
    over_subgroups([&] {
        initialise_private(Home::kept);
        for (std::uint32_t v = 0; v < variable_storage_.size(); ++v)
            if (variable_storage_[v].kept && program_.variables()[v].space == AddressSpace::private_)
                put_kept({v});
    });
}

void Lowering::initialise_private(Home home) {
    for (std::uint32_t v = 0; v < program_.variables().size(); ++v) {
        const Variable& variable = program_.variables()[v];
        if (variable.space == AddressSpace::private_ && plan_.home({v}) == home)
            initialise({v}, variable.initial, false);
    }
}

void Lowering::steps(const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) {
        if (!reachable_) return;
        switch (step.kind) {
            case PlanStep::Kind::once:
                mask_ = nullptr;
                run(step.node);
                break;
            case PlanStep::Kind::region: region(step); break;
            case PlanStep::Kind::construct: construct_of_workgroup(step); break;
            case PlanStep::Kind::jump: jump_of_workgroup(step.node); break;
        }
    }
}

// Emits a loop over the subgroups, or over the first `count` of them, whose body `emit_body` emits.
template <class EmitBody>
void Lowering::over_subgroups(EmitBody emit_body, llvm::Value* count) {
    if (geometry_.subgroups == 1 && !count) {
        subgroup_ = word(0);
        emit_body();
        return;
    }
    llvm::BasicBlock *before = b_.GetInsertBlock(), *each = block("subgroup"),
                     *after = block("all_subgroups");
    if (count) {
        b_.CreateCondBr(b_.CreateICmpEQ(count, word(0)), after, each);
    } else {
        b_.CreateBr(each);
        count = word(geometry_.subgroups);
    }
    b_.SetInsertPoint(each);
    llvm::PHINode* number = b_.CreatePHI(b_.getInt32Ty(), 2, "subgroup");
    number->addIncoming(word(0), before);
    subgroup_ = number;
    emit_body();
    llvm::Value* next = b_.CreateAdd(number, word(1));
    number->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpEQ(next, count), after, each);
    b_.SetInsertPoint(after);
}

// The `if (local_invocation_index < bound)`, as in the steps of a tree reduction, or `== bound`, that
// everything in the region is under. None if the region is large: it is built twice.
std::optional<Lowering::BoundedIf> Lowering::bounded_if(const PlanStep& step) {
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
    return BoundedIf{last, word_of(bound, 0).value, op == Op::eq};
}

// Only the subgroups below the bound run the region, without a mask of the `if` where all of
// their lanes are below it.
void Lowering::bounded_region(const BoundedIf& under, const PlanStep& step) {
    const auto invocations = static_cast<std::uint32_t>(program_.workgroup_size().count());
    llvm::Value* bound = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, under.bound, word(invocations));
    llvm::Value *whole = b_.CreateUDiv(bound, word(width_)), *has_more = nullptr;
    if (under.is_equality) {
        has_more = b_.CreateICmpULT(bound, word(invocations));
    } else {
        has_more = b_.CreateICmpNE(b_.CreateURem(bound, word(width_)), word(0));
        taken_by_all_ = under.node;
        over_subgroups([&] { subgroup(step, nullptr); }, whole);
        taken_by_all_ = {};
    }
    llvm::BasicBlock *more = block("subgroup_in_part"), *end = block("end_bounded");
    b_.CreateCondBr(has_more, more, end);
    b_.SetInsertPoint(more);
    subgroup_ = whole;
    subgroup(step, nullptr);
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
}

bool Lowering::is_local_index(NodeId value) const {
    const Node& node = program_.node(value);
    if (node.op == Op::builtin) return static_cast<Builtin>(node.payload) == Builtin::local_invocation_index;
    if (node.op != Op::extract || node.payload != 0) return false;
    const Node& whole = program_.node(program_.operand(value, 0));
    const Extent3 size = program_.workgroup_size();
    return whole.op == Op::builtin && static_cast<Builtin>(whole.payload) == Builtin::local_invocation_id &&
           size.y == 1 && size.z == 1;
}

void Lowering::region(const PlanStep& step) {
    const PlanRegion& region = plan_.region(step.region);
    const bool may_empty = plan_.has_barriers() && (region.returns || !region.left.empty());
    llvm::Value* stays = may_empty ? slot(b_.getInt1Ty(), "stays") : nullptr;
    if (stays) b_.CreateStore(b_.getFalse(), stays);
    if (const auto under = bounded_if(step))
        bounded_region(*under, step);
    else
        over_subgroups([&] { subgroup(step, stays); });
    reachable_ = true;
    mask_ = nullptr;
    if (!stays) return;
    llvm::BasicBlock* some = block("some");
    b_.CreateCondBr(b_.CreateLoad(b_.getInt1Ty(), stays), some, way_out(targets_.size()));
    b_.SetInsertPoint(some);
}

void Lowering::subgroup(const PlanStep& step, llvm::Value* stays) {
    const PlanRegion& region = plan_.region(step.region);
    find_local_ids();
    end_ = block("end_subgroup");
    const auto kept = kept_variables(step);
    for (const auto& [variable, written] : kept) fetch_kept({variable});
    find_mask();
    const auto body = [&] {
        if (!plan_.has_barriers()) initialise_private(Home::region);
        restore_values(region);
        run_nodes(step.nodes, end_);
        if (!reachable_) return;
        if (stays) b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt1Ty(), stays), any(mask_)), stays);
        b_.CreateBr(end_);
    };
    if (tests_subgroups_)
        in_two_bodies(all_assumed(subgroup_in_grid()), [&, mask = mask_] {
            mask_ = mask;
            reachable_ = true;
            body();
        });
    else
        body();
    b_.SetInsertPoint(end_);
    for (const auto& [variable, written] : kept)
        if (written) put_kept({variable});
    reachable_ = true;
}

void Lowering::find_local_ids() {
    const Extent3 size = program_.workgroup_size();
    llvm::Value* first = b_.CreateMul(subgroup_, word(width_));
    local_[3] = first;
    local_[0] = b_.CreateURem(first, word(size.x));
    local_[1] = b_.CreateURem(b_.CreateUDiv(first, word(size.x)), word(size.y));
    local_[2] = b_.CreateUDiv(first, word(size.x * size.y));
}

llvm::Value* Lowering::per_subgroup(std::uint64_t at, std::uint64_t bytes) {
    llvm::Value* index = b_.CreateMul(b_.CreateZExt(subgroup_, b_.getInt64Ty()), b_.getInt64(bytes));
    return offset_pointer(offset_pointer(scratch_, at), index);
}

// All lanes, except those past the last invocation and those that left in earlier regions.
void Lowering::find_mask() {
    mask_ = nullptr;
    if (geometry_.ragged) {
        llvm::Value* index = as_vector({.value = local_[3], .offsets = offsets_.counting()});
        mask_ = b_.CreateICmpULT(
            index, as_vector(word(static_cast<std::uint32_t>(program_.workgroup_size().count()) *
                                  geometry_.packed_workgroups)));
    }
    if (geometry_.packed_workgroups > 1 && !assumes_)
        mask_ = both(mask_,
                     b_.CreateICmpULT(lane_constants(geometry_.workgroup_of_lane), as_vector(packed_now_)));
    std::vector<std::uint64_t> away;
    if (keeps_returned_) away.push_back(returned_at_);
    for (const JumpTarget& target : targets_)
        if (target.away != no_place) away.insert(away.end(), {target.away, target.away_until_continuing});
    if (away.empty()) return;
    llvm::Value* gone = b_.getInt64(0);
    for (const std::uint64_t at : away)
        gone = b_.CreateOr(gone, b_.CreateAlignedLoad(b_.getInt64Ty(), per_subgroup(at, 8), llvm::Align(8)));
    llvm::Value* here = b_.CreateNot(b_.CreateTrunc(gone, b_.getIntNTy(width_)));
    if (width_ > 1) here = b_.CreateBitCast(here, all_lanes()->getType());
    mask_ = both(mask_, here);
    llvm::BasicBlock* some = block("some");
    b_.CreateCondBr(any(mask_), some, end_);
    b_.SetInsertPoint(some);
}

llvm::Value* Lowering::record_of(NodeId kept) {
    return per_subgroup(records_at_ + kept_at_.at(kept.index), record_bytes_);
}

void Lowering::restore_values(const PlanRegion& region) {
    for (const NodeId node : region.restored) {
        const auto words = words_of(program_.type(node));
        const std::uint64_t stride = kept_stride(node);
        llvm::Value* record = record_of(node);
        Lanes lanes;
        for (std::size_t w = 0; w < words.size(); ++w) {
            lanes.push_back(
                load_lane(offset_pointer(record, w * stride), words[w].scalar, shapes_.of(node, w)));
        }
        values_[node.index] = std::move(lanes);
    }
    for (const NodeId node : region.computed_again) evaluate(node);
}

// Stored at once, not at the region's end: a continuing block uses it even after lanes continued early.
void Lowering::keep_value(NodeId node) {
    if (plan_.is_kept(node)) {
        const Lanes lanes = value(node);
        const std::uint64_t stride = kept_stride(node);
        llvm::Value* record = record_of(node);
        for (std::size_t w = 0; w < lanes.size(); ++w)
            store_lane(offset_pointer(record, w * stride), lanes[w].value);
    }
    if (plan_.is_decisive(node)) b_.CreateStore(one_of(word_of(node, 0)), slot_of_decision(node));
}

// The value of an active lane, for a value that all active lanes share.
llvm::Value* Lowering::one_of(const Lane& lane) {
    if (!lane.varying || width_ == 1) return lane.value;
    llvm::Value* first = b_.getInt32(0);
    if (mask_) {
        llvm::Value* bits = bits_of(mask_);
        first = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {bits, b_.getTrue()});
    }
    return b_.CreateExtractElement(lane.value, first);
}

llvm::Value* Lowering::slot_of_decision(NodeId value) {
    llvm::Value*& found = decisions_[value.index];
    if (!found) {
        llvm::Type* type = scalar_type(words_of(program_.type(value))[0].scalar);
        found = slot(type, "decision");
        Builder at_start(entry_, std::next(llvm::cast<llvm::Instruction>(found)->getIterator()));
        at_start.CreateStore(llvm::Constant::getNullValue(type), found);
    }
    return found;
}

llvm::Value* Lowering::decision(NodeId node) {
    if (!plan_.is_decisive(node)) return one_of(word_of(node, 0));
    return b_.CreateLoad(scalar_type(words_of(program_.type(node))[0].scalar), slot_of_decision(node));
}

// The block that follows when no invocation of the workgroup is left: where those that left the
// innermost construct resume.
llvm::BasicBlock* Lowering::way_out(std::size_t targets) {
    for (std::size_t t = targets; t-- > 0;)
        if (targets_[t].away != no_place) return targets_[t].go_on ? targets_[t].go_on : targets_[t].leave;
    return workgroup_end_;
}

void Lowering::clear_away(std::uint64_t at) {
    b_.CreateMemSetInline(offset_pointer(scratch_, at), llvm::Align(8), b_.getInt8(0),
                          b_.getInt64(8 * std::uint64_t{geometry_.subgroups}));
}

// Emitted where lanes rejoin: if no lane is active even here, control goes to `way_out`.
void Lowering::leave_where_nobody_is(llvm::BasicBlock* way_out) {
    llvm::Value* found = slot(b_.getInt1Ty(), "found");
    b_.CreateStore(b_.getFalse(), found);
    over_subgroups([&] {
        find_local_ids();
        end_ = block("end_subgroup");
        find_mask();
        b_.CreateStore(b_.getTrue(), found);
        b_.CreateBr(end_);
        b_.SetInsertPoint(end_);
    });
    mask_ = nullptr;
    llvm::BasicBlock* some = block("some");
    b_.CreateCondBr(b_.CreateLoad(b_.getInt1Ty(), found), some, way_out);
    b_.SetInsertPoint(some);
}

Lowering::JumpTarget Lowering::workgroup_target(NodeId construct, llvm::BasicBlock* leave,
                                                llvm::BasicBlock* go_on) {
    JumpTarget target{.construct = construct, .leave = leave, .go_on = go_on, .of_workgroup = true};
    if (left_by_regions_.contains(construct)) {
        target.away = take_scratch(8 * std::uint64_t{geometry_.subgroups});
        target.away_until_continuing = take_scratch(8 * std::uint64_t{geometry_.subgroups});
        clear_away(target.away);
        clear_away(target.away_until_continuing);
    }
    return target;
}

void Lowering::construct_of_workgroup(const PlanStep& step) {
    const Op op = program_.node(step.node).op;
    if (op == Op::if_) return if_of_workgroup(step);
    if (op == Op::loop) return loop_of_workgroup(step);
    if (op == Op::switch_) return switch_of_workgroup(step);
    scope_of_workgroup(step);
}

void Lowering::if_of_workgroup(const PlanStep& step) {
    llvm::BasicBlock *then = block("then"), *otherwise = block("else"), *end = block("end_if");
    b_.CreateCondBr(decision(program_.operand(step.node, 0)), then, otherwise);
    b_.SetInsertPoint(then);
    reachable_ = true;
    steps(step.blocks[0]);
    if (reachable_) b_.CreateBr(end);
    b_.SetInsertPoint(otherwise);
    reachable_ = true;
    if (step.blocks.size() > 1) steps(step.blocks[1]);
    if (reachable_) b_.CreateBr(end);
    arrive(end);
}

// Continues at a block, if anything branches to it.
void Lowering::arrive(llvm::BasicBlock* at) {
    b_.SetInsertPoint(at);
    reachable_ = !llvm::pred_empty(at);
    mask_ = nullptr;
    if (!reachable_) b_.CreateUnreachable();
}

void Lowering::loop_of_workgroup(const PlanStep& step) {
    llvm::BasicBlock *start = block("loop"), *continuing = block("continuing"), *end = block("end_loop");
    const JumpTarget target = workgroup_target(step.node, end, continuing);
    if (target.away != no_place)  // lanes may reach the continuing block past the nodes that it uses
        for (const NodeId node : program_.block(program_.blocks(step.node)[0]))
            if (plan_.is_once(node)) kept_in_slots_[node.index] = true;
    b_.CreateBr(start);
    b_.SetInsertPoint(start);
    targets_.push_back(target);
    steps(step.blocks[0]);
    if (reachable_) b_.CreateBr(continuing);
    arrive(continuing);
    if (reachable_ && target.away != no_place) {
        clear_away(target.away_until_continuing);
        leave_where_nobody_is(end);
    }
    if (step.blocks.size() > 1) steps(step.blocks[1]);
    if (reachable_) {
        llvm::BranchInst* back = b_.CreateBr(start);
        if (is_short(step.node)) set_unrolling(back, "full");
    }
    targets_.pop_back();
    arrive(end);
    after_leaving(target);
}

// True for loops that turn seldom around little code. Unrolled, the steps of a tree reduction each have a
// known number of subgroups, and what one writes to workgroup memory stays in registers for the next.
bool Lowering::is_short(NodeId loop) const {
    constexpr std::uint64_t most_turns = 16, most_nodes = 1000;
    const auto turns = Loops(program_).max_trip_count(loop);
    return turns && *turns <= most_turns && nodes_within(program_, loop) * *turns <= most_nodes;
}

// `how`: LLVM's word, as "full".
void Lowering::set_unrolling(llvm::BranchInst* back, const std::string& how) {
    llvm::MDNode* option =
        llvm::MDNode::get(context_, llvm::MDString::get(context_, "llvm.loop.unroll." + how));
    llvm::MDNode* loop = llvm::MDNode::getDistinct(context_, {nullptr, option});
    loop->replaceOperandWith(0, loop);  // which makes it this loop's own
    back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

void Lowering::after_leaving(const JumpTarget& target) {
    if (!reachable_ || target.away == no_place) return;
    leave_where_nobody_is(way_out(targets_.size()));
}

void Lowering::scope_of_workgroup(const PlanStep& step) {
    llvm::BasicBlock* end = block("end_scope");
    const JumpTarget target = workgroup_target(step.node, end, nullptr);
    targets_.push_back(target);
    steps(step.blocks[0]);
    targets_.pop_back();
    if (reachable_) b_.CreateBr(end);
    arrive(end);
    after_leaving(target);
}

void Lowering::switch_of_workgroup(const PlanStep& step) {
    llvm::BasicBlock* end = block("end_switch");
    const JumpTarget target = workgroup_target(step.node, end, nullptr);
    llvm::SwitchInst* choice = b_.CreateSwitch(decision(program_.operand(step.node, 0)), end);
    const auto cases = program_.switch_cases(step.node);
    targets_.push_back(target);
    for (std::size_t c = 0; c < cases.size(); ++c) {
        llvm::BasicBlock* here = block("case");
        for (const std::uint32_t bits : cases[c].selectors) choice->addCase(b_.getInt32(bits), here);
        if (cases[c].is_default) choice->setDefaultDest(here);
        b_.SetInsertPoint(here);
        reachable_ = true;
        steps(step.blocks[c]);
        if (reachable_) b_.CreateBr(end);
    }
    targets_.pop_back();
    arrive(end);
    after_leaving(target);
}

void Lowering::jump_of_workgroup(NodeId node) {
    const Op op = program_.node(node).op;
    if (op == Op::break_if) {
        llvm::BasicBlock* stay = block("stay");
        b_.CreateCondBr(decision(program_.operand(node, 0)), targets_.back().leave, stay);
        b_.SetInsertPoint(stay);
        return;
    }
    llvm::BasicBlock* to = workgroup_end_;
    if (op != Op::return_) to = op == Op::break_ ? target_of(node).leave : target_of(node).go_on;
    b_.CreateBr(to);
    reachable_ = false;
}

}  // namespace muster::cpu
