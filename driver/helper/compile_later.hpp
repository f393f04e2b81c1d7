// compile_later.hpp - compiles what nobody waits for: on one thread of this process, in order, behind what else the machine does.
//
//     compile_later([self = weak_from_this()] { ... });
//
// While a caller waits for code (CallerWaits), work doesn't begin: two threads of one core slow each other down, whatever their
// priorities. Work refers weakly to what may end before it, and does nothing then. At the process's exit work that hasn't begun is dropped, and
// what runs is waited for, up to 5 s. A child of fork() has none of its parent's work. Threads: any. Internal to driver/.
#pragma once

#include <chrono>
#include <functional>

namespace muster::helper {

/// Runs work, which doesn't throw, once what was given before has ended; never, if the system has no thread.
void compile_later(std::function<void()> work);
/// Waits until nothing of it is left. False: something still is after that time.
bool compiled_within(std::chrono::nanoseconds timeout);

/// While one lives, somebody waits for code.
class CallerWaits {
  public:
    CallerWaits();
    ~CallerWaits();
    CallerWaits(const CallerWaits&) = delete;
    CallerWaits& operator=(const CallerWaits&) = delete;
};

}  // namespace muster::helper
