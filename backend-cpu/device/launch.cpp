#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include <tbb/parallel_for.h>

#include <muster/backend-cpu/device/job.hpp>
#include <muster/backend-cpu/device/launch.hpp>
#include <muster/backend-cpu/device/scratch.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/backend-cpu/native/spin.hpp>
#include <muster/driver/platform/fork.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

/// Most instructions that a launch may run within submit(): some 20 microseconds. A queue of one thread has
/// the caller's core, which would change hands twice: half a millisecond.
constexpr std::uint64_t small_cost = 40'000, small_cost_on_one_core = 2'000'000;

Error stopped() {
    return {ErrorCode::device_lost,
            "The CPU's queue was stopped before the kernel's end.",
            "open a new session",
            {}};
}

Result<Timing> run_here(const Launch& launch) {
    const CpuExecutable& executable = executable_of(launch);
    const auto start = std::chrono::steady_clock::now();
    const Scratch scratch = TRY(Scratch::of_this_thread(executable.scratch_bytes));
    const LaunchArguments arguments(launch, LaunchArguments::Values::borrowed);
    {
        const KernelFloats floats;
        executable.kernel(&arguments.get(), 0, launch.extent.count(), scratch.data());
    }
    return Timing::since(start);
}

/// True in a child of a fork whose parent had oneTBB's workers: they stayed there, and
/// oneTBB starts no others.
bool has_no_workers() {
    static const ForkMark first_used;
    return first_used.is_from_parent();
}

/// Runs the job on the queue's thread, helped by threads of its own.
void run_with_threads(Job& job, std::uint32_t helpers) {
    std::vector<std::jthread> threads;
    try {
        threads.reserve(helpers);
        for (std::uint32_t i = 0; i < helpers; ++i) threads.emplace_back([&] { job.help(); });
    } catch (const std::exception&) {  // no memory or no thread: those that have started help
    }
    job.work();
}

/// Runs the job on the queue's thread, helped by the oneTBB workers that are free. If a waiting thread is
/// about to help, these aren't woken at once: waking them takes longer than a short job, and they would take
/// the waiting thread's core.
void run_spread(Job& job, bool expects_waiter) {
    const std::uint32_t helpers = job.helpers();
    if (helpers == 0) return job.work();
    if (helpers == 1 && expects_waiter && job.work_if_joined()) return;
    if (has_no_workers()) return run_with_threads(job, helpers);
    try {
        tbb::parallel_for(
            std::uint32_t{0}, helpers + 1, [&](std::uint32_t i) { i == 0 ? job.work() : job.help(); },
            tbb::simple_partitioner());
    } catch (...) {  // no memory for tasks
        job.work();
    }
}

}  // namespace

/// The submissions in flight; the first one runs.
struct Queue::State {
    const std::uint32_t threads;
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<std::shared_ptr<Job>> jobs;
    std::atomic<std::uint64_t> pushed{0};  // submissions so far
    bool closed = false;
    std::thread thread;

    explicit State(std::uint32_t most) : threads(most) {}

    // Precondition of each function down to start_thread(): mutex is locked.

    void drop_ended() {
        while (!jobs.empty() && jobs.front()->done()) jobs.pop_front();
    }
    void close() {
        closed = true;
        for (const auto& job : jobs) job->cancel(stopped());
        arrived.notify_all();
    }
    static Result<void> start_thread(const std::shared_ptr<State>& state) {
        if (state->thread.joinable()) return {};
        try {
            state->thread = std::thread([state] { state->run(); });
        } catch (const std::system_error&) {
            return fail(ErrorCode::unavailable, "The system has no thread for the CPU's queue.",
                        "let the process have one more thread");
        }
        return {};
    }

  private:
    void run() {
        bool had_waiter = false;  // the job before
        while (const std::shared_ptr<Job> job = first()) {
            run_spread(*job, had_waiter || job->had_waiter());
            job->wait_until_ended();  // other threads may still run a chunk
            had_waiter = job->had_waiter();
        }
    }

    /// Waits for the first job, starts it and returns it; null once the queue is closed
    /// and all jobs have ended.
    std::shared_ptr<Job> first() {
        std::unique_lock lock(mutex);
        drop_ended();
        if (jobs.empty() && threads > 1) {
            const std::uint64_t seen = pushed.load(std::memory_order_relaxed);
            lock.unlock();
            spin(spin_time, [&] { return pushed.load(std::memory_order_relaxed) != seen; });
            lock.lock();
        }
        arrived.wait(lock, [&] {
            drop_ended();
            return closed || !jobs.empty();
        });
        if (jobs.empty()) return nullptr;
        jobs.front()->start();
        return jobs.front();
    }
};

Queue::Queue(std::uint32_t threads) : state_(std::make_shared<State>(std::max(threads, 1u))) {}

Queue::~Queue() {
    std::thread last;
    {
        const std::lock_guard lock(state_->mutex);
        state_->close();
        last.swap(state_->thread);
    }
    if (last.joinable()) last.join();
}

void Queue::abandon() {
    const std::lock_guard lock(state_->mutex);
    state_->close();
    if (state_->thread.joinable()) state_->thread.detach();
}

Result<Submitted> Queue::submit(const Launch& launch) {
    const auto cost = launch_cost(launch);
    std::unique_lock lock(state_->mutex);
    if (state_->closed) return std::unexpected(stopped());
    state_->drop_ended();
    // The lock is held while the kernel runs: concurrent callers wait that long, since
    // submissions run in order.
    const std::uint64_t most = state_->threads > 1 ? small_cost : small_cost_on_one_core;
    if (state_->jobs.empty() && cost && *cost <= most) return TRY(run_here(launch));
    TRY(State::start_thread(state_));
    auto job = std::make_shared<Job>(launch, state_->threads);
    if (state_->jobs.empty()) job->start();  // a waiting thread can help at once
    state_->jobs.push_back(job);
    state_->pushed.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();  // the thread that wakes would wait for it
    state_->arrived.notify_one();
    return job;
}

}  // namespace muster::cpu
