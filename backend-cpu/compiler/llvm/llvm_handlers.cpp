#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include <llvm/Support/ErrorHandling.h>

#include <muster/backend-cpu/compile/abort_on_out_of_memory.hpp>
#include <muster/backend-cpu/compiler/llvm/llvm_handlers.hpp>
#include <muster/driver/platform/modules.hpp>
#include <muster/driver/platform/signals.hpp>

namespace muster::cpu {
namespace {

constinit std::mutex mutex;
constinit std::size_t living = 0;  // guarded by mutex

/// Ends the process as a `new` without memory does: see abort_on_out_of_memory.hpp.
void without_memory(void*, const char* reason, bool) {
    if (const std::new_handler handler = std::get_new_handler()) handler();
    platform::print_at_once("muster: LLVM has no memory left, and the process ends: ");
    platform::print_at_once(reason);
    platform::print_at_once("\n");
    terminate_for_lack_of_memory();
}

void with_a_fault(void*, const char* reason, bool) {
    platform::print_at_once(
        "muster: LLVM, which compiles for the CPU backend, can't go on, and the process ends: ");
    platform::print_at_once(reason);
    platform::print_at_once(
        "\nFix: set MUSTER_PROBE=isolated, which compiles in a process of its own, and report this with the "
        "program.\n");
    std::abort();
}

/// True if LLVM's library was loaded before ours.
bool llvm_was_here_before() {
    const auto ours = reinterpret_cast<std::uintptr_t>(&with_a_fault);
    const auto llvms = reinterpret_cast<std::uintptr_t>(&llvm::install_fatal_error_handler);
    bool found_ours = false, found_llvms_first = false;
    platform::for_each_module([&](const platform::LoadedModule& module) {
        found_ours = found_ours || module.contains(ours);
        found_llvms_first = found_llvms_first || (!found_ours && module.contains(llvms));
    });
    return found_llvms_first;
}

bool are_ours_to_set() {
    static const bool ours = !llvm_was_here_before();
    return ours;
}

}  // namespace

LlvmHandlers::LlvmHandlers() {
    if (!are_ours_to_set()) return;
    const std::lock_guard lock(mutex);
    if (living++ > 0) return;
    llvm::install_bad_alloc_error_handler(without_memory);
    llvm::install_fatal_error_handler(with_a_fault);
}

LlvmHandlers::~LlvmHandlers() {
    if (!are_ours_to_set()) return;
    const std::lock_guard lock(mutex);
    if (--living > 0) return;
    llvm::remove_bad_alloc_error_handler();
    llvm::remove_fatal_error_handler();
}

}  // namespace muster::cpu
