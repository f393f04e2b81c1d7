// compile_budget.hpp - gives a compilation a thread and a time limit (Policy::compile_budget).
//
//     return compile_within<Artifact>(30s, "saxpy for cpu:aarch64", [=] { return backend->emit(program, target, request); });
//
// A compiler can't be stopped: one that overruns its budget is left behind on its thread, with everything that it uses.
// These are counted, and while there are `most_left_behind` of them nothing else is compiled under a budget. Whoever asks
// for the same compilation again may wait for it again. A process that ends while one is left behind ends without the rest
// of its exit handlers: these would take down the compiler's library while it works. Threads: any.
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

#include <muster/driver/support/deadline.hpp>
#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

inline constexpr std::size_t most_left_behind = 4;
/// How many compilations of this process have overrun their budget, and still run.
std::size_t compilations_left_behind();

/// Until when the compilation that this thread does has time; Moment::max() without a budget. For backends that can stop.
Moment compile_deadline();

/// `what`: "saxpy on cpu:0".
Error compile_timed_out(std::string_view what, std::chrono::nanoseconds budget);

/// The thread of one compilation.
class CompileThread {
  public:
    CompileThread() = default;
    CompileThread(const CompileThread&) = delete;
    CompileThread& operator=(const CompileThread&) = delete;
    virtual ~CompileThread();

  protected:
    /// `self` and then `work` are let go of on the thread, when it ends. Errors: refused (too many are left behind),
    /// out_of_memory (there is no thread). `work` throws nothing.
    static Result<void> start(std::string_view what, std::chrono::nanoseconds budget,
                              std::shared_ptr<CompileThread> self, std::function<void()> work);
    /// False: the work hasn't ended, and is left behind.
    bool ends_within(std::chrono::nanoseconds budget);

  private:
    void run(const std::function<void()>& work, std::chrono::nanoseconds budget);

    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false, is_left_behind_ = false;
    std::thread thread_;
};

/// One compilation, which several threads may wait for.
template <class T>
class Compilation final : public CompileThread {
  public:
    /// Errors: as CompileThread::start().
    static Result<std::shared_ptr<Compilation>> start(std::string_view what, std::chrono::nanoseconds budget,
                                                      std::function<Result<T>()> compile) {
        auto made = std::make_shared<Compilation>();
        auto work = [at = made.get(), compile = std::move(compile)] {
            try {
                at->result_.emplace(compile());
            } catch (...) {  // nobody could catch it on the thread
                at->result_.emplace(std::unexpected(out_of_memory()));
            }
        };
        auto started = CompileThread::start(what, budget, made, std::move(work));
        if (!started) return std::unexpected(std::move(started).error());
        return made;
    }
    /// None: the budget is over first.
    std::optional<Result<T>> wait(std::chrono::nanoseconds budget) {
        return ends_within(budget) ? result_ : std::nullopt;
    }

  private:
    std::optional<Result<T>> result_;  // written by the thread before it ends
};

/// Returns what `compile` returns within the budget (zero: at any time, in this thread). `compile` owns all that it uses.
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

}  // namespace muster
