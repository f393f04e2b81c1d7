// Tasks on several threads.
#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/support/in_parallel.hpp>

using namespace muster;

TEST_CASE("each task is called once") {
    std::vector<std::atomic<int>> calls(1000);
    const auto done = in_parallel(calls.size(), [&](std::size_t i) -> Result<void> {
        ++calls[i];
        return {};
    });
    CHECK(done);
    for (const auto& count : calls) CHECK(count == 1);
    CHECK(in_parallel(0, [](std::size_t) -> Result<void> { return fail(ErrorCode::internal, "?"); }));
}

TEST_CASE("the error is that of the first task that has one, whichever ends first") {
    for (int round = 0; round < 50; ++round) {
        std::atomic<bool> has_later_failed = false;
        const auto done = in_parallel(100, [&](std::size_t i) -> Result<void> {
            if (i == 4) {
                while (std::thread::hardware_concurrency() > 1 && !has_later_failed)
                    std::this_thread::yield();
                return fail(ErrorCode::conflict, "The first.");
            }
            if (i < 4) return {};
            has_later_failed = true;
            return fail(ErrorCode::conflict, "A later one.");
        });
        REQUIRE_FALSE(done);
        REQUIRE(done.error().message == "The first.");
    }
}

TEST_CASE("a task that runs out of memory is an error") {
    const auto done = in_parallel(4, [](std::size_t) -> Result<void> { throw std::bad_alloc(); });
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::out_of_memory);
}
