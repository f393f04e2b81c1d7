#include "queue.hpp"

#include <algorithm>
#include <system_error>

namespace backend_mine {

using namespace muster;

/// One submission. The driver waits for it, and the queue's thread runs it.
class Queue::Job final : public Submission {
  public:
    explicit Job(Work work) : work_(std::move(work)) {}

    Result<Timing> wait(std::chrono::nanoseconds timeout) override {
        const auto most = std::min<std::chrono::nanoseconds>(timeout, std::chrono::hours(1));
        std::unique_lock lock(mutex_);
        if (!ended_.wait_for(lock, most, [&] { return done(); }))
            return fail(ErrorCode::timed_out, "The kernel still runs.");
        return outcome_.get();
    }
    bool done() const override { return outcome_.settled(); }

    void run(std::stop_token stop) noexcept {
        auto outcome = [&]() -> Result<Timing> {
            try {
                return work_(std::move(stop));
            } catch (
                ...) {  // an exception must not leave the thread; the interpreter throws only for lack of memory
                return std::unexpected(out_of_memory());
            }
        }();
        const std::lock_guard lock(mutex_);
        outcome_.settle(std::move(outcome));
        ended_.notify_all();
    }

  private:
    Work work_;
    std::mutex mutex_;
    std::condition_variable ended_;
    SubmissionOutcome outcome_;
};

Queue::~Queue() {
    stop();
    if (thread_.joinable()) thread_.join();
}

Result<Submitted> Queue::submit(Work work) {
    auto job = std::make_shared<Job>(std::move(work));
    const std::lock_guard lock(mutex_);
    if (stop_.stop_requested()) return fail(ErrorCode::device_lost, "The device was abandoned.");
    if (!thread_.joinable()) try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error&) {
            return fail(ErrorCode::unavailable, "The system has no thread for the device's queue.");
        }
    jobs_.push_back(job);
    arrived_.notify_one();
    return job;
}

void Queue::run() {
    for (;;) {
        std::shared_ptr<Job> next;
        {
            std::unique_lock lock(mutex_);
            // False only if the queue was stopped and nothing waits: what waits still runs, to end at once.
            if (!arrived_.wait(lock, stop_.get_token(), [&] { return !jobs_.empty(); })) return;
            next = std::move(jobs_.front());
            jobs_.pop_front();
        }
        next->run(stop_.get_token());
    }
}

}  // namespace backend_mine
