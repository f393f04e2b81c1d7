// Compiling without enough memory in this process: a message, and its end.
#include <csignal>
#include <new>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <support/own_process.hpp>

#include <muster/backend-cpu/compile/abort_on_out_of_memory.hpp>

using namespace muster;
using namespace muster::cpu;

namespace {

[[maybe_unused]] volatile std::size_t too_many_bytes = SIZE_MAX / 2;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their operator new never fails

TEST_CASE("while LLVM works, memory that is missing ends the process with a sentence") {
    const auto end = test::run_in_own_process([] {
        const AbortOnOutOfMemory while_it_works;
        ::operator delete(::operator new(too_many_bytes));
    });
    CHECK(end.signal == SIGABRT);
    CHECK(end.standard_error.find("LLVM, which compiles for the CPU backend, has no memory left") !=
          std::string::npos);
    CHECK(end.standard_error.find("\nFix: ") != std::string::npos);
}

TEST_CASE("other threads, and what comes after, have the program's own handler") {
    static std::atomic<int> asked{0};
    const std::new_handler own = [] {
        ++asked;
        throw std::bad_alloc();
    };
    std::set_new_handler(own);
    {
        const AbortOnOutOfMemory one;
        std::jthread([] {
            CHECK_THROWS_AS(::operator delete(::operator new(too_many_bytes)), std::bad_alloc);
            const AbortOnOutOfMemory another;
        }).join();
        CHECK(asked == 1);
    }
    const bool is_own_again = std::get_new_handler() == own;
    CHECK(is_own_again);
    std::set_new_handler(nullptr);
    std::jthread([] {
        const AbortOnOutOfMemory one;
        std::jthread([] {
            CHECK_THROWS_AS(::operator delete(::operator new(too_many_bytes)), std::bad_alloc);
        }).join();
    }).join();
    const bool is_none_again = std::get_new_handler() == nullptr;
    CHECK(is_none_again);
}

#endif
