// Session::dispatch: binds the arguments, folds the grid, submits the parts and tracks the ticket.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/session/binding.hpp>
#include <muster/driver/session/buffer_state.hpp>
#include <muster/driver/session/session_state.hpp>
#include <muster/driver/session/ticket_state.hpp>
#include <muster/driver/support/inline_vector.hpp>
#include <muster/driver/support/per_thread.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

/// The distinct buffers of a dispatch.
class UsedBuffers {
  public:
    explicit UsedBuffers(std::span<const BoundArgument> bound) {
        for (const BoundArgument& argument : bound)
            if (const auto* range = std::get_if<BoundRange>(&argument.what)) states_.push_back(range->buffer);
        if (states_.size() < 2) return;
        std::ranges::sort(states_);  // the lock order, the same in all threads
        states_.truncate(states_.size() - std::ranges::unique(states_).size());
    }
    std::size_t size() const { return states_.size(); }

    /// Locks all buffers once none is in use on another device, so that they can be moved to this one. Waits with no
    /// buffer locked, so that a concurrent read of one keeps its own timeout.
    Result<void> lock_for(const DeviceContext& device) {
        for (;;) {
            for (Buffer::State* state : states_) locks_.push_back(std::unique_lock(state->mutex));
            Buffer::State* busy = busy_elsewhere(device);
            if (!busy) return {};
            locks_.clear();
            std::unique_lock lock(busy->mutex);
            TRY(busy->idle(lock, default_timeout));
        }
    }

    /// Records the ticket as the buffers' last use. Can't fail: precondition: locked, and ticket->memory has the
    /// capacity.
    void used_by(const std::shared_ptr<Ticket::State>& ticket) {
        for (Buffer::State* state : states_) {
            ticket->memory.push_back(state->memory);
            state->last_use = ticket;
        }
    }

  private:
    Buffer::State* busy_elsewhere(const DeviceContext& device) const {
        for (Buffer::State* state : states_)
            if (state->last_use && state->memory && &state->memory->device() != &device) return state;
        return nullptr;
    }

    InlineVector<Buffer::State*, usual_bindings> states_;
    InlineVector<std::unique_lock<std::mutex>, usual_bindings> locks_;
};

/// A ticket's state, allocated before anything runs, so that no allocation can fail afterwards. If all parts end within
/// submit(), the ticket doesn't need the state, and the thread keeps it for its next dispatch.
class PendingTicket {
  public:
    explicit PendingTicket(const DeviceContext& device) : spare_(spare()), state_(std::move(spare_)) {
        if (!state_)  // the member initialisers still apply
            state_ = std::allocate_shared_for_overwrite<Ticket::State>(device.tickets());
    }
    ~PendingTicket() {
        if (state_->device || state_->submissions.capacity() > 1) return;  // in flight, or too large to keep
        state_->ended_at_once = {};
        spare_ = std::move(state_);
    }
    PendingTicket(const PendingTicket&) = delete;
    PendingTicket& operator=(const PendingTicket&) = delete;
    const std::shared_ptr<Ticket::State>& state() const { return state_; }

  private:
    static std::shared_ptr<Ticket::State>& spare() {
        static PerThread<std::shared_ptr<Ticket::State>> kept;
        return kept.get();
    }
    std::shared_ptr<Ticket::State>& spare_;
    std::shared_ptr<Ticket::State> state_;
};

/// Moves every buffer to the device, and appends the arguments to `memory` in their order.
Result<void> make_resident(DeviceContext& device, std::span<const BoundArgument> bound,
                           InlineVector<BoundMemory, usual_bindings>& memory) {
    for (const BoundArgument& argument : bound) {
        if (const auto* range = std::get_if<BoundRange>(&argument.what)) {
            memory.push_back(
                {.memory = TRY(range->buffer->on(device)), .offset = range->offset, .bytes = range->bytes});
        } else {
            const auto& value = *std::get<const ArgumentValue*>(argument.what);
            memory.push_back({.bytes = value.bytes.size(), .value = value.bytes.data()});
        }
    }
    return {};
}

/// Submits the parts one by one, and adds them to `ticket`. After an error, earlier parts may be in flight.
Result<void> submit(const Kernel::State& kernel, std::span<const BoundMemory> memory, Extent3 groups,
                    const FoldedGrid& parts, Ticket::State& ticket) {
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
        const GridPart part = parts[i];
        auto answer = kernel.device->submit(
            *kernel.loaded,
            {.bindings = memory, .origin = part.origin, .extent = part.extent, .grid = groups});
        if (!answer) return std::unexpected(std::move(answer).error());
        ticket.add(*std::move(answer));
    }
    return {};
}

Result<Ticket> dispatch_on(const Kernel::State& kernel, std::span<const Argument> arguments,
                           const Grid& grid) {
    DeviceContext& device = *kernel.device;
    if (auto why = device.lost()) return std::unexpected(*std::move(why));
    const Extent3 groups = TRY(workgroups(grid, kernel.program->workgroup_size()));
    const bool is_folded = kernel.loaded->split == nullptr;
    const auto parts = TRY(fold_grid(groups, is_folded ? device.info().limits.max_workgroups : groups));
    const auto bound = kernel.bindings.bind(arguments, parts.empty());
    if (!bound)
        return std::unexpected(
            Error(bound.error()).during(fmt::format("binding arguments of {}", kernel.program->entry())));
    if (parts.empty()) return Ticket(Timing{});
    TRY(device.make_room());
    UsedBuffers buffers(*bound);
    TRY(buffers.lock_for(device));
    const PendingTicket to_be(device);
    const std::shared_ptr<Ticket::State>& ticket = to_be.state();
    InlineVector<BoundMemory, usual_bindings> memory;
    TRY(make_resident(device, *bound, memory));
    ticket->submissions.reserve(parts.size());  // so that nothing is allocated once a part runs
    ticket->memory.reserve(buffers.size());
    auto submitted = submit(kernel, memory, groups, parts, *ticket);
    const bool runs = !ticket->submissions.empty();
    if (runs) {  // even if a later part failed: memory of running parts must stay alive
        ticket->device = kernel.device;
        buffers.used_by(ticket);
        device.track(ticket);
    }
    TRY(std::move(submitted));
    return runs ? Ticket(ticket) : Ticket(ticket->ended_at_once);
}

}  // namespace

Result<Ticket> Session::dispatch(const Kernel& kernel, std::span<const Argument> arguments,
                                 const Grid& grid) {
    if (state_->closed) return fail(ErrorCode::refused, "The session is closed.", "open a new one");
    const Kernel::State& state = *kernel.state();
    if (state.session.owner_before(state_) || state_.owner_before(state.session))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The kernel {} was prepared by another session.", state.program->entry()),
                    "prepare it in this one: each session has devices of its own");
    auto ticket = during(
        [&] { return fmt::format("dispatching {} on {}", state.program->entry(), state.device->id()); },
        dispatch_on(state, arguments, grid));
    if (state_->closed) state_->close();  // closed during the call: close() may have missed this dispatch
    return ticket;
}

}  // namespace muster
