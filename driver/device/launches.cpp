#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/device/launches.hpp>
#include <muster/driver/device/ticket_state.hpp>
#include <muster/driver/device/validate_launch.hpp>
#include <muster/driver/platform/per_thread.hpp>
#include <muster/foundation/base/round_up.hpp>
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

std::uint64_t UsedBuffers::moves() const {
    std::uint64_t sum = 0;
    for (const Buffer::State* state : states_) sum += state->moves;
    return sum;
}

Buffer::State* UsedBuffers::busy_elsewhere(const DeviceContext& device) const {
    for (Buffer::State* state : states_)
        if (state->last_use && state->memory && &state->memory->device() != &device &&
            !state->is_on_lost_device())
            return state;
    return nullptr;
}

namespace {

/// A ticket's state, allocated before anything runs, so that no allocation can fail afterwards. If all parts
/// end within submit(), the ticket doesn't need the state, and the thread keeps it for its next dispatch.
class PendingTicket {
  public:
    explicit PendingTicket(const DeviceContext& device) : spare_(spare()), state_(std::move(spare_)) {
        if (!state_)  // the member initialisers still apply
            state_ = std::allocate_shared_for_overwrite<Ticket::State>(device.tickets());
    }
    ~PendingTicket() {
        if (state_->device || state_->submissions.capacity() > 1) return;  // in flight, or too large to keep
        state_->traced.clear();
        state_->ended_at_once = {0};
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

/// An argument as the device takes it. Precondition: a buffer is on the launch's device.
BoundMemory memory_of(const BoundArgument& argument) {
    if (const auto* range = std::get_if<BoundRange>(&argument.what))
        return {.memory = &range->buffer->memory->memory(), .offset = range->offset, .bytes = range->bytes};
    const auto& value = *std::get<const ArgumentValue*>(argument.what);
    return {.bytes = value.bytes.size(), .value = value.bytes.data()};
}

const Executable* executable_of(const LoadedProgram* loaded) {
    return loaded ? loaded->latest().executable.get() : nullptr;
}

/// Submits what is bound to a program, or without one a transfer.
Result<Submitted> submit_to(DeviceContext& device, const LoadedProgram* loaded, const Launch& launch) {
    if (loaded) [[likely]]
        return device.submit(*loaded, launch);
    const BoundMemory &word = launch.bindings.front(), &from = launch.bindings[1],
                      &to = launch.bindings.back();
    MemoryTransfer transfer{.to = to.memory, .to_offset = to.offset, .bytes = to.bytes};
    std::memcpy(&transfer.word, word.value, sizeof transfer.word);
    if (&from != &to) transfer.from = from.memory, transfer.from_offset = from.offset;
    return device.transfer(transfer);
}

/// Likewise, with a span in the trace, and a line on the device.
[[gnu::noinline]] Result<void> submit_recorded(DeviceContext& device, const LoadedProgram* loaded,
                                               const Launch& launch, Ticket::State& ticket, bool& began) {
    const bool is_fill = &launch.bindings[1] == &launch.bindings.back();
    const std::string_view what = loaded    ? std::string_view(loaded->artifact.entry)
                                  : is_fill ? "fill"
                                            : "copy";
    const trace::Span span(trace::Stage::submit, what, device.id());
    const trace::Work work = trace::follow(what, device.id());
    auto answer = submit_to(device, loaded, launch);
    if (!answer) return std::unexpected(std::move(answer).error());
    began = true;
    ticket.add_traced(*std::move(answer), work);
    return {};
}

/// Submits, and adds what is submitted to the ticket.
Result<void> submit_under(Ticket::State& ticket, DeviceContext& device, const LoadedProgram* loaded,
                          const Launch& launch, bool& began) {
    if (trace::is_recording()) [[unlikely]]
        return submit_recorded(device, loaded, launch, ticket, began);
    auto answer = submit_to(device, loaded, launch);
    if (!answer) return std::unexpected(std::move(answer).error());
    began = true;
    ticket.add(*std::move(answer));
    return {};
}

/// Called once a launch has begun, even if a later one failed: the hosts' copies of what is
/// written are out of date.
void mark_written(std::span<const BoundLaunch> launches) {
    for (const BoundLaunch& launch : launches)
        for (const BoundArgument& argument : launch.arguments)
            if (const auto* range = std::get_if<BoundRange>(&argument.what);
                range && argument.variable->is_written)
                range->buffer->written_by_kernel();
}

/// Submits the parts one by one, and adds them to `ticket`. After an error, earlier parts may be in flight.
Result<void> submit(DeviceContext& device, const BoundLaunch& launch, Ticket::State& ticket, bool& began) {
    InlineVector<BoundMemory, usual_bindings> memory;
    memory.reserve(launch.arguments.size());
    for (const BoundArgument& argument : launch.arguments) memory.push_back(memory_of(argument));
    for (std::uint32_t i = 0; i < launch.grid.parts.size(); ++i) {
        const GridPart part = launch.grid.parts[i];
        TRY(submit_under(ticket, device, launch.loaded,
                         {.executable = executable_of(launch.loaded),
                          .bindings = memory,
                          .origin = part.origin,
                          .extent = part.extent,
                          .grid = launch.grid.groups},
                         began));
    }
    return {};
}

Error at_step(Error why, std::size_t step) {
    return std::move(why).during(fmt::format("submitting step {}", step));
}

/// Submits launches, each once it is validated. Kept apart from what every dispatch runs.
[[gnu::noinline]] Result<void> validate_and_submit(DeviceContext& device,
                                                   std::span<const BoundLaunch> launches,
                                                   Ticket::State& ticket, bool& began) {
    const auto one = [&](const BoundLaunch& launch) {
        Result<void> submitted = launch.program ? validate_launch(device, launch, ticket) : Result<void>();
        if (submitted) submitted = submit(device, launch, ticket, began);
        return submitted;
    };
    for (const BoundLaunch& launch : launches)
        for (std::size_t i = 0; i <= launch.more.size(); ++i) {
            BoundLaunch each = launch;
            if (i > 0)
                each.grid = {launch.more[i - 1],
                             {{{0, 0, 0}, launch.more[i - 1]}, launch.more[i - 1], {1, 1, 1}}};
            auto submitted = one(each);
            if (submitted) continue;
            if (launches.size() == 1 && launch.more.empty()) return submitted;
            return std::unexpected(at_step(std::move(submitted).error(), launch.step + i));
        }
    return {};
}

/// Submits what `submit_all` adds to a ticket, at most `parts` submissions.
template <class SubmitAll>
Result<Ticket> under_one_ticket(const std::shared_ptr<DeviceContext>& device, const UsedBuffers& buffers,
                                std::span<const BoundLaunch> launches, std::size_t parts, bool& began,
                                SubmitAll&& submit_all) {
    TRY(device->make_room());
    UsedBuffers::Locks locks;
    TRY(buffers.lock_for(*device, locks));
    TRY(buffers.move_to(*device, launches));
    const PendingTicket to_be(*device);
    const std::shared_ptr<Ticket::State>& ticket = to_be.state();
    ticket->submissions.reserve(parts);  // so that nothing is allocated once a part runs
    ticket->memory.reserve(buffers.size());
    Result<void> submitted =
        device->validator() ? validate_and_submit(*device, launches, *ticket, began) : submit_all(*ticket);
    if (began && device->keeps_host_copies()) mark_written(launches);
    const bool runs = !ticket->submissions.empty();
    if (runs) {  // even if a later part failed: memory of running parts must stay alive
        ticket->device = device;
        buffers.used_by(ticket);
        device->track(ticket);
    }
    TRY(std::move(submitted));
    return runs ? Ticket(ticket) : Ticket(ticket->ended_at_once);
}

/// The bytes that a value takes beside others, so that each is aligned.
std::size_t bytes_in_a_row(const ArgumentValue& value) { return round_up(value.bytes.size(), 16); }

}  // namespace

PreparedLaunches::PreparedLaunches(std::span<const BoundLaunch> launches) {
    std::size_t parts = 0, bindings = 0, bytes = 0;
    const BoundArgument* last = nullptr;
    for (const BoundLaunch& launch : launches) {
        parts += launch.grid.parts.size();
        size_ += launch.grid.parts.size() + launch.more.size();
        if (std::exchange(last, launch.arguments.data()) == launch.arguments.data()) continue;
        bindings += launch.arguments.size();
        for (const BoundArgument& argument : launch.arguments)
            if (const auto* value = std::get_if<const ArgumentValue*>(&argument.what))
                bytes += bytes_in_a_row(**value);
    }
    parts_.reserve(parts);
    memory_.reserve(bindings);
    buffers_.reserve(bindings);
    values_.reserve(bytes);
    is_one_step_ = launches.size() == 1 && launches.front().more.empty();
    for (const BoundLaunch& launch : launches) add(launch);
}

void PreparedLaunches::add(const BoundLaunch& launch) {
    // Launches with the arguments of the one before share them.
    const bool is_same = std::exchange(last_arguments_, launch.arguments.data()) == launch.arguments.data();
    const std::size_t first = memory_.size() - (is_same ? launch.arguments.size() : 0);
    for (const BoundArgument& argument : is_same ? std::span<const BoundArgument>() : launch.arguments) {
        if (const auto* range = std::get_if<BoundRange>(&argument.what)) {
            memory_.push_back({.offset = range->offset, .bytes = range->bytes});
            buffers_.push_back(range->buffer);
            continue;
        }
        const auto& value = *std::get<const ArgumentValue*>(argument.what);
        const std::size_t at = values_.size();
        values_.resize(at + bytes_in_a_row(value));
        std::ranges::copy(value.bytes, values_.data() + at);
        memory_.push_back({.bytes = value.bytes.size(), .value = values_.data() + at});
        buffers_.push_back(nullptr);
    }
    for (std::uint32_t i = 0; i < launch.grid.parts.size(); ++i) {
        const GridPart part = launch.grid.parts[i];
        parts_.push_back({.loaded = launch.loaded,
                          .step = launch.step,
                          .launch = {.executable = executable_of(launch.loaded),
                                     .bindings = std::span(memory_).subspan(first),
                                     .origin = part.origin,
                                     .extent = part.extent,
                                     .grid = launch.grid.groups},
                          .more = launch.more});
    }
}

void PreparedLaunches::find_memory() {
    for (std::size_t i = 0; i < memory_.size(); ++i)
        if (buffers_[i]) memory_[i].memory = &buffers_[i]->memory->memory();
}

inline Result<void> PreparedLaunches::submit_one(DeviceContext& device, const LaunchPart& part,
                                                 const Launch& launch, std::size_t step,
                                                 Ticket::State& ticket, bool& began) const {
    auto submitted = submit_under(ticket, device, part.loaded, launch, began);
    if (submitted || is_one_step_) return submitted;
    return std::unexpected(at_step(std::move(submitted).error(), step));
}

Result<void> PreparedLaunches::submit(DeviceContext& device, const UsedBuffers& buffers,
                                      Ticket::State& ticket, bool& began) {
    if (const std::uint64_t moves = buffers.moves(); moves != moves_) {
        find_memory();
        moves_ = moves;
    }
    if (const std::uint64_t exchanged = codes_exchanged(); exchanged != exchanged_) {
        for (LaunchPart& part : parts_) part.launch.executable = executable_of(part.loaded);
        exchanged_ = exchanged;
    }
    for (const LaunchPart& part : parts_) {
        TRY(submit_one(device, part, part.launch, part.step, ticket, began));
        if (part.more.empty()) continue;
        Launch next = part.launch;
        for (std::size_t i = 0; i < part.more.size(); ++i) {
            next.extent = next.grid = part.more[i];
            TRY(submit_one(device, part, next, part.step + 1 + i, ticket, began));
        }
    }
    return {};
}

Result<Ticket> submit_launch(const std::shared_ptr<DeviceContext>& device, const UsedBuffers& buffers,
                             const BoundLaunch& launch, bool& began) {
    return under_one_ticket(device, buffers, {&launch, 1}, launch.grid.parts.size(), began,
                            [&](Ticket::State& ticket) { return submit(*device, launch, ticket, began); });
}

Result<Ticket> submit_launches(const std::shared_ptr<DeviceContext>& device, const UsedBuffers& buffers,
                               std::span<const BoundLaunch> launches, PreparedLaunches& prepared,
                               bool& began) {
    return under_one_ticket(device, buffers, launches, prepared.size(), began, [&](Ticket::State& ticket) {
        return prepared.submit(*device, buffers, ticket, began);
    });
}

}  // namespace muster
