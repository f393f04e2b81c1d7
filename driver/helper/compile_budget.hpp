// compile_budget.hpp - runs a compilation on its own thread, with a limit on its processor time (Policy::compile_budget).
//
//     return compile_within<Artifact>(30s, "saxpy for cpu:aarch64", [=] { return backend->emit(program, target, request); });
//
// A compiler can't be stopped: one whose thread has used up its budget, or that hasn't ended after 20 times as
// long by the clock, is left behind on its thread, with everything that it uses. Where a driver compiles on
// other threads, the clock alone counts. These are counted, and while there are `most_left_behind` of them no
// other compilation with a budget starts. A caller that needs the same compilation again may wait for it again.
// A process that exits while one is left behind skips the rest of its exit handlers, because they would destroy
// the compiler's library while it works. Threads: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <muster/driver/support/work_limit.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

inline constexpr std::size_t most_left_behind = 4;
/// The number of compilations of this process that have overrun their budget and still run.
std::size_t compilations_left_behind();

/// Ends the process without static destructors: those of the compiler's library would break a compilation that runs.
[[noreturn]] void end_at_once(int status);

/// The limit of the compilation that runs on this thread; none without a budget. For backends that can stop.
WorkLimit compile_limit();

/// The error for an overrun budget. `what`: "saxpy on cpu:0".
Error compile_timed_out(std::string_view what, std::chrono::nanoseconds budget);

/// The thread of one compilation.
class CompileThread {
  public:
    CompileThread() = default;
    CompileThread(const CompileThread&) = delete;
    CompileThread& operator=(const CompileThread&) = delete;
    virtual ~CompileThread();

  protected:
    /// Runs `work`, which must not throw, on a new thread. The thread releases first `self`, then
    /// `work` when it ends. Errors: refused (too many compilations are left behind), out_of_memory
    /// (no thread can be started).
    static Result<void> start(std::string_view what, std::chrono::nanoseconds budget,
                              std::shared_ptr<CompileThread> self, std::function<void()> work);
    /// Waits for the work. False: it hasn't ended within the budget, and is left behind.
    bool ends_within(std::chrono::nanoseconds budget);

  private:
    void run(const std::function<void()>& work, std::chrono::nanoseconds budget);

    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false, is_left_behind_ = false;
    std::thread thread_;
};

/// A compilation, for which several threads may wait.
template <class T>
class Compilation final : public CompileThread {
  public:
    /// Starts a compilation. Errors: as CompileThread::start().
    static Result<std::shared_ptr<Compilation>> start(std::string_view what, std::chrono::nanoseconds budget,
                                                      std::function<Result<T>()> compile) {
        auto made = std::make_shared<Compilation>();
        auto work = [at = made.get(), compile = std::move(compile)] {
            try {
                at->result_.emplace(compile());
            } catch (...) {  // an exception must not leave the thread
                at->result_.emplace(std::unexpected(out_of_memory()));
            }
        };
        auto started = CompileThread::start(what, budget, made, std::move(work));
        if (!started) return std::unexpected(std::move(started).error());
        return made;
    }
    /// Waits for the result; none if the budget runs out first.
    std::optional<Result<T>> wait(std::chrono::nanoseconds budget) {
        return ends_within(budget) ? result_ : std::nullopt;
    }

  private:
    std::optional<Result<T>> result_;  // written by the thread before it ends
};

/// Returns the result of `compile`, or compile_timed_out after the budget. With a budget of zero, runs it on
/// this thread without a limit. `compile` must own everything that it uses, because it may be left behind.
template <class T>
Result<T> compile_within(std::chrono::nanoseconds budget, std::string_view what,
                         std::function<Result<T>()> compile) {
    if (budget == std::chrono::nanoseconds(0)) return compile();
    auto running = Compilation<T>::start(what, budget, std::move(compile));
    if (!running) return std::unexpected(std::move(running).error());
    auto made = (*running)->wait(budget);
    if (!made) return std::unexpected(compile_timed_out(what, budget));
    return *std::move(made);
}

MUSTER_API_END
}  // namespace muster
