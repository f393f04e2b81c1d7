#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <muster/driver/contract/work_queue.hpp>
#include <muster/driver/support/guard.hpp>

namespace muster {
namespace {

std::unexpected<Error> stopped() {
    return fail(ErrorCode::device_lost, "The device was abandoned before the kernel's end.");
}

}  // namespace

/// One submission. The driver waits for it, and the queue's thread runs it.
class WorkQueue::Job final : public Submission {
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

    void run(const std::stop_token& stop) {
        Result<Timing> outcome =
            stop.stop_requested() ? stopped() : guarded("The device's work", [&] { return work_(stop); });
        if (!outcome && stop.stop_requested()) outcome = stopped();
        const std::lock_guard lock(mutex_);
        outcome_.settle(std::move(outcome));
        ended_.notify_all();
    }

  private:
    const Work work_;
    std::mutex mutex_;
    std::condition_variable ended_;
    SubmissionOutcome outcome_;
};

WorkQueue::~WorkQueue() {
    stop();
    std::thread last;
    {
        const std::lock_guard lock(mutex_);
        last.swap(thread_);
    }
    if (last.joinable()) last.join();
}

Result<Submitted> WorkQueue::submit(Work work) {
    auto job = std::make_shared<Job>(std::move(work));
    const std::lock_guard lock(mutex_);
    if (stop_.stop_requested()) return stopped();
    if (!thread_.joinable()) try {
            thread_ = std::thread([this] { run(stop_.get_token()); });
        } catch (const std::system_error&) {
            return fail(ErrorCode::unavailable, "The system has no thread for the device's queue.");
        }
    jobs_.push_back(job);
    arrived_.notify_one();
    return job;
}

void WorkQueue::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    // False only if the queue is stopped and nothing waits.
    while (arrived_.wait(lock, stop, [&] { return !jobs_.empty(); })) {
        const std::shared_ptr<Job> next = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        next->run(stop);
        lock.lock();
    }
    // An abandoned device's thread is never joined, so it detaches itself and ends.
    if (thread_.joinable()) thread_.detach();
}

}  // namespace muster
