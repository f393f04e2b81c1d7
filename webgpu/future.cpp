#include <algorithm>

#include <muster/webgpu/future.hpp>

namespace muster::webgpu {
namespace {

/// The longest that a wait for several operations which aren't in order sleeps at a time.
constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(1);

/// The place of the event with this number, among events in the order of theirs; the end if there is none.
auto place_of(auto& events, std::uint64_t id) {
    const auto found =
        std::ranges::lower_bound(events, id, {}, [](const auto& event) { return event->id(); });
    return found != events.end() && (*found)->id() == id ? found : events.end();
}

}  // namespace

WGPUFuture Futures::add(std::shared_ptr<Event> event) {
    const bool is_spontaneous = event->mode() == WGPUCallbackMode_AllowSpontaneous;
    bool is_cancelled = false;
    {
        const std::lock_guard lock(mutex_);
        event->id_ = ++last_id_;
        is_cancelled = is_cancelled_;
        if (!is_cancelled) events_.push_back(event);
    }
    const WGPUFuture future{event->id_};
    if (is_cancelled) {
        event->call(true);
    } else if (is_spontaneous && event->is_ready()) {
        call_spontaneously(future.id);
    } else if (is_spontaneous) {
        event->on_ready([self = weak_from_this(), id = future.id] {
            if (const auto futures = self.lock()) futures->call_spontaneously(id);
        });
    }
    return future;
}

std::shared_ptr<Event> Futures::find(std::uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = place_of(events_, id);
    return found != events_.end() ? *found : nullptr;
}

void Futures::call(std::uint64_t id) {
    std::shared_ptr<Event> event;
    {
        const std::lock_guard lock(mutex_);
        const auto found = place_of(events_, id);
        if (found == events_.end()) return;
        event = std::move(*found);
        events_.erase(found);
        calls_.push_back({id, std::this_thread::get_id()});
    }
    event->call(false);
    event.reset();  // before the wait ends: it keeps objects
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(calls_, [&](const Call& each) { return each.id == id; });
    }
    called_.notify_all();
}

void Futures::call_spontaneously(std::uint64_t id) { call(id); }

bool Futures::is_called_elsewhere(std::uint64_t id) const {
    return std::ranges::any_of(
        calls_, [&](const Call& each) { return each.id == id && each.thread != std::this_thread::get_id(); });
}

bool Futures::call_ready(std::span<WGPUFutureWaitInfo> futures) {
    bool any = false;
    for (WGPUFutureWaitInfo& info : futures) {
        const auto event = find(info.future.id);
        const bool is_ready = !event || event->is_ready();
        if (event && is_ready) call(info.future.id);
        const std::lock_guard lock(mutex_);
        // One that isn't here any more has been called before.
        info.completed = is_ready && !is_called_elsewhere(info.future.id) ? WGPU_TRUE : WGPU_FALSE;
        any |= info.completed != WGPU_FALSE;
    }
    return any;
}

void Futures::wait_for_callbacks(std::span<const WGPUFutureWaitInfo> futures, std::chrono::nanoseconds most) {
    std::unique_lock lock(mutex_);
    called_.wait_for(lock, most, [&] {
        return std::ranges::none_of(
            futures, [&](const WGPUFutureWaitInfo& info) { return is_called_elsewhere(info.future.id); });
    });
}

WGPUWaitStatus Futures::wait_any(std::span<WGPUFutureWaitInfo> futures, std::chrono::nanoseconds timeout) {
    if (futures.empty()) return WGPUWaitStatus_Success;
    {
        const std::lock_guard lock(mutex_);
        for (const WGPUFutureWaitInfo& info : futures)
            if (info.future.id == 0 || info.future.id > last_id_) return WGPUWaitStatus_Error;
    }
    if (timeout.count() == 0) return call_ready(futures) ? WGPUWaitStatus_Success : WGPUWaitStatus_TimedOut;

    std::vector<std::shared_ptr<Event>> waited;
    for (const WGPUFutureWaitInfo& info : futures)
        if (auto event = find(info.future.id)) waited.push_back(std::move(event));
    for (const auto& event : waited)
        if (event->queue() != waited.front()->queue()) return WGPUWaitStatus_Error;  // "Mixed Sources"
    if (call_ready(futures)) return WGPUWaitStatus_Success;

    // Work of one queue ends in order: the operation that began first is the first to end.
    const bool is_in_order = waited.empty() || waited.front()->queue() != nullptr || waited.size() == 1;
    std::ranges::sort(waited, {}, [](const auto& event) { return event->id(); });
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        const auto left = [&] {
            return std::max(timeout - (std::chrono::steady_clock::now() - begin),
                            std::chrono::nanoseconds(0));
        };
        if (!waited.empty()) waited.front()->wait(is_in_order ? left() : std::min(left(), slice));
        wait_for_callbacks(futures, left());
        if (call_ready(futures)) return WGPUWaitStatus_Success;
        if (std::chrono::steady_clock::now() - begin >= timeout) return WGPUWaitStatus_TimedOut;
        std::ranges::rotate(waited, waited.begin() + (is_in_order ? 0 : 1));
    }
}

void Futures::process() {
    std::vector<std::shared_ptr<Event>> now;
    {
        const std::lock_guard lock(mutex_);
        if (events_.empty()) return;
        for (const auto& event : events_)
            if (event->mode() != WGPUCallbackMode_WaitAnyOnly) now.push_back(event);
    }
    for (const auto& event : now)
        if (event->is_ready()) call(event->id());
}

void Futures::cancel_all() {
    std::vector<std::shared_ptr<Event>> left;
    {
        const std::lock_guard lock(mutex_);
        is_cancelled_ = true;
        left.swap(events_);
    }
    for (const auto& event : left) event->call(true);
}

std::size_t Futures::size() const {
    const std::lock_guard lock(mutex_);
    return events_.size();
}

}  // namespace muster::webgpu
