#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <span>
#include <string_view>

#include <link.h>
#include <llvm/Support/ErrorHandling.h>
#include <unistd.h>

#include <muster/backend-cpu/compile/abort_on_out_of_memory.hpp>
#include <muster/backend-cpu/compiler/llvm/llvm_handlers.hpp>

namespace muster::cpu {
namespace {

constinit std::mutex mutex;
constinit std::size_t living = 0;  // guarded by mutex

void say(std::string_view text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

/// Ends the process as a `new` without memory does: see abort_on_out_of_memory.hpp.
void without_memory(void*, const char* reason, bool) {
    if (const std::new_handler handler = std::get_new_handler()) handler();
    say("muster: LLVM has no memory left, and the process ends: ");
    say(reason);
    say("\n");
    terminate_for_lack_of_memory();
}

void with_a_fault(void*, const char* reason, bool) {
    say("muster: LLVM, which compiles for the CPU backend, can't go on, and the process ends: ");
    say(reason);
    say("\nFix: set MUSTER_PROBE=isolated, which compiles in a process of its own, and report this with the "
        "program.\n");
    std::abort();
}

/// A search among the loaded libraries: which was loaded first, ours or LLVM's?
struct Search {
    std::uintptr_t ours, llvms;
    bool found_ours = false, found_llvms_first = false;
};

int search_library(dl_phdr_info* library, std::size_t, void* search) {
    auto& sought = *static_cast<Search*>(search);
    const auto holds = [&](std::uintptr_t address) {
        for (const auto& part : std::span(library->dlpi_phdr, library->dlpi_phnum))
            if (part.p_type == PT_LOAD && address - (library->dlpi_addr + part.p_vaddr) < part.p_memsz)
                return true;
        return false;
    };
    sought.found_ours = holds(sought.ours);
    sought.found_llvms_first = !sought.found_ours && holds(sought.llvms);
    return sought.found_ours || sought.found_llvms_first ? 1 : 0;
}

bool llvm_was_here_before() {
    Search search{reinterpret_cast<std::uintptr_t>(&search_library),
                  reinterpret_cast<std::uintptr_t>(&llvm::install_fatal_error_handler)};
    dl_iterate_phdr(search_library, &search);
    return search.found_llvms_first;
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
