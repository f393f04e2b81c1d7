// Dispatch: bind, fold, submit, track.
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

/// The buffers of a dispatch, each once.
class UsedBuffers {
  public:
    explicit UsedBuffers(std::span<const BoundArgument> bound) {
        for (const BoundArgument& argument : bound)
            if (const auto* range = std::get_if<BoundRange>(&argument.what)) states_.push_back(range->buffer);
        if (states_.size() < 2) return;
        std::ranges::sort(states_);  // in one order for all threads, which lock them in this order
        states_.truncate(states_.size() - std::ranges::unique(states_).size());
    }
    std::size_t size() const { return states_.size(); }

    /// Afterwards all are locked, and none is in use by another device: what must move here can. Waits for that
    /// with nothing locked, so that a read of any of them keeps its own timeout.
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

    /// Precondition: locked, and the ticket has room for the memory of all of them, so that this can't fail.
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

/// A ticket's state, made before anything runs, so that nothing can fail once something does. Where all of it ends within
/// submit(), nobody needs the state: its thread keeps it for the next dispatch.
class TicketToBe {
  public:
    explicit TicketToBe(const DeviceContext& device) : spare_(spare()), state_(std::move(spare_)) {
        if (!state_)  // overwritten as its initialisers say
            state_ = std::allocate_shared_for_overwrite<Ticket::State>(device.tickets());
    }
    ~TicketToBe() {
        if (state_->device || state_->submissions.capacity() > 1) return;  // in flight; or large
        state_->ended_at_once = {};
        spare_ = std::move(state_);
    }
    TicketToBe(const TicketToBe&) = delete;
    TicketToBe& operator=(const TicketToBe&) = delete;
    const std::shared_ptr<Ticket::State>& state() const { return state_; }

  private:
    static std::shared_ptr<Ticket::State>& spare() {
        static PerThread<std::shared_ptr<Ticket::State>> kept;
        return kept.get();
    }
    std::shared_ptr<Ticket::State>& spare_;
    std::shared_ptr<Ticket::State> state_;
};

/// Brings every buffer to the device; the arguments in their order into `memory`.
Result<void> bring(DeviceContext& device, std::span<const BoundArgument> bound,
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

/// Submits part by part, into `ticket`. After an error, parts before it may be in flight.
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
    const TicketToBe to_be(device);
    const std::shared_ptr<Ticket::State>& ticket = to_be.state();
    InlineVector<BoundMemory, usual_bindings> memory;
    TRY(bring(device, *bound, memory));
    ticket->submissions.reserve(parts.size());  // all that is needed once something runs
    ticket->memory.reserve(buffers.size());
    auto submitted = submit(kernel, memory, groups, parts, *ticket);
    const bool runs = !ticket->submissions.empty();
    if (runs) {  // also where a later part failed: what runs must stay alive
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
    if (state_->closed) state_->close();  // closed meanwhile: that may have missed this dispatch
    return ticket;
}

}  // namespace muster
