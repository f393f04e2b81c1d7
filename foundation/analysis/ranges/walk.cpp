#include <algorithm>
#include <utility>

#include <muster/foundation/analysis/ranges/walk.hpp>

namespace muster::ranges {
namespace {

bool has_interval(Scalar type) { return type == Scalar::i32 || type == Scalar::u32; }

}  // namespace

Walk::Walk(const Program& program) : Walk(program, program.workgroup_size()) {}

Walk::Walk(const Program& program, Extent3 box)
    : FlowWalk(program),
      in_bounds(program.node_count()),
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
    follow(program_.body());
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

Meeting Walk::meeting(NodeId construct) {
    Meeting made{assigned(construct)};
    made.before = states(made.slots);
    if (!program_.operands(construct).empty())
        made.condition = evaluator_->component(program_.operand(construct, 0));
    return made;
}

// Adds the variables that the body declares, which the continuing block also sees.
Meeting Walk::meeting_of_continues(NodeId loop) {
    Meeting made{assigned(loop)};
    for (const NodeId node : program_.block(program_.blocks(loop)[0])) {
        if (program_.node(node).op != Op::declare) continue;
        const Evaluator::SlotRange of = evaluator_->slots(VariableId{program_.node(node).payload});
        for (std::uint32_t k = 0; k < of.count; ++k) made.slots.push_back(of.slot + k);
    }
    return made;
}

void Walk::arrive(Meeting& at) {
    knowledge_.spend(at.slots.size());
    const bool is_first = at.ways++ == 0;
    if (is_first) {
        at.values = states(at.slots);
        at.intervals.resize(at.slots.size());
    }
    for (std::size_t i = 0; i < at.slots.size(); ++i) {
        const ValueId now = evaluator_->at(at.slots[i]);
        if (at.values[i] != now) at.values[i] = {};
        if (!has_interval(evaluator_->scalar(at.slots[i]))) continue;
        const Interval interval = knowledge_.range(now);
        at.intervals[i] = is_first ? interval : intervals_.hull(at.intervals[i], interval);
    }
}

void Walk::resume(Meeting& at) {
    for (std::size_t i = 0; i < at.slots.size(); ++i) {
        const Scalar type = evaluator_->scalar(at.slots[i]);
        if (!at.values[i] && has_interval(type))
            at.values[i] = values_.opaque(type, intervals_.shallow(at.intervals[i]));
        else if (!at.values[i] && at.goes_on[0] && at.goes_on[1])
            at.values[i] = values_.choice(at.condition, at.after[0][i], at.after[1][i]);
        else if (!at.values[i])
            at.values[i] = evaluator_->opaque(type);
        evaluator_->at(at.slots[i]) = at.values[i];
    }
}

// Facts from the body hold there only if nothing else leads there.
void Walk::resume_continuing(Meeting& at) {
    knowledge_.leave();
    knowledge_.enter();
    resume(at);
}

// Statements
// -------------------------------------------------------------------------------------------------------

void Walk::operation(NodeId id) {
    const Op op = program_.node(id).op;
    if (op == Op::declare)
        evaluator_->declare(id);
    else if (op == Op::store)
        evaluator_->store(id);
    else
        evaluator_->visit(id);
}

void Walk::open(const Edge& edge, const Meeting& behind) {
    knowledge_.enter();
    if (program_.node(edge.construct).op == Op::if_) knowledge_.assume(behind.condition, edge.number == 0);
    if (edge.chosen == nullptr || edge.chosen->is_default) return;
    const bool is_signed = values_[behind.condition].type == Scalar::i32;
    const auto number = [&](std::uint32_t bits) {
        return is_signed ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
    };
    const auto [low, high] = std::ranges::minmax(edge.chosen->selectors, {}, number);
    knowledge_.assume_within(behind.condition, intervals_.constant(number(low), number(high)));
}

void Walk::close(const Edge& edge, Meeting& behind, Ways ways) {
    if (program_.node(edge.construct).op == Op::if_) {
        behind.goes_on[edge.number] = ways.next;
        behind.after[edge.number] = states(behind.slots);
    }
    knowledge_.leave();
}

void Walk::pass(NodeId, const Meeting& behind, Ways) {
    const auto& [then, otherwise] = behind.goes_on;
    if (then != otherwise) knowledge_.assume(behind.condition, then);
}

void Walk::break_if(NodeId id, Targets& loop) {
    knowledge_.enter();
    knowledge_.assume(evaluator_->component(program_.operand(id, 0)), true);
    FlowWalk::break_if(id, loop);
    knowledge_.leave();
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

void Walk::reach(NodeId id) {
    if (is_rehearsal_) return;
    const Node& node = program_.node(id);
    if (node.op == Op::if_ || node.op == Op::break_if) return note_branch(id);
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
void Walk::note_branch(NodeId id) {
    const ValueId condition = evaluator_->component(program_.operand(id, 0));
    const auto blocks = program_.blocks(id);  // none for break_if, which leaves its loop
    const bool leaves = std::ranges::any_of(blocks, [&](BlockId block) { return leaves_loop(block); });
    for (const bool truth : {true, false}) {
        Claim claim = knowledge_.is(condition, truth);
        const bool is_wanted = !blocks.empty() && !leaves && knowledge_.is_steady(condition) &&
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
bool Walk::leaves_loop(BlockId block) {
    const auto nodes = program_.block(block);
    return !nodes.empty() && program_.node(nodes.back()).op == Op::break_ && !constructs().empty() &&
           program_.node(constructs().back().node).op == Op::loop;
}

}  // namespace muster::ranges
