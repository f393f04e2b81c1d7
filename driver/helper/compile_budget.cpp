#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/platform/process.hpp>
#include <muster/driver/policy/policy.hpp>

// Declared as in <iostream>, which isn't included because it runs code before main.
namespace std {  // NOLINT(cert-dcl58-cpp)
extern ostream cout, clog;
}

namespace muster {
namespace {

std::atomic<std::size_t> left_behind{0};
constinit thread_local WorkLimit limit;

void end_if_any_is_left_behind(int status, void*) {
    if (left_behind.load() != 0) end_at_once(status);
}

}  // namespace

void end_at_once(int status) {
    std::cout.flush();
    std::clog.flush();
    std::fflush(nullptr);
    std::_Exit(status);
}

std::size_t compilations_left_behind() { return left_behind.load(); }

WorkLimit compile_limit() { return limit; }

Error compile_timed_out(std::string_view what, std::chrono::nanoseconds budget) {
    return {
        ErrorCode::compile_timed_out,
        fmt::format(
            "Compiling {} takes longer than the compile budget, {} of processor time, or {} times as long by "
            "the clock. The compiler can't be stopped and is left behind on its thread ({} of at most {}).",
            what, compile_budget_text(budget), clock_factor, compilations_left_behind(), most_left_behind),
        "give it more time (Policy::compile_budget, MUSTER_COMPILE_BUDGET, or --compile-budget, in "
        "seconds; 0: no limit), choose another backend, or make the program smaller",
        {}};
}

CompileThread::~CompileThread() {
    if (thread_.joinable()) thread_.detach();  // left behind; the destructor may run on the thread itself
}

Result<void> CompileThread::start(std::string_view what, std::chrono::nanoseconds budget,
                                  std::shared_ptr<CompileThread> self, std::function<void()> work) {
    if (compilations_left_behind() >= most_left_behind)
        return fail(
            ErrorCode::refused,
            fmt::format("Nothing compiles {}: {} compilations that overran their budgets still run in "
                        "this process, and {} is the limit.",
                        what, compilations_left_behind(), most_left_behind),
            "wait until one of them ends, or set no compile budget (0) and let this one take as long as it "
            "takes");
    CompileThread& starts = *self;
    try {
        starts.thread_ = std::thread([self = std::move(self), work = std::move(work), budget]() mutable {
            self->run(work, budget);
            self.reset();  // before `work`, which may own a device that the result needs
        });
    } catch (const std::system_error&) {
        return fail(ErrorCode::out_of_memory, fmt::format("There is no thread to compile {} on.", what),
                    "allow the process more threads (ulimit -u), or set no compile budget (0)");
    }
    return {};
}

void CompileThread::run(const std::function<void()>& work, std::chrono::nanoseconds budget) {
    limit = work_limit(budget);
    work();
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    if (is_left_behind_) left_behind.fetch_sub(1);
    ended_.notify_all();
}

bool CompileThread::ends_within(std::chrono::nanoseconds budget) {
    std::unique_lock lock(mutex_);
    // A thread that has ended may be joined by another waiter, and has no clock then.
    if (!has_ended_ &&
        !wait_for_work(lock, ended_, thread_, budget, Idle::waiting, [&] { return has_ended_; })) {
        if (!is_left_behind_) {
            platform::call_at_exit(
                end_if_any_is_left_behind);  // again at each overrun, so that it runs first
            is_left_behind_ = true;
            left_behind.fetch_add(1);
        }
        return false;
    }
    // One waiter joins the thread, so that the compilation's objects are destroyed before the caller goes on.
    std::thread ended = std::move(thread_);
    lock.unlock();
    if (ended.joinable()) ended.join();
    return true;
}

}  // namespace muster
