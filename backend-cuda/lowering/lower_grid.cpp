// Grid barriers: one thread of each block meets those of the other blocks, in the launch's barrier state.
//
// An invocation that returns while others still have grid barriers ahead waits in leave_grid() until its whole
// block has returned, so that the block arrives as a unit. The block then leaves, and counts as arrived from
// then on. Threads of a warp can therefore wait at different points of the code, which __barrier_sync() allows
// and __syncthreads() doesn't.
#include <algorithm>

#include <fmt/format.h>

#include <muster/backend-cuda/lowering/lowering.hpp>
#include <muster/foundation/analysis/grid_phase.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::cuda {

void Lowering::declare_grid_barrier() {
    if (!has_grid_barriers(program_)) return;
    prelude_.require("load_atomic_u32");
    prelude_.require("store_atomic_u32");
    prelude_.require("grid_barrier_state");
    barrier_state_ = names_.unique_name("barrier_state");
    result_.barrier_state_offset = add_parameter(fmt::format("grid_barrier_state* {}", barrier_state_), 8, 8);
    if (may_return_before_grid_barrier(program_)) {
        running_ = names_.unique_name("running");
        prelude_.require("leave_grid");
    } else {
        prelude_.require("grid_barrier");
    }
}

/// Declares and sets the shared count of the block's threads that haven't returned.
void Lowering::declare_running() {
    result_.static_shared_bytes += running_bytes;
    writer_.line(fmt::format("__shared__ unsigned {};", running_));
    writer_.line(fmt::format("if ({} == 0u) {} = {}u;", invocation_index(), running_,
                             program_.workgroup_size().count()));
}

void Lowering::grid_barrier() {
    keep_all_that_read_memory();
    writer_.line(running_.empty() ? fmt::format("grid_barrier({});", barrier_state_)
                                  : fmt::format("grid_barrier({}, {});", barrier_state_, running_));
}

void Lowering::leave_grid() {
    if (!running_.empty()) writer_.line(fmt::format("leave_grid({}, {});", barrier_state_, running_));
}

// A grid barrier follows if the variable may be overwritten later: all invocations must have loaded it by then.
void Lowering::grid_uniform_load(NodeId node) {
    if (uses_.count(node) != 0) {
        const NodeId reference = program_.operand(node, 0);
        const AccessText at = reference_text(node, reference);
        const bool is_signed = program_.type(node) == i32_type;
        const std::string function = is_signed ? "load_atomic_i32" : "load_atomic_u32";
        prelude_.require(function);
        const std::string call = fmt::format("{}({})", function, address(at)),
                          zero = types_.zero(program_.type(node));
        used_by(node);
        if (at.never) {
            keep(node, {zero});
        } else if (at.guard.empty()) {
            keep(node, {call});
        } else {
            keep(node, {fmt::format("{} ? {} : {}", at.guard, call, zero), Precedence::choice});
        }
        meets_again_ = meets_again_ || may_be_overwritten(program_, node);
    }
    if (!meets_again_ || is_followed_by_load(node)) return;
    meets_again_ = false;
    grid_barrier();
}

bool Lowering::is_followed_by_load(NodeId node) const {
    const auto nodes = program_.block(uses_.block(node));
    for (auto next = std::ranges::find(nodes, node) + 1; next != nodes.end(); ++next) {
        if (is_grid_uniform_load(program_, *next)) return true;
        if (!info(program_.node(*next).op).pure) return false;
    }
    return false;
}

}  // namespace muster::cuda
