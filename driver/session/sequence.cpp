// Sequences, and copies and fills, which are sequences of one step.
#include <deque>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/session/copies.hpp>
#include <muster/driver/session/launches.hpp>
#include <muster/driver/session/sequence.hpp>
#include <muster/driver/session/session_state.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

struct RecordedDispatch {
    std::shared_ptr<const Kernel::State> kernel;
    FoldedDispatch grid;
    std::vector<Argument> arguments;
    BoundArguments bound;  // points into `arguments`, whose elements stay where they are
};

using Step = std::variant<RecordedDispatch, Transfer>;

}  // namespace

struct Sequence::State {
    std::weak_ptr<Session::State> session;
    std::shared_ptr<DeviceContext> device;  // that of the kernels; null without any
    std::deque<Step> steps;                 // a deque: launches refer to what the steps hold

    /// The steps as launches on one device.
    struct Prepared {
        std::shared_ptr<DeviceContext> device;
        std::size_t steps = 0;
        std::vector<TransferLaunches> transfers;
        std::vector<BoundLaunch> launches;
        UsedBuffers buffers;
    };
    std::mutex mutex;
    std::shared_ptr<const Prepared> prepared;  // guarded by `mutex`

    Result<std::shared_ptr<Session::State>> open_session() const;
    Result<std::shared_ptr<const Prepared>> prepare(Session::State& in);
};

Result<std::shared_ptr<Session::State>> Sequence::State::open_session() const {
    auto found = session.lock();
    if (!found || found->closed)
        return fail(ErrorCode::refused, "The session of the sequence is closed.", "open a new one");
    return found;
}

Sequence Session::sequence() {
    auto state = std::make_shared<Sequence::State>();
    state->session = state_;
    return Sequence(std::move(state));
}

std::size_t Sequence::size() const { return state_->steps.size(); }

Result<void> Sequence::dispatch(const Kernel& kernel, std::span<const Argument> arguments, const Grid& grid) {
    const Kernel::State& own = *kernel.state();
    TRY(check_own(TRY(state_->open_session()), own));
    if (state_->device && state_->device != own.device)
        return fail(ErrorCode::conflict,
                    fmt::format("The kernel {} is on {}, those before it in the sequence are on {}.",
                                own.program->entry(), own.device->id(), state_->device->id()),
                    "record a sequence for each device, or allow one backend only (Policy::backends)");
    const FoldedDispatch folded = TRY(during("recording a sequence", fold(own, grid)));
    RecordedDispatch recorded{kernel.state(), folded, {arguments.begin(), arguments.end()}, {}};
    recorded.bound =
        TRY(during("recording a sequence", bind_arguments(own, recorded.arguments, folded.parts.empty())));
    state_->steps.emplace_back(std::move(recorded));
    state_->device = own.device;
    return {};
}

Result<void> Sequence::copy(const BufferRange& from, const BufferRange& to) {
    state_->steps.emplace_back(TRY(during("recording a sequence", Transfer::copy(from, to))));
    return {};
}

Result<void> Sequence::fill(const BufferRange& what, std::uint32_t word) {
    state_->steps.emplace_back(TRY(during("recording a sequence", Transfer::fill(what, word))));
    return {};
}

namespace {

/// The device for a transfer without kernels: one that holds a range, or the best for the transfer's own kernel.
Result<std::shared_ptr<DeviceContext>> device_for(Session::State& session, const Transfer& transfer) {
    if (auto holder = transfer.device(); holder && !holder->lost()) return holder;
    for (;;) {
        const Route route = session.cached_route(*transfer.program(), {});
        const Execute* where = route.execute();
        if (!where) return fail(ErrorCode::refused, route.explain(), "make a device available");
        auto device = session.device(*where);
        if (device && !(*device)->lost()) return device;
        session.forget_routes();
    }
}

}  // namespace

/// Makes the launches once all is recorded. Kernels that copy and fill are compiled for the device that the sequence runs on.
Result<std::shared_ptr<const Sequence::State::Prepared>> Sequence::State::prepare(Session::State& in) {
    const std::lock_guard lock(mutex);
    const bool is_usable = prepared && (device || !prepared->device->lost());  // transfers may run elsewhere
    if (is_usable && prepared->steps == steps.size()) return prepared;
    auto made = std::make_shared<Prepared>();
    made->steps = steps.size();
    made->device = device ? device : TRY(device_for(in, std::get<Transfer>(steps.front())));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::size_t first = made->launches.size();
        if (const auto* transfer = std::get_if<Transfer>(&steps[i])) {
            made->transfers.push_back(TRY(during(fmt::format("preparing step {}", i),
                                                 TransferLaunches::make(in, *made->device, *transfer))));
            made->transfers.back().append_to(made->launches);
        } else {
            const auto& dispatch = std::get<RecordedDispatch>(steps[i]);
            made->launches.push_back({dispatch.kernel->loaded.get(), dispatch.bound, dispatch.grid});
        }
        for (std::size_t k = first; k < made->launches.size(); ++k) {
            made->launches[k].step = i;
            made->buffers.add(made->launches[k].arguments);
        }
    }
    made->buffers.finish();
    prepared = made;
    return prepared;
}

Result<Ticket> Sequence::submit() const {
    const auto session = TRY(state_->open_session());
    if (state_->steps.empty()) return Ticket(Timing{});
    const auto prepared = TRY(state_->prepare(*session));
    auto ticket = during([&] { return fmt::format("running a sequence on {}", prepared->device->id()); },
                         submit_launches(prepared->device, prepared->buffers, prepared->launches));
    if (session->closed) session->close();  // closed during the call: close() may have missed it
    return ticket;
}

Result<Ticket> Session::copy(const BufferRange& from, const BufferRange& to) {
    Sequence one = sequence();
    TRY(one.copy(from, to));
    return one.submit();
}

Result<Ticket> Session::fill(const BufferRange& what, std::uint32_t word) {
    Sequence one = sequence();
    TRY(one.fill(what, word));
    return one.submit();
}

Result<Snapshot> Session::snapshot(const BufferRange& range) {
    const std::uint64_t bytes =
        range.bytes != 0 ? range.bytes : range.buffer.bytes() - std::min(range.offset, range.buffer.bytes());
    Buffer copy = TRY(buffer(bytes, range.buffer.element_type()));
    if (bytes == 0) return Snapshot{std::move(copy), Ticket(Timing{})};
    Ticket ready = TRY(this->copy(range, {copy}));
    return Snapshot{std::move(copy), std::move(ready)};
}

Result<Ticket> Session::dispatch(const Kernel& kernel, std::span<const Argument> arguments,
                                 const GridInBuffer& grid) {
    std::array<std::uint32_t, 3> groups{};
    TRY(during("reading the grid of a dispatch",
               grid.buffer.read_bytes(std::as_writable_bytes(std::span(groups)), grid.offset)));
    return dispatch(kernel, arguments, Workgroups{groups[0], groups[1], groups[2]});
}

}  // namespace muster
