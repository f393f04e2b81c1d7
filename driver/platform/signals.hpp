// signals.hpp - signals: those that a program's own errors raise, those that interrupt it, and what may be printed then.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <muster/foundation/base/api.hpp>

namespace muster::platform {
MUSTER_API_BEGIN

/// Writes to standard error at once, without memory: in a handler, or where none is left.
void print_at_once(std::string_view text);

/// Gives this thread a stack for signal handlers, so that the handler can run after a stack overflow. Does
/// nothing if the thread already has one.
class HandlerStack {
  public:
    HandlerStack();
    ~HandlerStack();
    HandlerStack(const HandlerStack&) = delete;
    HandlerStack& operator=(const HandlerStack&) = delete;

  private:
    std::unique_ptr<char[]> room_;
};

/// Lets a long command end early and still write what it has, when its user or a job's limit interrupts it: while it lives, the
/// first SIGINT or SIGTERM is noted; a second one ends the process as usual. One thread at a time has one.
///
///     const Interruption interruption;
///     for (const Case& one : cases) if (!Interruption::requested()) run(one);
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /// True once a signal came.
    static bool requested();
};

/// Makes a write beyond the limit on files' size an error, instead of the process's end.
void ignore_file_size_signal();

MUSTER_API_END

/// The signal in words: "segmentation fault"; "unknown" unless a program's own errors raise it. Also in a signal handler.
std::string_view fatal_signal_name(int signal);
/// "signal 11 (segmentation fault)".
std::string signal_text(int signal);

/// Calls `print` in the handler of those signals that a program's own errors raise and that have their default action, which then
/// follows. A signal that is handled or ignored by other code is left alone. Null: stops that. One thread at a time.
void watch_fatal_signals(void (*print)(int signal));

}  // namespace muster::platform
