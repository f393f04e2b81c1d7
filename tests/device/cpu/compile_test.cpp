// Compiling without enough memory: in this process a message and its end, in a separate process an error.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <support/own_process.hpp>
#include <support/programs.hpp>

#include <muster/backend-cpu/backend.hpp>
#include <muster/backend-cpu/compile/abort_on_out_of_memory.hpp>
#include <muster/driver/helper/compile_budget.hpp>

using namespace muster;
using namespace muster::cpu;

namespace {

/// Sets an environment variable during its lifetime.
struct Setting {
    const char* name;
    Setting(const char* called, const std::string& value) : name(called) { setenv(name, value.c_str(), 1); }
    ~Setting() { unsetenv(name); }
};

Result<Artifact> compile_saxpy() {
    CpuBackend backend{CpuOptions{}};
    auto device = backend.open(0);
    REQUIRE(device);
    auto artifact = (*device)->compile(test::saxpy(), {});
    if (artifact) CHECK((*device)->load(*artifact));
    return artifact;
}

bool llvm_is_here() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("libLLVM") != std::string::npos) return true;
    return false;
}

volatile std::size_t too_many_bytes = SIZE_MAX / 2;

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

TEST_CASE("isolated: a kernel is compiled in another process, and LLVM isn't opened in this one") {
    const Setting isolated("MUSTER_PROBE", "isolated");
    const auto status = test::in_own_process(60, [] {
        const auto artifact = compile_saxpy();
        if (!artifact) return 1;
        return llvm_is_here() ? 2 : 0;
    });
    CHECK(status == 0);
    const auto elsewhere = compile_saxpy();
    unsetenv("MUSTER_PROBE");
    const auto here = compile_saxpy();
    REQUIRE(elsewhere);
    REQUIRE(here);
    CHECK(elsewhere->bytes == here->bytes);
    CHECK(elsewhere->target == here->target);
    CHECK(elsewhere->entry == here->entry);
    CHECK(elsewhere->bindings.size() == here->bindings.size());
    CHECK(elsewhere->fingerprint == here->fingerprint);
}

TEST_CASE("isolated: a compiler without memory is an error, wherever its memory ends") {
    const Setting isolated("MUSTER_PROBE", "isolated"), preloaded("LD_PRELOAD", MUSTER_NO_MEMORY);
    bool lacked_memory = false;
    for (int from = 0; from < 12'000; from += 1'500) {
        CAPTURE(from);
        const Setting fail("MUSTER_TEST_FAIL_FROM", std::to_string(from));
        const auto artifact = compile_saxpy();
        if (artifact) continue;
        const ErrorCode code = artifact.error().code;
        CAPTURE(artifact.error().to_string());
        CHECK((code == ErrorCode::out_of_memory || code == ErrorCode::unavailable ||
               code == ErrorCode::compile_failed));
        lacked_memory = lacked_memory || code == ErrorCode::out_of_memory;
    }
    CHECK(lacked_memory);
}

TEST_CASE("isolated: a compiler that is out of time is ended") {
    const Setting isolated("MUSTER_PROBE", "isolated");
    const auto late = compile_within<Artifact>(std::chrono::milliseconds(1), "saxpy", compile_saxpy);
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::compile_timed_out);
    while (compilations_left_behind() > 0) std::this_thread::yield();
}
