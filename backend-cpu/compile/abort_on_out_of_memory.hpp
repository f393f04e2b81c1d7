// abort_on_out_of_memory.hpp - ends the process with a message if LLVM runs out of memory.
//
//     const AbortOnOutOfMemory while_llvm_works;
//
// LLVM is built without exceptions: a std::bad_alloc that passes through it leaves it in a broken state, and
// it crashes later. While one of these lives, a `new` that finds no memory on the same thread therefore
// prints a message and terminates. Other threads are unaffected: std::set_new_handler is process-wide, so our
// handler checks its thread and otherwise calls the handler that was set before. Threads: any; each object
// counts for its own thread only.
#pragma once

#include <exception>
#include <new>

namespace muster::cpu {

/// Calls std::terminate, which aborts unless the program has set a handler; that finds std::bad_alloc
/// as the current exception.
[[noreturn]] inline void terminate_for_lack_of_memory() {
    try {
        throw std::bad_alloc();
    } catch (...) {
        std::terminate();
    }
}

class AbortOnOutOfMemory {
  public:
    AbortOnOutOfMemory();
    ~AbortOnOutOfMemory();
    AbortOnOutOfMemory(const AbortOnOutOfMemory&) = delete;
    AbortOnOutOfMemory& operator=(const AbortOnOutOfMemory&) = delete;
};

}  // namespace muster::cpu
