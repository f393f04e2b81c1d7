// Atomic operations. They are relaxed in both WGSL and CUDA; other memory is ordered by barriers.
#include <fmt/format.h>

#include <muster/backend-cuda/lowering/lowering.hpp>

namespace muster::cuda {
namespace {

std::string_view function(Op op) {
    if (op == Op::atomic_add) return "atomicAdd";
    if (op == Op::atomic_sub) return "atomicSub";
    if (op == Op::atomic_max) return "atomicMax";
    if (op == Op::atomic_min) return "atomicMin";
    if (op == Op::atomic_and) return "atomicAnd";
    if (op == Op::atomic_or) return "atomicOr";
    if (op == Op::atomic_xor) return "atomicXor";
    if (op == Op::atomic_exchange) return "atomicExch";
    return "atomicCAS";
}

}  // namespace

std::string Lowering::update(NodeId node, const std::string& address) {
    const Op op = program_.node(node).op;
    const bool is_signed = types_[program_.type(program_.operand(node, 0))].scalar == Scalar::i32;
    std::string called(function(op));
    if (op == Op::atomic_load) called = is_signed ? "load_atomic_i32" : "load_atomic_u32";
    if (op == Op::atomic_store) called = is_signed ? "store_atomic_i32" : "store_atomic_u32";
    prelude_.require(called);
    std::string arguments = address;
    for (const NodeId operand : program_.operands(node).subspan(1)) arguments += ", " + text(operand);
    return fmt::format("{}({})", called, arguments);
}

// An out-of-bounds operation is skipped and yields zero.
void Lowering::atomic(NodeId node) {
    const AccessText at = reference_text(node, program_.operand(node, 0));
    const std::string call = update(node, address(at));
    used_by(node);
    keep_all_that_read(program_.root_variable(program_.operand(node, 0)));
    if (uses_.count(node) == 0) {
        if (at.never) return;
        writer_.line(at.guard.empty() ? call + ";" : fmt::format("if ({}) {};", at.guard, call));
        return;
    }
    const std::string zero = types_.zero(program_.type(node));
    if (at.never) return keep(node, {zero});
    if (at.guard.empty()) return keep(node, {call});
    keep(node, {fmt::format("{} ? {} : {}", at.guard, call, zero), Precedence::choice});
}

}  // namespace muster::cuda
