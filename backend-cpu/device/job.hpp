// job.hpp - one launch in flight: its arguments, its workgroups, handed out in chunks
// (ranges), and its outcome.
//
// Internal to launch.cpp. Any thread may work on a started job; the one that finishes the
// last workgroup ends the job.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include <muster/backend-cpu/device/executable.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/inline_vector.hpp>

namespace muster::cpu {

/// The arguments of a kernel's call. Neither copied nor moved: the arguments point into the object.
class LaunchArguments {
  public:
    /// borrowed: pointers to the launch's values, valid only during submit().
    enum class Values : std::uint8_t { borrowed, copied };
    LaunchArguments(const Launch& launch, Values values);
    LaunchArguments(const LaunchArguments&) = delete;
    LaunchArguments& operator=(const LaunchArguments&) = delete;
    const KernelArguments& get() const { return arguments_; }

  private:
    void copy(std::span<const BoundMemory> bindings);

    std::array<KernelBinding, 8> few_;
    std::vector<KernelBinding> many_;         // used if there are more than few_ holds
    InlineVector<std::uint32_t, 32> copies_;  // the values, one after the other
    KernelArguments arguments_;
};

inline const CpuExecutable& executable_of(const Launch& launch) {
    return static_cast<const CpuExecutable&>(*launch.executable);
}
/// Most instructions that a launch can run; none if unknown.
std::optional<std::uint64_t> launch_cost(const Launch& launch);

class Job final : public Submission {
  public:
    Job(const Launch& launch, std::uint32_t threads);

    Result<Timing> wait(std::chrono::nanoseconds timeout) override;
    bool done() const override { return outcome_.settled(); }

    /// Lets threads work on the job from now on.
    void start();
    /// Number of threads worth adding to the one that runs the job.
    std::uint32_t helpers() const;
    /// True if a thread has waited for the job that runs chunks while it waits.
    bool had_waiter() const { return had_waiter_.load(std::memory_order_relaxed); }
    /// Runs chunks until none is left.
    void work();
    /// Likewise, but returns if no other thread has joined for as long as a thread polls.
    /// True if no chunk is left.
    bool work_if_joined();
    /// Runs chunks too, unless the job already has its number of threads.
    void help();
    /// Hands out no more chunks; the job ends with this error once no chunk runs.
    void cancel(Error why);
    void wait_until_ended();

  private:
    struct Chunk {
        std::uint64_t begin, end;
    };
    std::optional<Chunk> claim(std::uint64_t most);
    /// Runs chunks while go_on(now) returns true.
    template <class GoOn>
    void run(GoOn&& go_on);
    /// Likewise, as one of the threads at work.
    template <class GoOn>
    void run_counted(GoOn&& go_on);
    bool try_join();
    void wait_and_help(std::chrono::steady_clock::time_point deadline);
    void finish(std::uint64_t workgroups);
    void end();

    const LaunchArguments arguments_;
    // Copies of the executable's values: late threads may still ask for a chunk after the job has ended
    // and the executable is gone.
    const KernelFunction kernel_;
    const std::uint64_t scratch_bytes_;
    const std::uint32_t cost_;
    const std::uint64_t total_;  // workgroups
    const std::uint32_t threads_;
    std::uint64_t least_chunk_, most_chunk_;  // workgroups
    std::chrono::steady_clock::time_point started_at_;
    std::atomic<bool> started_{false};
    std::atomic<bool> had_waiter_{false};
    std::atomic<std::uint32_t> working_threads_{0};  // threads at work
    // Counters that threads contend for, on cache lines apart from the data that they only read.
    alignas(64) std::atomic<std::uint64_t> next_{0};
    alignas(64) std::atomic<std::uint64_t> finished_{0};

    std::mutex mutex_;
    std::condition_variable end_;
    std::optional<Error> error_;  // the first error
    SubmissionOutcome outcome_;
};

}  // namespace muster::cpu
