// job.hpp - one launch: its arguments, its workgroups handed out in pieces, and how it ended.
//
// Any thread may work on a job that has started; the one that finishes its last workgroup ends it. Internal to launch.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include <muster/backend-cpu/native/image.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/inline_vector.hpp>

namespace muster::cpu {

/// What a kernel is called with. Stays where it is: the arguments point into it.
class LaunchArguments {
  public:
    /// borrowed: the launch's own, for as long as submit() runs.
    enum class Values : std::uint8_t { borrowed, copied };
    LaunchArguments(const Launch& launch, Values values);
    LaunchArguments(const LaunchArguments&) = delete;
    LaunchArguments& operator=(const LaunchArguments&) = delete;
    const KernelArguments& get() const { return arguments_; }

  private:
    void copy(std::span<const BoundMemory> bindings);

    std::array<KernelBinding, 8> few_;
    std::vector<KernelBinding> many_;         // where they are more
    InlineVector<std::uint32_t, 32> copies_;  // of values, one after the other
    KernelArguments arguments_;
};

/// Instructions that a launch runs at most; none where that isn't known.
std::optional<std::uint64_t> launch_cost(const ImageHeader& header, std::uint64_t workgroups);

class Job final : public Submission {
  public:
    Job(const Launch& launch, std::uint32_t threads);

    Result<Timing> wait(std::chrono::nanoseconds timeout) override;
    bool done() const override { return ended_.load(std::memory_order_acquire); }

    /// From now on it may be worked on.
    void start();
    /// Threads that it is worth, beside the one that has it.
    std::uint32_t helpers() const;
    /// Runs pieces until none is left.
    void work();
    /// The same, where not as many threads work on it already as may.
    void help();
    /// Hands out nothing more: it ends so, once no piece runs.
    void cancel(Error why);
    void wait_until_ended();

  private:
    struct Piece {
        std::uint64_t begin, end;
    };
    std::optional<Piece> claim(std::uint64_t most);
    /// Runs pieces while go_on(now).
    template <class GoOn>
    void run(GoOn&& go_on);
    bool sit();
    void wait_and_help(std::chrono::steady_clock::time_point deadline);
    void finish(std::uint64_t workgroups);
    void end();

    const LaunchArguments arguments_;
    // Of the image, which may be gone once the job has ended, while threads that came late look for a piece.
    const KernelFunction kernel_;
    const std::uint64_t scratch_bytes_;
    const std::uint32_t cost_;
    const std::uint64_t total_;  // workgroups
    const std::uint32_t threads_;
    std::uint64_t least_piece_, most_piece_;  // workgroups
    std::chrono::steady_clock::time_point started_at_;
    std::atomic<bool> started_{false}, ended_{false};
    std::atomic<std::uint32_t> seats_{0};  // taken
    // What threads contend for, away from what they only read.
    alignas(64) std::atomic<std::uint64_t> next_{0};
    alignas(64) std::atomic<std::uint64_t> finished_{0};

    std::mutex mutex_;
    std::condition_variable end_;
    std::optional<Error> error_;             // the first
    std::optional<Result<Timing>> outcome_;  // not changed once ended_
};

}  // namespace muster::cpu
