// Compiling in a process of its own. The helper opens the backend's file, so that this program links the shared backend.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <support/own_process.hpp>
#include <support/programs.hpp>

#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/process/backends.hpp>

using namespace muster;

namespace {

/// Sets an environment variable during its lifetime.
struct Setting {
    const char* name;
    Setting(const char* called, const std::string& value) : name(called) { setenv(name, value.c_str(), 1); }
    ~Setting() { unsetenv(name); }
};

Result<Artifact> compile_saxpy() {
    const auto backend = acquire("cpu");
    REQUIRE(backend);
    auto device = (*backend)->open(0);
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

}  // namespace

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
