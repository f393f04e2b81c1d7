#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include <muster/backend-reference/compile.hpp>
#include <muster/backend-reference/launch.hpp>
#include <muster/backend-reference/memory.hpp>
#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

namespace muster::reference {

namespace {

constexpr const char* stopped = "The interpreter was stopped before the kernel's end.";

}  // namespace

/// One submission: what to run, and how it ended.
class Queue::Job final : public Submission {
  public:
    explicit Job(const Launch& launch)
        : code_(static_cast<const CodeExecutable*>(launch.executable)->code),
          grid_{launch.origin, launch.extent, launch.grid} {
        for (const BoundMemory& bound : launch.bindings) {
            if (bound.memory)
                bindings_.push_back({host_bytes(*bound.memory).subspan(bound.offset, bound.bytes)});
            else
                bindings_.push_back({values_.emplace_back(bound.value, bound.value + bound.bytes)});
        }
    }

    Result<Timing> wait(std::chrono::nanoseconds timeout) override {
        std::unique_lock lock(mutex_);
        const auto most = std::min<std::chrono::nanoseconds>(timeout, std::chrono::hours(1));
        if (!ended_.wait_for(lock, most, [&] { return done(); }))
            return fail(ErrorCode::timed_out, "The interpreter still runs.");
        return outcome_.get();
    }
    bool done() const override { return outcome_.settled(); }

    void run(std::stop_token stop) noexcept {
        auto outcome = [&]() -> Result<Timing> {
            try {
                return timed(std::move(stop));
            } catch (...) {  // an exception must not leave the queue's thread
                return std::unexpected(out_of_memory());
            }
        }();
        const std::lock_guard lock(mutex_);
        outcome_.settle(std::move(outcome));
        ended_.notify_all();
    }

  private:
    Result<Timing> timed(std::stop_token stop) const {
        const auto start = std::chrono::steady_clock::now();
        auto report = interpreted(std::move(stop));
        if (report) return Timing::since(start);
        if (report.error().code == ErrorCode::timed_out)  // only a stopped queue asks for a stop
            return fail(ErrorCode::device_lost, stopped);
        return std::unexpected(std::move(report).error());
    }
    Result<InterpretReport> interpreted(std::stop_token stop) const {
        try {
            return interpret(code_, bindings_, grid_, {.stop = std::move(stop)});
        } catch (const std::exception& thrown) {  // an exception must not leave the queue's thread
            return fail(ErrorCode::out_of_memory, std::string("The interpreter ends: ") + thrown.what() + ".",
                        "use a smaller workgroup, or fewer bindings");
        }
    }

    InterpreterCode code_;
    std::deque<std::vector<std::byte>> values_;  // what bindings_ point to; a deque never moves its elements
    std::vector<BoundBytes> bindings_;
    LaunchGrid grid_;

    std::mutex mutex_;
    std::condition_variable ended_;
    SubmissionOutcome outcome_;
};

Queue::~Queue() {
    stop();
    std::thread last;
    {
        const std::lock_guard lock(mutex_);
        last.swap(thread_);
    }
    if (last.joinable()) last.join();
}

void Queue::stop() { stop_.request_stop(); }

Result<Submitted> Queue::submit(const Launch& launch) {
    auto job = std::make_shared<Job>(launch);
    const std::lock_guard lock(mutex_);
    if (stop_.stop_requested()) return fail(ErrorCode::device_lost, stopped);
    if (!thread_.joinable()) try {
            thread_ = std::thread([this] { run(stop_.get_token()); });
        } catch (const std::system_error&) {
            return fail(ErrorCode::unavailable, "The system has no thread for the interpreter's queue.");
        }
    jobs_.push_back(job);
    arrived_.notify_one();
    return job;
}

void Queue::run(std::stop_token stop) {
    for (;;) {
        std::shared_ptr<Job> next;
        {
            std::unique_lock lock(mutex_);
            if (!arrived_.wait(lock, stop, [&] { return !jobs_.empty(); })) {
                // Stopped: an abandoned device's thread is never joined, so it detaches itself and ends.
                if (thread_.joinable()) thread_.detach();
                return;
            }
            next = std::move(jobs_.front());
            jobs_.pop_front();
        }
        next->run(stop);
    }
}

}  // namespace muster::reference
