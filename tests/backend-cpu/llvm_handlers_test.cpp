// LLVM's handlers for fatal errors and failed allocations, during a compilation and after it.
#include <csignal>
#include <thread>

#include <doctest/doctest.h>
#include <llvm/Support/ErrorHandling.h>
#include <support/own_process.hpp>

#include <muster/backend-cpu/compiler/llvm/llvm_handlers.hpp>

using namespace muster;
using namespace muster::cpu;

namespace {

void end_with_a_fault() { llvm::report_fatal_error("something is wrong", false); }
void end_without_memory() { llvm::report_bad_alloc_error("no page is left", false); }

}  // namespace

TEST_CASE("a fault of LLVM's ends the process with a sentence, its reason and a way out") {
    const auto end = test::run_in_own_process([] {
        const LlvmHandlers while_llvm_works;
        end_with_a_fault();
    });
    CHECK(end.signal == SIGABRT);
    CHECK(end.standard_error.find("can't go on, and the process ends: something is wrong") !=
          std::string::npos);
    CHECK(end.standard_error.find("Fix: set MUSTER_PROBE=isolated") != std::string::npos);
}

TEST_CASE("memory that LLVM lacks ends it likewise, as the new handler says where there is one") {
    const auto end = test::run_in_own_process([] {
        const LlvmHandlers while_llvm_works;
        end_without_memory();
    });
    CHECK(end.signal == SIGABRT);
    CHECK(end.standard_error.find("LLVM has no memory left, and the process ends: no page is left") !=
          std::string::npos);
    const auto handled = test::run_in_own_process([] {
        const LlvmHandlers while_llvm_works;
        std::set_new_handler([] { std::raise(SIGTERM); });
        end_without_memory();
    });
    CHECK(handled.signal == SIGTERM);
}

TEST_CASE("two threads compile: the handlers stay for the second, and are gone after it") {
    const auto during = test::run_in_own_process([] {
        const LlvmHandlers one;
        std::thread([] { const LlvmHandlers another; }).join();
        end_with_a_fault();
    });
    CHECK(during.standard_error.find("something is wrong\nFix: ") != std::string::npos);
    const auto after = test::run_in_own_process([] {
        { const LlvmHandlers one; }
        end_with_a_fault();
    });
    CHECK(after.standard_error.find("LLVM ERROR: something is wrong") != std::string::npos);
}
