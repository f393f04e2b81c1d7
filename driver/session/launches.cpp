#include <utility>

#include <fmt/format.h>

#include <muster/driver/session/launches.hpp>
#include <muster/driver/session/ticket_state.hpp>
#include <muster/driver/session/validate_launch.hpp>
#include <muster/driver/support/per_thread.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

Result<void> UsedBuffers::lock_for(const DeviceContext& device, Locks& locks) const {
    for (;;) {
        for (Buffer::State* state : states_) locks.push_back(std::unique_lock(state->mutex));
        Buffer::State* busy = busy_elsewhere(device);
        if (!busy) return {};
        locks.clear();
        std::unique_lock lock(busy->mutex);
        TRY(busy->idle(lock, default_timeout));
    }
}

namespace {

/// The error of a buffer that can't be moved to the device, with the name of its binding.
[[gnu::noinline]] Error not_moved(Error why, const Buffer::State* buffer, const DeviceContext& device,
                                  std::span<const BoundLaunch> launches) {
    for (const BoundLaunch& launch : launches)
        for (const BoundArgument& argument : launch.arguments)
            if (const auto* range = std::get_if<BoundRange>(&argument.what); range && range->buffer == buffer)
                return std::move(why).during(
                    fmt::format("moving the buffer of \"{}\" to {}", argument.variable->name, device.id()));
    return why;
}

}  // namespace

Result<void> UsedBuffers::move_to(DeviceContext& device, std::span<const BoundLaunch> launches) const {
    for (Buffer::State* state : states_)
        if (auto there = state->on(device); !there)
            return std::unexpected(not_moved(std::move(there).error(), state, device, launches));
    return {};
}

void UsedBuffers::used_by(const std::shared_ptr<Ticket::State>& ticket) const {
    for (Buffer::State* state : states_) {
        ticket->memory.push_back(state->memory);
        state->last_use = ticket;
    }
}

Buffer::State* UsedBuffers::busy_elsewhere(const DeviceContext& device) const {
    for (Buffer::State* state : states_)
        if (state->last_use && state->memory && &state->memory->device() != &device &&
            !state->is_on_lost_device())
            return state;
    return nullptr;
}

namespace {

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

/// The arguments in their order. Precondition: the buffers are on the launch's device.
InlineVector<BoundMemory, usual_bindings> memory_of(std::span<const BoundArgument> bound) {
    InlineVector<BoundMemory, usual_bindings> memory;
    memory.reserve(bound.size());
    for (const BoundArgument& argument : bound) {
        if (const auto* range = std::get_if<BoundRange>(&argument.what)) {
            memory.push_back(
                {.memory = &range->buffer->memory->memory(), .offset = range->offset, .bytes = range->bytes});
        } else {
            const auto& value = *std::get<const ArgumentValue*>(argument.what);
            memory.push_back({.bytes = value.bytes.size(), .value = value.bytes.data()});
        }
    }
    return memory;
}

/// Called once a launch has begun, even if a later one failed: the hosts' copies of what is written are out of date.
void mark_written(std::span<const BoundLaunch> launches) {
    for (const BoundLaunch& launch : launches)
        for (const BoundArgument& argument : launch.arguments)
            if (const auto* range = std::get_if<BoundRange>(&argument.what);
                range && argument.variable->is_written)
                range->buffer->written_by_kernel();
}

/// Submits the parts one by one, and adds them to `ticket`. After an error, earlier parts may be in flight.
Result<void> submit(DeviceContext& device, const BoundLaunch& launch, Ticket::State& ticket, bool& began) {
    const auto memory = memory_of(launch.arguments);
    for (std::uint32_t i = 0; i < launch.grid.parts.size(); ++i) {
        const GridPart part = launch.grid.parts[i];
        auto answer = device.submit(
            *launch.loaded,
            {.bindings = memory, .origin = part.origin, .extent = part.extent, .grid = launch.grid.groups});
        if (!answer) return std::unexpected(std::move(answer).error());
        began = true;
        ticket.add(*std::move(answer));
    }
    return {};
}

/// Kept apart from submit(), which every dispatch runs.
[[gnu::noinline]] Result<void> validate_and_submit(DeviceContext& device, const BoundLaunch& launch,
                                                   Ticket::State& ticket, bool& began) {
    if (launch.program) TRY(validate_launch(device, launch, ticket));
    return submit(device, launch, ticket, began);
}

Result<void> submit(DeviceContext& device, std::span<const BoundLaunch> launches, Ticket::State& ticket,
                    bool& began) {
    for (const BoundLaunch& launch : launches) {
        auto submitted = device.validator() ? validate_and_submit(device, launch, ticket, began)
                                            : submit(device, launch, ticket, began);
        if (submitted) continue;
        if (launches.size() == 1) return submitted;
        return std::unexpected(
            std::move(submitted).error().during(fmt::format("submitting step {}", launch.step)));
    }
    return {};
}

std::size_t parts_of(std::span<const BoundLaunch> launches) {
    std::size_t parts = 0;
    for (const BoundLaunch& launch : launches) parts += launch.grid.parts.size();
    return parts;
}

}  // namespace

Result<Ticket> submit_launches(const std::shared_ptr<DeviceContext>& device, const UsedBuffers& buffers,
                               std::span<const BoundLaunch> launches, bool* began) {
    TRY(device->make_room());
    UsedBuffers::Locks locks;
    TRY(buffers.lock_for(*device, locks));
    TRY(buffers.move_to(*device, launches));
    const PendingTicket to_be(*device);
    const std::shared_ptr<Ticket::State>& ticket = to_be.state();
    ticket->submissions.reserve(parts_of(launches));  // so that nothing is allocated once a part runs
    ticket->memory.reserve(buffers.size());
    bool has_begun = false;
    auto submitted = submit(*device, launches, *ticket, has_begun);
    if (began) *began = has_begun;
    if (has_begun && device->keeps_host_copies()) mark_written(launches);
    const bool runs = !ticket->submissions.empty();
    if (runs) {  // even if a later part failed: memory of running parts must stay alive
        ticket->device = device;
        buffers.used_by(ticket);
        device->track(ticket);
    }
    TRY(std::move(submitted));
    return runs ? Ticket(ticket) : Ticket(ticket->ended_at_once);
}

}  // namespace muster
