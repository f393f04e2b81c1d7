// Atomic operations and barriers. WGSL's atomics are relaxed; only barriers order other memory.
#include <muster/backend-vulkan/lowering/lowering.hpp>

namespace muster::vulkan {
namespace {

spv::Op update_op(Op op, bool is_signed) {
    if (op == Op::atomic_add) return spv::Op::OpAtomicIAdd;
    if (op == Op::atomic_sub) return spv::Op::OpAtomicISub;
    if (op == Op::atomic_max) return is_signed ? spv::Op::OpAtomicSMax : spv::Op::OpAtomicUMax;
    if (op == Op::atomic_min) return is_signed ? spv::Op::OpAtomicSMin : spv::Op::OpAtomicUMin;
    if (op == Op::atomic_and) return spv::Op::OpAtomicAnd;
    if (op == Op::atomic_or) return spv::Op::OpAtomicOr;
    if (op == Op::atomic_xor) return spv::Op::OpAtomicXor;
    return spv::Op::OpAtomicExchange;
}

}  // namespace

Id Lowering::atomic(NodeId node) {
    const Pointer at = pointer_to(node, false);
    return where_valid(at, program_.type(node), [&] { return update(node, at.pointer); });
}

Id Lowering::update(NodeId node, Id pointer) {
    const Op op = program_.node(node).op;
    const TypeId type = program_.type(node);
    const auto operand = [&](std::uint32_t k) { return value(program_.operand(node, k)); };
    const bool shared =
        program_.variable(program_.root_variable(program_.operand(node, 0))).space == AddressSpace::workgroup;
    const Id scope = builder_.word(static_cast<Word>(shared ? spv::Scope::Workgroup : spv::Scope::Device));
    const Id relaxed = builder_.word(0);
    const Scalar scalar = types_[program_.type(program_.operand(node, 0))].scalar;
    if (is_wide(scalar)) module_.require(spv::Capability::Int64Atomics);
    if (op == Op::atomic_load) return builder_.add(spv::Op::OpAtomicLoad, type, {pointer, scope, relaxed});
    if (op == Op::atomic_store) {
        builder_.statement(spv::Op::OpAtomicStore, {pointer, scope, relaxed, operand(1)});
        return no_id;
    }
    if (op == Op::atomic_compare_exchange)
        return builder_.add(spv::Op::OpAtomicCompareExchange, type,
                            {pointer, scope, relaxed, relaxed, operand(2), operand(1)});
    return builder_.add(update_op(op, is_signed(scalar)), type, {pointer, scope, relaxed, operand(1)});
}

void Lowering::barrier(NodeId node) {
    control_barrier(program_.node(node).op == Op::workgroup_barrier
                        ? spv::MemorySemanticsMask::WorkgroupMemory
                        : spv::MemorySemanticsMask::UniformMemory);
}

void Lowering::control_barrier(spv::MemorySemanticsMask memory) {
    const Id workgroup = builder_.word(static_cast<Word>(spv::Scope::Workgroup));
    const Id semantics = builder_.word(static_cast<Word>(spv::MemorySemanticsMask::AcquireRelease | memory));
    builder_.statement(spv::Op::OpControlBarrier, {workgroup, workgroup, semantics});
}

}  // namespace muster::vulkan
