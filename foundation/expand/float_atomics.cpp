#include <algorithm>

#include <muster/foundation/expand/float_atomics.hpp>

namespace muster {
namespace {

/// The operation that computes the new value from the old one and the operand, if it isn't just the operand.
std::optional<Op> update_of(Op op) {
    if (op == Op::atomic_add) return Op::add;
    if (op == Op::atomic_sub) return Op::sub;
    if (op == Op::atomic_min) return Op::min;
    if (op == Op::atomic_max) return Op::max;
    return std::nullopt;
}

// Out of bounds the load and the exchange both give zero, which ends the loop.
NodeId exchanged_in_a_loop(IrBuilder& ir, NodeId place, Op update, NodeId value) {
    const VariableId seen = ir.variable({.name = "seen", .type = u32_type});
    ir.declare(seen, ir.atomic(Op::atomic_load, place));
    ir.begin_loop();
    const NodeId old = ir.load(ir.ref(seen));
    const NodeId updated = ir.binary(update, ir.bitcast(Scalar::f32, old), value);
    const NodeId found = ir.atomic(Op::atomic_compare_exchange, place, ir.bitcast(Scalar::u32, updated), old);
    ir.store(ir.ref(seen), found);
    ir.begin_if(ir.binary(Op::eq, found, old));
    ir.break_();
    ir.end_if();
    ir.end_loop();
    return ir.load(ir.ref(seen));
}

}  // namespace

std::vector<bool> float_atomics_as_words(const Program& program, const OpSet& native) {
    if (!program.types().has_float_atomics()) return {};
    std::vector<bool> words(program.variables().size());
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        const NodeId id{i};
        const Op op = program.node(id).op;
        if (info(op).group != OpGroup::atomic || native.f32_atomics.test(static_cast<std::size_t>(op)))
            continue;
        const NodeId place = program.operand(id, 0);
        if (program.types()[program.type(place)].scalar == Scalar::f32)
            words[program.root_variable(place).index] = true;
    }
    if (std::ranges::find(words, true) == words.end()) return {};
    return words;
}

NodeId with_compare_exchange(IrBuilder& ir, const RewrittenNode& node) {
    const NodeId place = node.operand(0);
    const Op op = node.op();
    if (op == Op::atomic_load) return ir.bitcast(Scalar::f32, ir.atomic(op, place));
    const NodeId value = node.operand(1);
    if (op == Op::atomic_store) return ir.atomic(op, place, ir.bitcast(Scalar::u32, value));
    const std::optional<Op> update = update_of(op);
    const NodeId old = update ? exchanged_in_a_loop(ir, place, *update, value)
                              : ir.atomic(op, place, ir.bitcast(Scalar::u32, value));
    return ir.bitcast(Scalar::f32, old);
}

OpSet float_atomic_blocks() {
    OpSet blocks;
    for (const Op op : {Op::bitcast, Op::eq, Op::declare, Op::load, Op::store, Op::atomic_load,
                        Op::atomic_compare_exchange, Op::loop, Op::if_, Op::break_})
        blocks.insert(op);
    return blocks;
}

}  // namespace muster
