// Copies and fills without kernels: on any number of threads, in order with kernels, small ones within the call.
#include <support/transfers.hpp>

#include <muster/backend-cpu/device/device.hpp>

#include "device/cpu/kernels.hpp"

using namespace muster;
using namespace muster::cpu;
using namespace std::chrono_literals;

TEST_CASE("transfers move any range, in order, on any number of threads") {
    for (const std::uint32_t threads : {1u, 2u, 7u}) {
        CAPTURE(threads);
        CpuDevice device({.threads = threads});
        check_transfers(device);
    }
}

TEST_CASE("a small transfer ends within the call, a large one doesn't") {
    CpuDevice device({.threads = 2});
    const auto memory = *device.allocate(8 << 20);
    const auto fill = [&](std::uint64_t bytes) {
        return device.transfer({.to = memory.get(), .bytes = bytes, .word = 1});
    };
    CHECK(test::ran_at_once(fill(64 << 10)));
    const auto large = fill(8 << 20);
    CHECK_FALSE(test::ran_at_once(large));
    CHECK(test::wait(large));
}

#if defined(__x86_64__)
TEST_CASE("a transfer doesn't overtake a kernel in flight, and ends with an abandoned device") {
    for (const bool abandons : {false, true}) {
        test::Bench blocker(test::endless_kernel(), 2);
        const auto blocked = blocker.submit({1, 1, 1});
        const auto memory = blocker.device->allocate(4).value();
        const auto after = blocker.device->transfer({.to = memory.get(), .bytes = 4, .word = 1});
        REQUIRE(after);
        CHECK(test::wait(after, 20ms).error().code == ErrorCode::timed_out);
        if (abandons) {
            blocker.device->abandon();
            CHECK(test::wait(after).error().code == ErrorCode::device_lost);
        }
        blocker.set_word(0, 1);
        if (!abandons) CHECK(test::wait(after));
        (void)test::wait(blocked);
    }
}
#endif
