// Dispatch: bind, fold, submit, track.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/binding.hpp>
#include <muster/driver/buffer_state.hpp>
#include <muster/driver/session_state.hpp>
#include <muster/driver/ticket_state.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

/// The buffers of a dispatch, each locked once, in one order for all threads.
class LockedBuffers {
  public:
    explicit LockedBuffers(std::span<const BoundArgument> bound) {
        states_.reserve(bound.size());
        locks_.reserve(bound.size());
        for (const BoundArgument& argument : bound)
            if (const auto* range = std::get_if<BufferRange>(&argument.what))
                states_.push_back(range->buffer.state().get());
        std::ranges::sort(states_);
        states_.erase(std::unique(states_.begin(), states_.end()), states_.end());
        for (Buffer::State* state : states_) locks_.emplace_back(state->mutex);
    }
    void used_by(const std::shared_ptr<Ticket::State>& ticket) {
        for (Buffer::State* state : states_) state->last_use = ticket;
    }

    Buffer::State* busy_elsewhere(const OpenDevice& device) const {
        const auto found = std::ranges::find_if(states_, [&](const Buffer::State* state) {
            return state->last_use && state->memory && state->memory->device.get() != &device;
        });
        return found == states_.end() ? nullptr : *found;
    }
    void unlock() { locks_.clear(); }

  private:
    std::vector<Buffer::State*> states_;
    std::vector<std::unique_lock<std::mutex>> locks_;
};

/// Brings every argument to the device. What is bound is kept alive by `ticket`.
Result<std::vector<BoundMemory>> bring(OpenDevice& device, std::span<const BoundArgument> bound,
                                       Ticket::State& ticket) {
    std::vector<BoundMemory> memory;
    memory.reserve(bound.size());
    ticket.uses.reserve(bound.size() + 1);  // and the kernel
    for (const BoundArgument& argument : bound) {
        std::shared_ptr<ResidentMemory> resident;
        if (const auto* range = std::get_if<BufferRange>(&argument.what)) {
            resident = TRY(range->buffer.state()->on(device));
            memory.push_back({resident->memory.get(), range->offset, range->bytes});
        } else {
            const auto& value = *std::get<const ArgumentValue*>(argument.what);
            resident = TRY(device.scratch(value.bytes));
            memory.push_back({resident->memory.get(), 0, value.bytes.size()});
        }
        ticket.uses.push_back(std::move(resident));
    }
    return memory;
}

/// All of them locked, and none in use by another device: what must move here can. Waits for that with nothing
/// locked, so that a read of any of them keeps its own timeout.
Result<LockedBuffers> lock_buffers(const OpenDevice& device, std::span<const BoundArgument> bound) {
    for (;;) {
        LockedBuffers buffers(bound);
        Buffer::State* busy = buffers.busy_elsewhere(device);
        if (!busy) return buffers;
        buffers.unlock();
        std::unique_lock lock(busy->mutex);
        TRY(busy->idle(lock, default_timeout));
    }
}

Result<Ticket> dispatch_on(const Kernel::State& kernel, std::span<const Argument> arguments,
                           const Grid& grid) {
    OpenDevice& device = *kernel.device;
    if (auto why = device.lost()) return std::unexpected(*std::move(why));
    const Program& program = kernel.program;
    const DeviceLimits& limits = device.info().limits;
    const Extent3 groups = TRY(workgroups(grid, program.workgroup_size()));
    const auto parts = TRY(fold_grid(groups, limits.max_workgroups));
    const auto bound = TRY(during([&] { return fmt::format("binding arguments of {}", program.entry()); },
                                  bind_arguments(program, limits, arguments, parts.empty())));
    auto ticket = std::make_shared<Ticket::State>();
    if (parts.empty()) {
        ticket->outcome.emplace(Timing{});
        return Ticket(std::move(ticket));
    }
    ticket->device = kernel.device;
    TRY(device.make_room());
    LockedBuffers buffers = TRY(lock_buffers(device, bound));
    const auto memory = TRY(bring(device, bound, *ticket));
    ticket->uses.push_back(kernel.loaded);
    ticket->submissions.reserve(parts.size());
    Result<void> submitted;
    for (const GridPart& part : parts) {
        auto answer = device.submit({.executable = kernel.loaded->executable.get(),
                                     .bindings = memory,
                                     .origin = part.origin,
                                     .extent = part.extent,
                                     .grid = groups});
        if (!answer) {
            submitted = std::unexpected(std::move(answer).error());
            break;
        }
        ticket->add(*std::move(answer));
    }
    if (!ticket->submissions.empty()) {  // also where a later part failed: what runs must stay alive
        buffers.used_by(ticket);
        device.track(ticket);
    }
    TRY(std::move(submitted));
    if (ticket->submissions.empty()) ticket->outcome.emplace(ticket->ended_at_once);
    return Ticket(std::move(ticket));
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
