// bench_soak: threads that use every backend in a random mix for as long as asked. Each result is compared
// with its oracle, and the process's memory at the end with that after the warm-up. Exit status: 0 if all was
// right and memory flat, else 1.
//
//     bench_soak [--seconds 60] [--threads 8] [--seed 1] [--only BACKEND] [--task PART-OF-A-NAME]
//                [--warm-up 120] [--bound 96]
//
// It prints a line every 10 seconds: the dispatches so far on each device, and what the process holds of the
// machine. Memory is compared while the threads rest, all work has ended and malloc has given back what it
// can; a soak that is shorter than its warm-up compares none. --bound is the growth in MiB that passes: what
// drivers keep, and the allocator's fragments, which docs/failures.md has figures of. Compiled code is kept
// in a folder of the soak's own, unless MUSTER_CACHE_DIR names one.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <muster/foundation/base/try.hpp>

#include "../support/options.hpp"
#include "tasks.hpp"
#include "usage.hpp"

using namespace muster;
using namespace muster::soak;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

namespace {

struct Options {
    long seconds = 60, threads = 8, seed = 1, warm_up = 120, bound_mib = 96;
    std::string only, task;
};

Options parse(int argc, char** argv) {
    Options options;
    bench::parse_options(argc, argv,
                         {{"--seconds", &options.seconds},
                          {"--threads", &options.threads},
                          {"--seed", &options.seed},
                          {"--warm-up", &options.warm_up},
                          {"--bound", &options.bound_mib},
                          {"--only", &options.only},
                          {"--task", &options.task}},
                         "bench_soak [--seconds 60] [--threads 8] [--seed 1] [--only BACKEND] "
                         "[--task PART-OF-A-NAME] [--warm-up 120] [--bound 96]");
    return options;
}

/// A folder for what this process and the drivers in it keep on disk; removed at the end.
class OwnCache {
  public:
    OwnCache() : folder_(std::filesystem::temp_directory_path() / fmt::format("muster-soak-{}", getpid())) {
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    ~OwnCache() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    OwnCache(const OwnCache&) = delete;
    OwnCache& operator=(const OwnCache&) = delete;

  private:
    std::filesystem::path folder_;
};

/// Lets the threads work, and lets them rest between two tasks while the main thread looks.
class Gate {
  public:
    /// Waits while the threads rest. Returns false once the soak is over.
    bool enter() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !is_resting_ || is_over_; });
        if (!is_over_) ++inside_;
        return !is_over_;
    }
    void leave() {
        const std::lock_guard lock(mutex_);
        --inside_;
        changed_.notify_all();
    }
    void rest() {
        std::unique_lock lock(mutex_);
        is_resting_ = true;
        changed_.wait(lock, [&] { return inside_ == 0; });
    }
    void go_on() {
        const std::lock_guard lock(mutex_);
        is_resting_ = false;
        changed_.notify_all();
    }
    void end() {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
        changed_.notify_all();
    }
    bool is_over() {
        const std::lock_guard lock(mutex_);
        return is_over_;
    }
    /// Returns early if the soak is over.
    void wait_until(Clock::time_point when) {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, when, [&] { return is_over_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int inside_ = 0;
    bool is_resting_ = false, is_over_ = false;
};

class Soak {
  public:
    Soak(const Options& options, Stock& stock) : options_(options), stock_(stock) {}

    bool run() {
        std::vector<std::jthread> threads;
        for (long i = 0; i < options_.threads; ++i) threads.emplace_back([this, i] { work(i); });
        watch();
        gate_.end();
        threads.clear();
        return !has_failed_;
    }

  private:
    void work(long number) {
        Worker worker{stock_, std::mt19937(static_cast<std::uint32_t>(options_.seed * 1000 + number))};
        for (std::uint64_t turn = 0; gate_.enter(); ++turn) {
            const Task& task = any_task(worker, options_.task);
            const auto done =
                during([&] { return fmt::format("{} (task {} of thread {})", task.name, turn, number); },
                       task.run(worker));
            gate_.leave();
            ++tasks_;
            if (!done) fail_with(done.error().to_string());
        }
    }

    void fail_with(const std::string& why) {
        has_failed_ = true;
        fmt::print("FAILED with seed {}: {}\n", options_.seed, why);
        gate_.end();
    }

    void watch() {
        constexpr seconds between(10);
        const seconds whole(options_.seconds), warm_up(options_.warm_up);
        Clock::time_point next = start_ + between;
        std::optional<Usage> warm;
        while (!gate_.is_over() && Clock::now() < start_ + whole) {
            const Clock::time_point pause = warm ? start_ + whole : start_ + std::min(warm_up, whole);
            gate_.wait_until(std::min(next, pause));
            if (Clock::now() >= next) {
                print_line(usage());
                next += between;
            }
            if (!warm && Clock::now() >= start_ + warm_up && warm_up < whole)
                warm = rest("after the warm-up");
        }
        if (gate_.is_over()) return;
        const std::optional<Usage> last = rest("at the end");
        if (warm && last) compare(*warm, *last);
    }

    /// The memory, threads and files that the process holds while nothing runs. None if the
    /// stock isn't as it must be.
    std::optional<Usage> rest(std::string_view when) {
        gate_.rest();
        const auto settled = stock_.settle();
        trim();
        const Usage now = usage();
        gate_.go_on();
        if (!settled) {
            fail_with(settled.error().to_string());
            return std::nullopt;
        }
        fmt::print("At rest {}: {}\n", when, now.to_string());
        return now;
    }

    void compare(const Usage& warm, const Usage& last) {
        const auto growth = [](std::uint64_t from, std::uint64_t to) {
            return (static_cast<double>(to) - static_cast<double>(from)) / (1 << 20);
        };
        const double resident = growth(warm.resident_bytes, last.resident_bytes);
        fmt::print(
            "Growth since the warm-up: {:+.1f} MiB resident, {:+.1f} MiB allocated; at most {} MiB pass.\n",
            resident, growth(warm.allocated_bytes, last.allocated_bytes), options_.bound_mib);
        if (resident > static_cast<double>(options_.bound_mib)) fail_with("Memory grew beyond the bound.");
    }

    void print_line(const Usage& now) {
        std::vector<std::string> devices;
        for (const SharedDevice& device : stock_.devices)
            devices.push_back(fmt::format("{} {}", device.id, device.dispatches.load()));
        fmt::print("{:>5} s  {} tasks; dispatches: {}; {}\n",
                   std::chrono::duration_cast<seconds>(Clock::now() - start_).count(), tasks_.load(),
                   fmt::join(devices, ", "), now.to_string());
        std::fflush(stdout);
    }

    const Options options_;
    Stock& stock_;
    const Clock::time_point start_ = Clock::now();
    Gate gate_;
    std::atomic<std::uint64_t> tasks_{0};
    std::atomic<bool> has_failed_{false};
};

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    const OwnCache cache;
    const auto stock = Stock::make(options.only);
    if (!stock) {
        fmt::print(stderr, "{}\n", stock.error().to_string());
        return 1;
    }
    const bool passed = Soak(options, **stock).run();
    fmt::print("{}\n", passed ? "Every result was right." : "The soak failed.");
    return passed ? 0 : 1;
}
