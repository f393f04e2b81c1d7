// The tool without memory: from some allocation on, all fail, in every library and on every thread. It says so, and ends itself.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "run_tool.hpp"

using namespace muster::test;

namespace {

/// The tool with failing_malloc; compiled code isn't kept, so that it is compiled each time.
ToolRun without_memory(const std::string& command, const std::string& more) {
    return tool(command, "MUSTER_CACHE_BYTES=0 LD_PRELOAD=" MUSTER_FAILING_MALLOC " " + more);
}

/// The allocations that a command asks for.
long allocations_of(const std::string& command) {
    const ToolRun run = without_memory(command, "MUSTER_TEST_COUNT=1");
    CHECK(run.exit == 0);
    const std::string text = run.err.substr(0, run.err.size() - std::min<std::size_t>(run.err.size(), 1));
    return std::atol(text.substr(text.rfind('\n') + 1).c_str());
}

/// True if the C library's loader has ended the process, which has no memory for a library.
bool is_loaders(const ToolRun& run) {
    return run.exit == 127 && (contains(run.err, "cannot allocate memory") ||
                               contains(run.err, "error while loading shared libraries"));
}

}  // namespace

TEST_CASE("whichever allocation of the tool fails, with all later ones, it says so and ends itself") {
    const long most_points = std::getenv("MUSTER_TEST_ALL") != nullptr ? 400 : 16;
    const std::string run =
        "run examples/saxpy/saxpy.wgsl --bind a=2 --bind x=1,2,3 --bind y=10,10,10 --backend ";
    const std::array commands{
        run + "reference", run + "reference --json", run + "cpu",
        std::string("route examples/saxpy/saxpy.wgsl --exclude vulkan,opencl"),  // drivers that crash
        std::string("emit examples/saxpy/saxpy.wgsl --backend cpu --format asm -o ") + scratch("saxpy.s")};
    for (const std::string& command : commands) {
        if (contains(command, "cpu") && !has_backend("cpu")) continue;
        CAPTURE(command);
        const long all = allocations_of(command);
        REQUIRE(all > 100);
        for (long first = 0; first < all; first += std::max(1L, all / most_points)) {
            CAPTURE(first);
            const ToolRun ended = without_memory(command, fmt::format("MUSTER_TEST_FAIL_FROM={}", first));
            CHECK_MESSAGE((ended.exit < 126 || is_loaders(ended)),
                          fmt::format("{}: {}", ended.exit, ended.err));
            if (ended.exit != 0) CHECK_FALSE(ended.err.empty());
        }
    }
}
