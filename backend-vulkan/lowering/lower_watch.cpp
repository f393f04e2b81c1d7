// Watched loops: an invocation that leaves a loop notes it; one that comes out without the note was sent
// there by the driver, which ended the loop.
//
// llvmpipe (Mesa 22.3) runs invocations in lockstep under a mask, and ends a loop when none of them
// continues, or when all loops together have run 65,535 iterations. In the latter case invocations that
// would continue come out with the others. A variable tells them apart: each exit sets it to a number that
// no earlier iteration of an enclosing loop can have left there. An exit that is never taken
// (lower_control.cpp) keeps compilers from knowing its value after the loop. A loop whose only exit
// compares a counter costs nothing per iteration: after it, the counter is compared again, in a form that
// no compiler recognises as the same.
//
// All loops of a kernel are watched, or none: once the limit is used up, even the shortest ends early.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/backend-vulkan/lowering/lowering.hpp>

namespace muster::vulkan {
namespace {

/// Iterations of all loops together that surely run to their ends: half of llvmpipe's limit, which leaves
/// room for zeroing workgroup memory (up to 16,384).
constexpr std::uint64_t sure_iterations = 32'768;
/// Operations that are repeated after a loop, at most, for the value that a counter is compared with.
constexpr int most_operations = 16;

}  // namespace

Result<void> Lowering::decide_on_loops() {
    if (target_.long_loops == LongLoops::run ||
        most_iterations(program_, loops_, large_).value_or(UINT64_MAX) <= sure_iterations)
        return {};
    if (target_.long_loops == LongLoops::watched) {
        watched_ = std::make_shared<WatchedLoops>(WatchedLoops{.entry = std::string(program_.entry())});
        return {};
    }
    return fail(
        ErrorCode::unsupported,
        fmt::format("{} may run more than {} iterations of its loops, and this driver ends loops early "
                    "without reporting it.",
                    program_.entry(), sure_iterations),
        "run it on another device, or let its loops count to a constant");
}

void Lowering::declare_report() {
    if (!watched_) return;
    SpirvBinding& binding = watched_->report;
    for (const SpirvBinding& one : bindings_)
        if (one.kind != BindingKind::push_constant && one.set == 0)
            binding.binding = std::max(binding.binding, one.binding + 1);
    report_ = global(spv::StorageClass::StorageBuffer, types_.block(u32_type));
    module_.name(report_, "ended_loop");
    module_.decorate(report_, spv::Decoration::DescriptorSet, {binding.set});
    module_.decorate(report_, spv::Decoration::Binding, {binding.binding});
    entries_ = builder_.local_variable(types_.value(u32_type), builder_.word(0));
    ended_ = builder_.local_variable(types_.value(u32_type), builder_.word(0));
}

/// True if the value is known before the loop, or computed in it from what no iteration changes.
/// Precondition: the loop hasn't been emitted yet.
bool Lowering::is_steady(NodeId node, int& left) {
    if (--left < 0) return false;
    if (value(node) != no_id) return true;
    const Op op = program_.node(node).op;
    const auto operands = program_.operands(node);
    if (op == Op::load) {
        const Op place = program_.node(operands[0]).op;
        return (place == Op::ref_variable || place == Op::ref_member) &&
               program_.variable(program_.root_variable(operands[0])).space == AddressSpace::uniform;
    }
    if (op == Op::array_length) return true;
    if (op == Op::extract_dynamic || op == Op::compose) return false;  // not made component by component
    return info(op).group == OpGroup::exact && operands.size() == 2 && is_steady(operands[0], left) &&
           is_steady(operands[1], left);
}

/// Recomputes a steady node after the loop: the loop's own value is right only for invocations
/// that ran its last iteration.
Id Lowering::again(NodeId node, NodeId loop) {
    const auto inside = program_.block(program_.blocks(loop)[0]);
    if (std::ranges::find(inside, node) == inside.end()) return value(node);
    const auto operands = program_.operands(node);
    if (operands.size() != 2) return evaluate(node);
    const std::array made{again(operands[0], loop), again(operands[1], loop)};
    return emit_operation(builder_, program_.node(node).op, program_.type(operands[0]), program_.type(node),
                          made);
}

void Lowering::enter_watched(NodeId node, Jumps& loop) {
    if (!watched_) return;
    loop.guard = only_guard(program_, loops_, node);
    int left = most_operations;
    if (loop.guard && is_steady(program_.operand(loop.guard->comparison, 1 - loop.guard->counter), left))
        return;
    loop.guard.reset();
    loop.way_out = builder_.local_variable(types_.value(u32_type), builder_.word(0));
    const Id before = builder_.add(spv::Op::OpLoad, u32_type, {entries_});
    loop.entry = builder_.add(spv::Op::OpIAdd, u32_type, {before, builder_.word(1)});
    builder_.statement(spv::Op::OpStore, {entries_, loop.entry});
}

void Lowering::begin_iteration(const Jumps& loop) {
    if (loop.way_out != no_id) builder_.statement(spv::Op::OpStore, {loop.way_out, builder_.word(0)});
}

void Lowering::leave_watched(const Jumps& loop) {
    if (loop.way_out != no_id) builder_.statement(spv::Op::OpStore, {loop.way_out, loop.entry});
}

Id Lowering::was_ended(NodeId node, const Jumps& loop) {
    if (!loop.guard) {
        const Id way_out = builder_.add(spv::Op::OpLoad, u32_type, {loop.way_out});
        return builder_.add(spv::Op::OpINotEqual, bool_type, {way_out, loop.entry});
    }
    const auto operands = program_.operands(loop.guard->comparison);
    const TypeId type = program_.type(operands[0]);
    std::array<Id, 2> compared{};
    for (std::uint32_t k = 0; k < 2; ++k)
        compared[k] =
            k == loop.guard->counter ? builder_.unknown(type, load(operands[k])) : again(operands[k], node);
    const Id left =
        emit_operation(builder_, program_.node(loop.guard->comparison).op, type, bool_type, compared);
    return loop.guard->leaves ? builder_.add(spv::Op::OpLogicalNot, bool_type, {left}) : left;
}

void Lowering::check_ended(NodeId node, const Jumps& loop) {
    note_if_ended(was_ended(node, loop), place_of(node));
}

void Lowering::check_ended(Id reached, std::uint32_t end, const std::string& where) {
    if (!watched_) return;
    const Id got_to = builder_.unknown(u32_type, reached);
    note_if_ended(builder_.add(spv::Op::OpULessThan, bool_type, {got_to, builder_.word(end)}), where);
}

void Lowering::note_if_ended(Id ended, std::string where) {
    if (where.empty()) where = fmt::format("loop {}", watched_->places.size() + 1);
    watched_->places.push_back(std::move(where));
    const auto number = builder_.word(static_cast<Word>(watched_->places.size()));
    const Id before = builder_.add(spv::Op::OpLoad, u32_type, {ended_});
    builder_.statement(spv::Op::OpStore, {ended_, builder_.select(u32_type, ended, number, before)});
}

// Empty if the location isn't known.
std::string Lowering::place_of(NodeId node) const {
    const SourceLocation where = program_.location(node);
    return where.line == 0 ? "" : to_string(where, program_.file(where));
}

void Lowering::report() {
    if (!watched_) return;
    const Id ended = builder_.add(spv::Op::OpLoad, u32_type, {ended_});
    const Id any = builder_.add(spv::Op::OpINotEqual, bool_type, {ended, builder_.word(0)});
    builder_.guarded(any, no_type, [&] {
        const Id pointer = types_.pointer(spv::StorageClass::StorageBuffer, types_.value(u32_type));
        const Id at = builder_.add(spv::Op::OpAccessChain, pointer, {report_, builder_.word(0)});
        const Id device = builder_.word(static_cast<Word>(spv::Scope::Device));
        return builder_.add(spv::Op::OpAtomicUMax, u32_type, {at, device, builder_.word(0), ended});
    });
}

}  // namespace muster::vulkan
