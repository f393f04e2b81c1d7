#include <exception>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/grid_barriers/submit_queue.hpp>
#include <muster/foundation/base/out_of_memory.hpp>

namespace muster::grid_barriers {

SubmitQueue::~SubmitQueue() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

Result<void> SubmitQueue::push(std::unique_ptr<Job> job) {
    const std::lock_guard lock(mutex_);
    try {
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        jobs_.push_back(std::move(job));
    } catch (const std::exception& error) {
        return fail(ErrorCode::out_of_memory,
                    fmt::format("The host has no thread for a program with grid barriers: {}.", error.what()),
                    "free some of the process's threads or memory");
    }
    jobs_left_.fetch_add(1, std::memory_order_release);
    changed_.notify_all();
    return {};
}

void SubmitQueue::abandon() {
    abandoned_.store(true, std::memory_order_release);
    changed_.notify_all();
}

void SubmitQueue::run_first(std::unique_lock<std::mutex>& lock, Moment deadline) {
    std::unique_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    is_running_ = true;
    lock.unlock();
    bool is_done = true;
    try {
        is_done = job->run(abandoned_, deadline);
    } catch (...) {  // nothing catches exceptions on the queue's own thread
        job->give_up(out_of_memory());
    }
    if (is_done) {
        job.reset();
        jobs_left_.fetch_sub(1, std::memory_order_release);
    }
    lock.lock();
    is_running_ = false;
    if (job) jobs_.push_front(std::move(job));
    changed_.notify_all();
}

void SubmitQueue::help(Moment deadline) {
    if (is_empty()) return;
    std::unique_lock lock(mutex_);
    while (!jobs_.empty() && !is_running_ && jobs_.front()->keeps_deadlines() &&
           !abandoned_.load(std::memory_order_acquire) && left_until(deadline) > std::chrono::nanoseconds(0))
        run_first(lock, deadline);
}

void SubmitQueue::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return !is_running_ && (ending_ || !jobs_.empty()); });
        if (jobs_.empty()) return;
        run_first(lock, Moment::max());
    }
}

}  // namespace muster::grid_barriers
