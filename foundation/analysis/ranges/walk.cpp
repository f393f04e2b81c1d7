#include <algorithm>
#include <utility>

#include <muster/foundation/analysis/ranges/walk.hpp>

namespace muster::ranges {
namespace {

bool has_interval(Scalar type) { return type == Scalar::i32 || type == Scalar::u32; }

}  // namespace

Walk::Walk(const Program& program) : Walk(program, program.workgroup_size()) {}

Walk::Walk(const Program& program, Extent3 box)
    : in_bounds(program.node_count()),
      is_true(program.node_count()),
      is_false(program.node_count()),
      program_(program),
      loops_(program),
      intervals_(e_),
      box_(box),
      knowledge_(values_, e_, box, 100'000 + std::size_t{8} * program.node_count()) {}

void Walk::run() {
    const std::size_t budget = std::size_t{32} * program_.node_count() + (std::size_t{1} << 18);
    auto assigned = assigned_variables(program_, true, budget);
    evaluator_.emplace(program_, box_, values_, e_, assigned.has_value());
    if (assigned) assigned_ = *std::move(assigned);
    assignments_.resize(evaluator_->slot_count());
    for (std::uint32_t variable = 0; variable < program_.variables().size(); ++variable)
        for (const Loops::Assignment& one : loops_.assignments({variable})) {
            const Evaluator::SlotRange to = program_.node(one.node).op == Op::store
                                                ? evaluator_->slots(program_.operand(one.node, 0))
                                                : evaluator_->slots(VariableId{variable});
            for (std::uint32_t k = 0; k < to.count; ++k) assignments_[to.slot + k].push_back(one);
        }
    block(program_.body());
}

// Variables
// --------------------------------------------------------------------------------------------------------

std::vector<std::uint32_t> Walk::assigned(NodeId control) const {
    std::vector<std::uint32_t> slots;
    const auto found = assigned_.find(control.index);
    if (found == assigned_.end()) return slots;
    for (const VariableId variable : found->second) {
        const Evaluator::SlotRange of = evaluator_->slots(variable);
        for (std::uint32_t k = 0; k < of.count; ++k) slots.push_back(of.slot + k);
    }
    return slots;
}

std::vector<ValueId> Walk::states(const std::vector<std::uint32_t>& slots) {
    std::vector<ValueId> all;
    for (const std::uint32_t slot : slots) all.push_back(evaluator_->at(slot));
    return all;
}

void Walk::restore(const std::vector<std::uint32_t>& slots, const std::vector<ValueId>& states) {
    for (std::size_t i = 0; i < slots.size(); ++i) evaluator_->at(slots[i]) = states[i];
}

void Walk::contribute(Merge& merge) {
    knowledge_.spend(merge.slots.size());
    const bool is_first = merge.ways++ == 0;
    if (is_first) {
        merge.values = states(merge.slots);
        merge.intervals.resize(merge.slots.size());
    }
    for (std::size_t i = 0; i < merge.slots.size(); ++i) {
        const ValueId now = evaluator_->at(merge.slots[i]);
        if (merge.values[i] != now) merge.values[i] = {};
        if (!has_interval(evaluator_->scalar(merge.slots[i]))) continue;
        const Interval interval = knowledge_.range(now);
        merge.intervals[i] = is_first ? interval : intervals_.hull(merge.intervals[i], interval);
    }
}

void Walk::apply(Merge& merge) {
    if (merge.ways == 0) return;
    for (std::size_t i = 0; i < merge.slots.size(); ++i) {
        const Scalar type = evaluator_->scalar(merge.slots[i]);
        if (!merge.values[i])
            merge.values[i] = has_interval(type)
                                  ? values_.opaque(type, intervals_.shallow(merge.intervals[i]))
                                  : evaluator_->opaque(type);
        evaluator_->at(merge.slots[i]) = merge.values[i];
    }
}

// Statements
// -------------------------------------------------------------------------------------------------------

bool Walk::block(BlockId id) {
    return std::ranges::all_of(program_.block(id), [&](NodeId node) { return statement(node); });
}

bool Walk::statement(NodeId id) {
    const Op op = program_.node(id).op;
    check(id);
    if (op == Op::if_) return if_statement(id);
    if (op == Op::switch_) return switch_statement(id);
    if (op == Op::scope) return scope_statement(id);
    if (op == Op::loop) return loop_statement(id);
    if (info(op).group == OpGroup::control) return jump(id);
    if (op == Op::declare)
        evaluator_->declare(id);
    else if (op == Op::store)
        evaluator_->store(id);
    else
        evaluator_->visit(id);
    return true;
}

bool Walk::jump(NodeId id) {
    const Op op = program_.node(id).op;
    if (op == Op::break_) contribute(*targets_.back().exit);
    if (op == Op::continue_) {
        auto target = targets_.rbegin();
        while (target->continuing == nullptr) ++target;
        contribute(*target->continuing);
    }
    if (op != Op::break_if) return false;
    const ValueId condition = evaluator_->component(program_.operand(id, 0));
    note_branch(id, condition, true);
    knowledge_.enter();
    knowledge_.assume(condition, true);
    contribute(*targets_.back().exit);
    knowledge_.leave();
    return true;
}

bool Walk::if_statement(NodeId id) {
    const ValueId condition = evaluator_->component(program_.operand(id, 0));
    const auto blocks = program_.blocks(id);
    note_branch(id, condition, leaves_loop(blocks[0]) || leaves_loop(blocks[1]));
    Merge exit{assigned(id)};
    const std::vector<ValueId> before = states(exit.slots);
    std::vector<ValueId> after[2];
    bool goes_on[2];
    for (const bool otherwise : {false, true}) {
        restore(exit.slots, before);
        knowledge_.enter();
        knowledge_.assume(condition, !otherwise);
        goes_on[otherwise] = block(blocks[otherwise]);
        if (goes_on[otherwise]) contribute(exit);
        after[otherwise] = states(exit.slots);
        knowledge_.leave();
    }
    if (goes_on[0] && goes_on[1])
        for (std::size_t i = 0; i < exit.slots.size(); ++i)
            if (!exit.values[i] && !has_interval(evaluator_->scalar(exit.slots[i])))
                exit.values[i] = values_.choice(condition, after[0][i], after[1][i]);
    apply(exit);
    if (goes_on[0] != goes_on[1]) knowledge_.assume(condition, goes_on[0]);
    return goes_on[0] || goes_on[1];
}

bool Walk::switch_statement(NodeId id) {
    const ValueId selector = evaluator_->component(program_.operand(id, 0));
    const bool is_signed = values_[selector].type == Scalar::i32;
    Merge exit{assigned(id)};
    const std::vector<ValueId> before = states(exit.slots);
    targets_.push_back({&exit, nullptr});
    for (const SwitchCase& one : program_.switch_cases(id)) {
        restore(exit.slots, before);
        knowledge_.enter();
        if (!one.is_default) {
            const auto number = [&](std::uint32_t bits) {
                return is_signed ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
            };
            const auto [low, high] = std::ranges::minmax(one.selectors, {}, number);
            knowledge_.assume_within(selector, intervals_.constant(number(low), number(high)));
        }
        if (block(one.block)) contribute(exit);
        knowledge_.leave();
    }
    targets_.pop_back();
    apply(exit);
    return exit.ways != 0;
}

bool Walk::scope_statement(NodeId id) {
    Merge exit{assigned(id)};
    targets_.push_back({&exit, nullptr});
    knowledge_.enter();
    if (block(program_.blocks(id)[0])) contribute(exit);
    knowledge_.leave();
    targets_.pop_back();
    apply(exit);
    return exit.ways != 0;
}

bool Walk::loop_statement(NodeId id) {
    const BlockId body = program_.blocks(id)[0], continuing_block = program_.blocks(id)[1];
    Merge exit{assigned(id)};
    Merge continuing{exit.slots};
    for (const NodeId node : program_.block(body)) {  // declarations that the continuing block also sees
        if (program_.node(node).op != Op::declare) continue;
        const Evaluator::SlotRange of = evaluator_->slots(VariableId{program_.node(node).payload});
        for (std::uint32_t k = 0; k < of.count; ++k) continuing.slots.push_back(of.slot + k);
    }
    enter_loop(id, exit.slots);
    targets_.push_back({&exit, &continuing});
    knowledge_.enter();
    const bool falls = block(body);
    if (continuing.ways == 0) {  // facts from the body still hold
        if (falls) block(continuing_block);
        knowledge_.leave();
    } else {
        if (falls) contribute(continuing);
        knowledge_.leave();
        knowledge_.enter();
        apply(continuing);
        block(continuing_block);
        knowledge_.leave();
    }
    targets_.pop_back();
    apply(exit);
    return exit.ways != 0;
}

// Claims
// -----------------------------------------------------------------------------------------------------------

void Walk::note(Claims& claims, NodeId id, Claim claim) {
    std::optional<Claim>& noted = claims[id.index];
    if (noted)
        noted = Knowledge::both(*std::move(noted), std::move(claim));
    else
        noted = std::move(claim);
}

void Walk::check(NodeId id) {
    if (is_rehearsal_) return;
    const Node& node = program_.node(id);
    if (node.op == Op::extract_dynamic) {
        const auto count = evaluator_->length(program_.operand(id, 0));
        const ValueId index = evaluator_->component(program_.operand(id, 1));
        note(in_bounds, id, count ? knowledge_.plain(knowledge_.in_bounds(index, *count)) : Claim{});
    }
    const bool has_places = node.op == Op::load || node.op == Op::store ||
                            info(node.op).group == OpGroup::atomic || node.op == Op::extension;
    if (!has_places) return;
    if (node.op != Op::extension) return check_place(id, program_.operand(id, 0));
    for (const NodeId operand : program_.operands(id))
        if (info(program_.node(operand).op).group == OpGroup::free) check_place(id, operand);
}

void Walk::check_place(NodeId user, NodeId reference) {
    if (at_place) at_place(user, reference);
    note(in_bounds, user, Claim{std::in_place});
    for (; program_.node(reference).op == Op::ref_index || program_.node(reference).op == Op::ref_member;
         reference = program_.operand(reference, 0)) {
        if (program_.node(reference).op == Op::ref_member) continue;
        const auto count = evaluator_->length(program_.operand(reference, 0));
        const ValueId index = evaluator_->component(program_.operand(reference, 1));
        const Claim claim = count ? knowledge_.plain(knowledge_.in_bounds(index, *count)) : Claim{};
        note(in_bounds, reference, claim);
        note(in_bounds, user, claim);
    }
}

// Conditions that depend on a loop's iteration or on memory rarely agree for all invocations: they yield no
// claim under a condition.
void Walk::note_branch(NodeId id, ValueId condition, bool leaves_loop) {
    if (is_rehearsal_) return;
    const auto blocks = program_.blocks(id);  // none for break_if, which leaves its loop
    for (const bool truth : {true, false}) {
        Claim claim = knowledge_.is(condition, truth);
        const bool is_wanted = !leaves_loop && knowledge_.is_steady(condition) &&
                               is_usual(blocks[truth ? 0 : 1], blocks[truth ? 1 : 0]);
        if (claim && !claim->empty()) claim = is_wanted ? knowledge_.plain(claim) : Claim{};
        note(truth ? is_true : is_false, id, std::move(claim));
    }
}

// True if most invocations may well take the branch: it doesn't jump, and isn't the empty one of two.
bool Walk::is_usual(BlockId block, BlockId other) const {
    const auto jumps = [&](BlockId id) {
        const auto nodes = program_.block(id);
        const Op last = nodes.empty() ? Op::if_ : program_.node(nodes.back()).op;
        return last == Op::return_ || last == Op::break_ || last == Op::continue_;
    };
    return !jumps(block) && (!program_.block(block).empty() || jumps(other));
}

// True if a branch's block ends by leaving the innermost loop.
bool Walk::leaves_loop(BlockId block) const {
    const auto nodes = program_.block(block);
    return !nodes.empty() && program_.node(nodes.back()).op == Op::break_ && !targets_.empty() &&
           targets_.back().continuing != nullptr;
}

}  // namespace muster::ranges
