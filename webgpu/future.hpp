// future.hpp - asynchronous operations: each is an Event with a number, its future, until its
// callback has been called.
//
// A callback is called once, only where its mode allows: in wgpuInstanceWaitAny for its future, in
// wgpuInstanceProcessEvents unless the mode is WaitAnyOnly, and of a spontaneous one as soon as the operation
// has ended. A wait for a future ends once its callback has returned, also where another thread has called
// it. No lock is held meanwhile, so a callback may call anything. When the program lets go of its instance,
// the callbacks left are called with CallbackCancelled. Threads: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <muster/webgpu/header.hpp>

namespace muster::webgpu {

class Event {
  public:
    explicit Event(WGPUCallbackMode mode, const void* queue = nullptr) : mode_(mode), queue_(queue) {}
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    virtual ~Event() = default;

    WGPUCallbackMode mode() const { return mode_; }
    /// The queue whose work it waits for; null for any other operation.
    const void* queue() const { return queue_; }
    std::uint64_t id() const { return id_; }

    /// True once the operation has ended. Never blocks.
    virtual bool is_ready() = 0;
    /// Waits until is_ready(), or the time is over.
    virtual void wait(std::chrono::nanoseconds most) = 0;
    /// Calls the program's callback. Called once.
    virtual void call(bool is_cancelled) = 0;
    /// Calls `then` once the operation has ended, at once or on another thread. False: it can't.
    virtual bool on_ready(std::function<void()> then) {
        (void)then;
        return false;
    }

  private:
    friend class Futures;
    const WGPUCallbackMode mode_;
    const void* const queue_;
    std::uint64_t id_ = 0;
};

/// An operation that has ended before its function returns.
class DoneEvent : public Event {
  public:
    DoneEvent(WGPUCallbackMode mode, std::function<void(bool is_cancelled)> callback)
        : Event(mode), callback_(std::move(callback)) {}
    bool is_ready() override { return true; }
    void wait(std::chrono::nanoseconds) override {}
    void call(bool is_cancelled) override { callback_(is_cancelled); }

  private:
    std::function<void(bool)> callback_;
};

/// The events of one instance.
class Futures : public std::enable_shared_from_this<Futures> {
  public:
    /// Adds an event. A spontaneous one that is ready is called in this call.
    WGPUFuture add(std::shared_ptr<Event> event);
    /// Calls an event that has become ready, if it still is here.
    void call_spontaneously(std::uint64_t id);
    /// wgpuInstanceWaitAny, without the check of instance features.
    WGPUWaitStatus wait_any(std::span<WGPUFutureWaitInfo> futures, std::chrono::nanoseconds timeout);
    void process();
    void cancel_all();
    std::size_t size() const;

  private:
    /// A callback that runs.
    struct Call {
        std::uint64_t id = 0;
        std::thread::id thread;
    };
    std::shared_ptr<Event> find(std::uint64_t id) const;
    /// Calls the event unless somebody else has.
    void call(std::uint64_t id);
    bool call_ready(std::span<WGPUFutureWaitInfo> futures);
    /// True while another thread calls the event. Precondition: the mutex is locked.
    bool is_called_elsewhere(std::uint64_t id) const;
    void wait_for_callbacks(std::span<const WGPUFutureWaitInfo> futures, std::chrono::nanoseconds most);

    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<Event>> events_;  // by id
    std::vector<Call> calls_;
    std::condition_variable called_;
    std::uint64_t last_id_ = 0;
    bool is_cancelled_ = false;
};

}  // namespace muster::webgpu
