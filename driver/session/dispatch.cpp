// Session::dispatch: binds the arguments, folds the grid and submits the launch.
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/device/launches.hpp>
#include <muster/driver/session/failures.hpp>
#include <muster/driver/session/placement.hpp>
#include <muster/driver/session/session_state.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

namespace {

[[gnu::noinline]] Error barriers_in_part(const Kernel::State& kernel) {
    return {
        ErrorCode::unsupported,
        fmt::format("{} has grid barriers, at which the invocations of a part of a grid would wait for those "
                    "of the others.",
                    kernel.program->entry()),
        "dispatch the whole grid at once",
        {}};
}

}  // namespace

Result<FoldedDispatch> fold(const Kernel::State& kernel, const Grid& grid) {
    const DeviceContext& device = *kernel.device;
    if (auto why = device.lost()) return std::unexpected(*std::move(why));
    const Extent3 groups = TRY(workgroups(grid, kernel.program->workgroup_size()));
    const GridPart part = TRY(part_to_run(grid, groups));
    const bool has_barriers = kernel.loaded->split != nullptr;
    if (has_barriers && part.extent != groups) return std::unexpected(barriers_in_part(kernel));
    return FoldedDispatch{groups,
                          TRY(fold_part(part, has_barriers ? groups : device.info().limits.max_workgroups))};
}

Result<BoundArguments> bind_arguments(const Kernel::State& kernel, std::span<const Argument> arguments,
                                      bool empty_grid) {
    auto bound = kernel.bindings.bind(arguments, empty_grid);
    if (!bound)
        bound = std::unexpected(
            Error(bound.error()).during(fmt::format("binding arguments of {}", kernel.program->entry())));
    return bound;
}

Result<void> check_own(const std::shared_ptr<Session::State>& session, const Kernel::State& kernel) {
    TRY(session->check_open());
    if (kernel.session.owner_before(session) || session.owner_before(kernel.session))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The kernel {} was prepared by another session.", kernel.program->entry()),
                    "prepare it in this one: each session has devices of its own");
    return {};
}

namespace {

/// The kernel on the device that shall run the dispatch, if the choice is Measured.
Result<Placement::Placed> placed(Session::State& session, const std::shared_ptr<const Kernel::State>& kernel,
                                 std::span<const Argument> arguments, const Grid& grid) {
    const Extent3 groups = TRY(groups_to_run(grid, *kernel->program));
    if (groups.count() == 0) return Placement::Placed{kernel};
    const BoundArguments bound = TRY(bind_arguments(*kernel, arguments, false));
    return kernel->placement->place(session, kernel, {*kernel->program, groups, bound});
}

bool doesnt_fit(ErrorCode code) {
    return code == ErrorCode::limit_exceeded || code == ErrorCode::out_of_memory;
}

/// `began` tells after an error if a part of the dispatch may run.
Result<Ticket> dispatch_on(const Kernel::State& kernel, std::span<const Argument> arguments, const Grid& grid,
                           bool& began) {
    const FoldedDispatch folded = TRY(fold(kernel, grid));
    const auto bound = bind_arguments(kernel, arguments, folded.parts.empty());
    if (!bound) return std::unexpected(bound.error());
    if (folded.parts.empty()) return Ticket(Timing{0});
    BoundLaunch launch{kernel.loaded.get(), *bound, folded, &kernel.program};
    if (const auto* const part = std::get_if<PartOfGrid>(&grid)) launch.guard = part->guard;
    UsedBuffers buffers;
    buffers.add(*bound);
    buffers.finish();
    return submit_launch(kernel.device, buffers, launch, began);
}

}  // namespace

Result<Ticket> Session::dispatch(const Kernel& kernel, std::span<const Argument> arguments,
                                 const Grid& grid) try {
    TRY(check_own(state_, *kernel.state()));
    const auto dispatched = [&](const Kernel::State& state, bool& began) {
        return during(
            [&] { return fmt::format("dispatching {} on {}", state.program->entry(), state.device->id()); },
            dispatch_on(state, arguments, grid, began));
    };
    Placement::Placed chosen;  // without a kernel unless the choice is Measured
    if (kernel.state()->placement) chosen = TRY(placed(*state_, kernel.state(), arguments, grid));
    const bool is_elsewhere = chosen.kernel && chosen.kernel != kernel.state();
    const Kernel::State& state = (is_elsewhere ? *chosen.kernel : *kernel.state()).latest();
    bool began = false;
    auto ticket = dispatched(state, began);
    if (ticket && chosen.expected_us > 0)
        kernel.state()->placement->watch(*state.device, chosen.expected_us, *ticket);
    // Estimates know no limits of devices: what doesn't fit elsewhere runs where the kernel was prepared.
    if (!ticket && !began && is_elsewhere && doesnt_fit(ticket.error().code))
        ticket = dispatched(kernel.state()->latest(), began);
    else if (!ticket && !began && is_to_move(*state_, state, ticket.error()))
        ticket = dispatched(*TRY(move_kernel(state_, state, ticket.error())), began);
    if (state_->closed) state_->close();  // closed during the call: close() may have missed this dispatch
    return ticket;
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<void> Session::place(const Kernel& kernel, std::span<const Argument> arguments) try {
    TRY(check_own(state_, *kernel.state()));
    const Kernel::State& state = kernel.state()->latest();
    const auto placed = [&]() -> Result<void> {
        const BoundArguments bound = TRY(bind_arguments(state, arguments, false));
        const BoundLaunch launch{state.loaded.get(), bound, TRY(fold(state, Workgroups{}))};
        UsedBuffers buffers;
        buffers.add(bound);
        buffers.finish();
        UsedBuffers::Locks locks;
        TRY(buffers.lock_for(*state.device, locks));
        return buffers.move_to(*state.device, {&launch, 1});
    };
    return during([&] { return fmt::format("placing the buffers of {}", state.program->entry()); }, placed());
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<BoundKernel> Session::bind(const Kernel& kernel, std::vector<Argument> arguments) try {
    TRY(check_own(state_, *kernel.state()));
    auto made =
        std::make_shared<BoundKernel::State>(BoundKernel::State{kernel.state(), std::move(arguments)});
    (void)TRY(bind_arguments(kernel.state()->latest(), made->arguments, false));
    return BoundKernel(std::move(made));
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Ticket> Session::dispatch(const BoundKernel& kernel, const Grid& grid) {
    return dispatch(Kernel(kernel.state()->kernel), kernel.state()->arguments, grid);
}

}  // namespace muster
