#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>

#include <muster/backend-cpu/compile/abort_on_out_of_memory.hpp>
#include <muster/driver/platform/signals.hpp>

namespace muster::cpu {
namespace {

constexpr std::string_view sentence =
    "muster: LLVM, which compiles for the CPU backend, has no memory left and can't recover: the process "
    "ends.\n"
    "Fix: let the process have more memory, make the program smaller, or set MUSTER_PROBE=isolated, which "
    "compiles in a process of its own.\n";

constinit thread_local std::size_t depth = 0;  // of this thread
constinit std::mutex mutex;                    // guards living
constinit std::size_t living = 0;              // objects on all threads
constinit std::atomic<std::new_handler> before = nullptr;

void handle() {
    if (depth > 0) {
        platform::print_at_once(sentence);
        terminate_for_lack_of_memory();
    }
    const std::new_handler others = before.load();
    if (others == nullptr) throw std::bad_alloc();
    others();
}

}  // namespace

AbortOnOutOfMemory::AbortOnOutOfMemory() {
    const std::lock_guard lock(mutex);
    if (living++ == 0 && std::get_new_handler() != handle) before = std::set_new_handler(handle);
    ++depth;
}

AbortOnOutOfMemory::~AbortOnOutOfMemory() {
    --depth;
    const std::lock_guard lock(mutex);
    // Keeps a handler that the program has set in the meantime.
    if (--living == 0 && std::get_new_handler() == handle) std::set_new_handler(before);
}

}  // namespace muster::cpu
