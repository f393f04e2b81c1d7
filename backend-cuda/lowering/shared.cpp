// Shared memory and grid barriers.
//
// In a grid barrier, one thread of each block meets those of the other blocks, in the launch's barrier state.
// An invocation that returns while others still have grid barriers ahead waits in leave_grid() until its
// whole block has returned, so that the block arrives as a unit. The block then leaves, and counts as arrived
// from then on. Threads of a warp can therefore wait at different points of the code, which __barrier_sync()
// allows and __syncthreads() doesn't.
#include <utility>

#include <fmt/format.h>

#include <muster/backend-cuda/lowering/dialect.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/analysis/grid_phase.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::cuda {

// Shared memory above 48 KiB must be requested at launch, as one block for all variables.
void CudaDialect::declare_workgroup(c_text::Kernel& kernel, VariableId variable) {
    const TypeId type = program_.variable(variable).type;
    const std::string name = kernel.type_name(type);
    if (result_.dynamic_shared_bytes == 0)
        return kernel.line(fmt::format("__shared__ {} {};", name, kernel.name(variable)));
    if (!std::exchange(declares_workgroup_memory_, true))
        kernel.line("extern __shared__ __align__(16) uint4 workgroup_memory[];");
    kernel.line(
        fmt::format("{0}& {1} = *reinterpret_cast<{0}*>(reinterpret_cast<char*>(workgroup_memory) + {2});",
                    name, kernel.name(variable), offset_in_workgroup_memory(variable)));
}

std::uint64_t CudaDialect::offset_in_workgroup_memory(VariableId id) const {
    std::uint64_t offset = 0;
    for (std::uint32_t i = 0; i < id.index; ++i) {
        const Variable& other = program_.variables()[i];
        if (other.space == AddressSpace::workgroup)
            offset += round_up(program_.types()[other.type].size, wrapped_alignment);
    }
    return offset;
}

// Declares and sets the shared count of the block's threads that haven't returned.
bool CudaDialect::set_up_workgroup(c_text::Kernel& kernel) {
    if (running_.empty()) return false;
    result_.static_shared_bytes += running_bytes;
    kernel.line(fmt::format("__shared__ unsigned {};", running_));
    kernel.line(fmt::format("if ({} == 0u) {} = {}u;", kernel.invocation_index(), running_,
                            program_.workgroup_size().count()));
    return true;
}

void CudaDialect::declare_grid_barrier(c_text::Kernel& kernel) {
    if (!has_grid_barriers(program_)) return;
    for (const char* function : {"load_atomic_u32", "store_atomic_u32", "grid_barrier_state"})
        (void)kernel.call(function);
    barrier_state_ = kernel.unique_name("barrier_state");
    result_.barrier_state_offset = add_parameter(fmt::format("grid_barrier_state* {}", barrier_state_), 8, 8);
    if (may_return_before_grid_barrier(program_)) {
        running_ = kernel.unique_name("running");
        (void)kernel.call("leave_grid");
    } else {
        (void)kernel.call("grid_barrier");
    }
}

void CudaDialect::grid_barrier(c_text::Kernel& kernel) {
    kernel.line(running_.empty() ? fmt::format("grid_barrier({});", barrier_state_)
                                 : fmt::format("grid_barrier({}, {});", barrier_state_, running_));
}

void CudaDialect::leave(c_text::Kernel& kernel) {
    if (!running_.empty()) kernel.line(fmt::format("leave_grid({}, {});", barrier_state_, running_));
}

}  // namespace muster::cuda
