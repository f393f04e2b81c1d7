// Sequences, and copies and fills, which are sequences of one step.
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/device/launches.hpp>
#include <muster/driver/session/copies.hpp>
#include <muster/driver/session/failures.hpp>
#include <muster/driver/session/sequence.hpp>
#include <muster/driver/session/session_state.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

struct RecordedDispatch {
    std::shared_ptr<const Kernel::State> kernel;
    Grid grid;
    std::vector<Argument> arguments;
};

/// A recorded dispatch, bound and folded for the device that its kernel is on.
struct PreparedDispatch {
    FoldedDispatch grid;
    BoundArguments bound;  // points into the recorded arguments, whose elements stay where they are
};

/// Dispatches of one kernel with the same arguments, one after the other, whose grids need no folding.
struct BoundRun {
    std::shared_ptr<const BoundKernel::State> bound;
    const Kernel::State* folded_for = nullptr;
    Extent3 plain;  // the most workgroups of a grid that surely is in one part, and within all limits
    std::vector<Extent3> grids;  // each within it, and not empty
};

/// See BoundRun::plain.
Extent3 plain_grid(const Kernel::State& kernel) {
    if (kernel.loaded->split) return {0, 0, 0};  // it isn't folded
    constexpr std::uint32_t most = 1 << 16;
    const auto axis = [](std::uint32_t limit, std::uint32_t size) {
        return std::min({limit, most, UINT32_MAX / std::max(size, 1u)});
    };
    const Extent3 limit = kernel.device->info().limits.max_workgroups,
                  size = kernel.program->workgroup_size();
    return {axis(limit.x, size.x), axis(limit.y, size.y), axis(limit.z, size.z)};
}

using Step = std::variant<RecordedDispatch, CopyTransfer, BoundRun>;

/// The kernel that a step dispatches; null for a transfer.
const Kernel::State* kernel_of(const Step& step) {
    if (const auto* dispatch = std::get_if<RecordedDispatch>(&step)) return dispatch->kernel.get();
    if (const auto* run = std::get_if<BoundRun>(&step)) return run->bound->kernel.get();
    return nullptr;
}

}  // namespace

struct Sequence::State {
    std::weak_ptr<Session::State> session;
    std::deque<Step> steps;  // a deque: launches refer to what the steps hold
    std::size_t count = 0;   // of steps, each dispatch of a run being one

    /// The steps as launches on one device.
    struct Prepared {
        std::shared_ptr<DeviceContext> device;
        std::size_t steps = 0;
        std::vector<TransferLaunches> transfers;
        std::deque<PreparedDispatch> dispatches;
        std::vector<BoundLaunch> launches;
        UsedBuffers buffers;
        std::optional<PreparedLaunches> in_a_row;  // made of `launches`
    };
    std::mutex mutex;
    std::shared_ptr<Prepared> prepared;  // guarded by `mutex`, `in_a_row` by the locks of the buffers

    Result<std::shared_ptr<Session::State>> open_session() const;
    /// The device of the kernels, where the first one is now; null without any.
    std::shared_ptr<DeviceContext> kernels_device() const;
    Result<const Kernel::State*> addable(const Kernel::State& kernel) const;
    Result<std::shared_ptr<Prepared>> prepare(const std::shared_ptr<Session::State>& in);
    Result<Ticket> submit(const std::shared_ptr<Session::State>& in, bool& began);
    /// Moves the kernels to another device because of the error, if the policy says so. Errors: this one.
    Result<void> leave_device(const std::shared_ptr<Session::State>& in, const Error& why);
};

Result<std::shared_ptr<Session::State>> Sequence::State::open_session() const {
    auto found = session.lock();
    if (!found || found->closed)
        return fail(ErrorCode::refused, "The session of the sequence is closed.", "open a new one");
    TRY(found->check_own_process());
    return found;
}

Sequence Session::sequence() {
    auto state = std::make_shared<Sequence::State>();
    state->session = state_;
    return Sequence(std::move(state));
}

std::size_t Sequence::size() const { return state_->count; }

std::shared_ptr<DeviceContext> Sequence::State::kernels_device() const {
    for (const Step& step : steps)
        if (const Kernel::State* kernel = kernel_of(step)) return kernel->latest().device;
    return nullptr;
}

namespace {

/// The dispatch for the device of `kernel`, the recorded one or one that it moved to.
Result<PreparedDispatch> prepared_for(const Kernel::State& kernel, const RecordedDispatch& recorded) {
    const FoldedDispatch folded = TRY(fold(kernel, recorded.grid));
    return PreparedDispatch{folded, TRY(bind_arguments(kernel, recorded.arguments, folded.parts.empty()))};
}

}  // namespace

/// The kernel where it is now, once it may be added to the sequence.
Result<const Kernel::State*> Sequence::State::addable(const Kernel::State& kernel) const {
    const auto in = TRY(open_session());
    TRY(check_own(in, kernel));
    if (auto why = kernel.latest().device->lost(); why && in->on_failure() != OnFailure::fail)
        (void)TRY(move_kernel(in, kernel.latest(), *why));
    const Kernel::State& own = kernel.latest();
    if (const auto before = kernels_device(); before && before != own.device)
        return fail(ErrorCode::conflict,
                    fmt::format("The kernel {} is on {}, those before it in the sequence are on {}.",
                                own.program->entry(), own.device->id(), before->id()),
                    "record a sequence for each device, or allow one backend only (Policy::backends)");
    return &own;
}

Result<void> Sequence::dispatch(const Kernel& kernel, std::span<const Argument> arguments,
                                const Grid& grid) try {
    const Kernel::State* own = TRY(state_->addable(*kernel.state()));
    RecordedDispatch recorded{kernel.state(), grid, {arguments.begin(), arguments.end()}};
    (void)TRY(during("recording a sequence", prepared_for(*own, recorded)));
    state_->steps.emplace_back(std::move(recorded));
    ++state_->count;
    return {};
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<void> Sequence::dispatch(const BoundKernel& kernel, const Grid& grid) try {
    const BoundKernel::State& bound = *kernel.state();
    BoundRun* run = state_->steps.empty() ? nullptr : std::get_if<BoundRun>(&state_->steps.back());
    const Kernel::State* own = &bound.kernel->latest();
    const bool goes_on = run && run->bound == kernel.state() && run->folded_for == own;
    if (!goes_on) own = TRY(state_->addable(*bound.kernel));
    const Extent3 plain = goes_on ? run->plain : plain_grid(*own);
    const auto within = [](std::uint64_t groups, std::uint32_t most) {
        return groups - 1 < most;
    };  // and not 0
    const auto* groups = std::get_if<Workgroups>(&grid);
    if (!groups || !within(groups->x, plain.x) || !within(groups->y, plain.y) || !within(groups->z, plain.z))
        return dispatch(Kernel(bound.kernel), bound.arguments, grid);
    if (!goes_on)
        run = &std::get<BoundRun>(state_->steps.emplace_back(BoundRun{kernel.state(), own, plain, {}}));
    run->grids.push_back({static_cast<std::uint32_t>(groups->x), static_cast<std::uint32_t>(groups->y),
                          static_cast<std::uint32_t>(groups->z)});
    ++state_->count;
    return {};
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<void> Sequence::copy(const BufferRange& from, const BufferRange& to) try {
    state_->steps.emplace_back(TRY(during("recording a sequence", CopyTransfer::copy(from, to))));
    ++state_->count;
    return {};
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<void> Sequence::fill(const BufferRange& what, std::uint32_t word) try {
    state_->steps.emplace_back(TRY(during("recording a sequence", CopyTransfer::fill(what, word))));
    ++state_->count;
    return {};
} catch (const std::bad_alloc&) {
    return no_memory();
}

namespace {

/// The device for a transfer without kernels: one that holds a range, or the best for
/// the transfer's own kernel.
Result<std::shared_ptr<DeviceContext>> device_for(Session::State& session, const CopyTransfer& transfer) {
    if (auto holder = transfer.device(); holder && !holder->lost()) return holder;
    for (;;) {
        // A device that compiles nothing may transfer by itself.
        routing::RouteOptions options;
        options.no_code = [](std::string_view, const DeviceInfo&) { return std::nullopt; };
        const Route route = session.cached_route(*transfer.program(), options);
        const Execute* where = route.execute();
        if (!where) return fail(ErrorCode::refused, route.explain(), "make a device available");
        auto device = session.device(*where);
        if (device && !(*device)->lost()) return device;
        session.forget_routes();
    }
}

}  // namespace

namespace {

/// The state of a recorded kernel on the sequence's device, to which an earlier kernel may have moved.
Result<const Kernel::State*> kernel_on(const DeviceContext& device, const Kernel::State& recorded,
                                       const std::shared_ptr<Session::State>& session) {
    const Kernel::State* now = &recorded.latest();
    if (now->device.get() != &device && session->on_failure() != OnFailure::fail) {
        const Error why{ErrorCode::device_lost,
                        fmt::format("Another kernel of its sequence has left {}.", now->device->id()),
                        {},
                        {}};
        now = TRY(move_kernel(session, *now, now->device->lost().value_or(why))).get();
    }
    if (now->device.get() == &device) return now;
    return fail(ErrorCode::conflict,
                fmt::format("The kernel {} is now on {}, those before it in the sequence are on {}.",
                            now->program->entry(), now->device->id(), device.id()),
                "record a sequence for each device");
}

}  // namespace

/// Makes the launches once all is recorded. Kernels that copy and fill are compiled for the device
/// that the sequence runs on.
Result<std::shared_ptr<Sequence::State::Prepared>> Sequence::State::prepare(
    const std::shared_ptr<Session::State>& in) {
    const std::lock_guard lock(mutex);
    const auto device = kernels_device();  // transfers alone run wherever a device works
    const bool is_there = prepared && (device ? prepared->device == device : !prepared->device->is_lost());
    if (is_there && prepared->steps == count) return prepared;
    auto made = std::make_shared<Prepared>();
    made->steps = count;
    made->device = device ? device : TRY(device_for(*in, std::get<CopyTransfer>(steps.front())));
    std::size_t number = 0;  // of the step
    for (const Step& step : steps) {
        const std::size_t first = made->launches.size();
        const auto what = [&] { return fmt::format("preparing step {}", number); };
        if (const auto* run = std::get_if<BoundRun>(&step)) {
            const Kernel::State* kernel =
                TRY(during(what, kernel_on(*made->device, *run->bound->kernel, in)));
            const auto folded = [&](const Extent3& grid) {
                return during(what, fold(*kernel, Workgroups{grid.x, grid.y, grid.z}));
            };
            const PreparedDispatch& all = made->dispatches.emplace_back(
                PreparedDispatch{TRY(folded(run->grids.front())),
                                 TRY(during(what, bind_arguments(*kernel, run->bound->arguments, false)))});
            const std::span<const Extent3> grids(run->grids);
            if (kernel == run->folded_for) {
                made->launches.push_back(
                    {kernel->loaded.get(), all.bound, all.grid, &kernel->program, number, grids.subspan(1)});
                number += grids.size();
            } else {
                for (const Extent3& grid : grids)
                    made->launches.push_back(
                        {kernel->loaded.get(), all.bound, TRY(folded(grid)), &kernel->program, number++});
            }
            made->buffers.add(all.bound);
            continue;
        }
        if (const auto* transfer = std::get_if<CopyTransfer>(&step)) {
            made->transfers.push_back(
                TRY(during(what, TransferLaunches::make(*in, *made->device, *transfer))));
            made->transfers.back().append_to(made->launches);
        } else {
            const auto& recorded = std::get<RecordedDispatch>(step);
            const Kernel::State* kernel = TRY(during(what, kernel_on(*made->device, *recorded.kernel, in)));
            const PreparedDispatch& dispatch =
                made->dispatches.emplace_back(TRY(during(what, prepared_for(*kernel, recorded))));
            made->launches.push_back({kernel->loaded.get(), dispatch.bound, dispatch.grid, &kernel->program});
        }
        for (std::size_t k = first; k < made->launches.size(); ++k) {
            made->launches[k].step = number;
            made->buffers.add(made->launches[k].arguments);
        }
        ++number;
    }
    made->buffers.finish();
    made->in_a_row.emplace(made->launches);
    prepared = made;
    return prepared;
}

Result<Ticket> Sequence::State::submit(const std::shared_ptr<Session::State>& in, bool& began) {
    const auto ready = TRY(prepare(in));
    return during([&] { return fmt::format("running a sequence on {}", ready->device->id()); },
                  submit_launches(ready->device, ready->buffers, ready->launches, *ready->in_a_row, began));
}

Result<void> Sequence::State::leave_device(const std::shared_ptr<Session::State>& in, const Error& why) {
    const bool is_lost = why.code == ErrorCode::device_lost;
    for (const Step& step : steps) {
        const Kernel::State* const kernel = kernel_of(step);
        if (!kernel) continue;
        const Kernel::State& first = kernel->latest();
        if (is_lost && !first.device->is_lost() && in->on_failure() != OnFailure::fail)
            return {};  // it has moved already
        if (!is_to_move(*in, first, why)) return std::unexpected(why);
        (void)TRY(move_kernel(in, first, why));
        return {};  // prepare() moves the others
    }
    if (!is_lost || in->on_failure() == OnFailure::fail) return std::unexpected(why);
    return {};
}

Result<Ticket> Sequence::submit() const try {
    const auto session = TRY(state_->open_session());
    if (state_->steps.empty()) return Ticket(Timing{0});
    bool began = false;
    auto ticket = state_->submit(session, began);
    if (!ticket && !began && state_->leave_device(session, ticket.error()))
        ticket = state_->submit(session, began);
    if (session->closed) session->close();  // closed during the call: close() may have missed it
    return ticket;
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Ticket> Session::copy(const BufferRange& from, const BufferRange& to) try {
    Sequence one = sequence();
    TRY(one.copy(from, to));
    return one.submit();
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Ticket> Session::fill(const BufferRange& what, std::uint32_t word) try {
    Sequence one = sequence();
    TRY(one.fill(what, word));
    return one.submit();
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Snapshot> Session::snapshot(const BufferRange& range) try {
    const std::uint64_t bytes =
        range.bytes != 0 ? range.bytes : range.buffer.bytes() - std::min(range.offset, range.buffer.bytes());
    Buffer copy = TRY(buffer(bytes, range.buffer.element_type()));
    if (bytes == 0) return Snapshot{std::move(copy), Ticket(Timing{0})};
    Ticket ready = TRY(this->copy(range, {copy}));
    return Snapshot{std::move(copy), std::move(ready)};
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Ticket> Session::dispatch(const Kernel& kernel, std::span<const Argument> arguments,
                                 const GridInBuffer& grid) try {
    std::array<std::uint32_t, 3> groups{};
    TRY(during("reading the grid of a dispatch",
               grid.buffer.read_bytes(std::as_writable_bytes(std::span(groups)), grid.offset)));
    return dispatch(kernel, arguments, Workgroups{groups[0], groups[1], groups[2]});
} catch (const std::bad_alloc&) {
    return no_memory();
}

}  // namespace muster
