// The queue runs every workgroup once, in order, on any thread; timeouts, stops, nested use, no memory.
#include <algorithm>
#include <numeric>
#include <thread>

#include <doctest/doctest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <muster/driver/contract/check.hpp>

#include "device/cpu/kernels.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>

using namespace muster;
using namespace muster::cpu;
using namespace std::chrono_literals;

namespace {

bool all_are(const std::vector<std::uint32_t>& words, std::uint32_t value) {
    return std::ranges::all_of(words, [&](std::uint32_t word) { return word == value; });
}

}  // namespace

TEST_CASE("every workgroup runs once, whatever their number, the threads and what is known of the cost") {
    for (const std::uint32_t threads : {1u, 2u, 3u, 16u})
        for (const std::uint32_t cost : {0u, 1u, 10u, 100'000u, UINT32_MAX})
            for (const std::uint32_t count : {1u, 2u, 3u, 64u, 1'021u, 100'003u}) {
                CAPTURE(threads);
                CAPTURE(cost);
                CAPTURE(count);
                test::Bench bench(test::count_kernel({.cost = cost}), count, threads);
                const auto end = test::wait(bench.submit({count, 1, 1}));
                REQUIRE_MESSAGE(end, (end ? "" : end.error().to_string()));
                CHECK(all_are(bench.words(), 1));
            }
}

TEST_CASE("a grid of three axes is counted through") {
    test::Bench bench(test::count_kernel(), 5 * 7 * 11);
    REQUIRE(test::wait(bench.submit({5, 7, 11})));
    CHECK(all_are(bench.words(), 1));
}

TEST_CASE("small work ends within submit, work of unknown or high cost does not") {
    test::Bench known(test::count_kernel({.cost = 4}), 100'000);
    CHECK(test::ran_at_once(known.submit({100, 1, 1})));
    CHECK(known.words()[99] == 1);
    CHECK_FALSE(test::ran_at_once(known.submit({100'000, 1, 1})));
    test::Bench unknown(test::count_kernel({.cost = 0}), 1);
    const auto submitted = unknown.submit({1, 1, 1});
    CHECK_FALSE(test::ran_at_once(submitted));
    CHECK(test::wait(submitted));
}

TEST_CASE("submissions run in order: small work doesn't overtake what is in flight") {
    test::Bench blocker(test::endless_kernel(), 2);
    const auto blocked = blocker.submit({1, 1, 1});
    Artifact artifact;
    artifact.format = "image";
    artifact.bytes = test::count_kernel({.cost = 1});
    const auto small = blocker.device->load(artifact).value();
    const auto memory = blocker.device->allocate(4).value();
    const BoundMemory bound{memory.get(), 0, 4};
    const auto after = blocker.device->submit({.executable = small.get(), .bindings = {&bound, 1}});
    REQUIRE(after);
    CHECK_FALSE(test::ran_at_once(after));
    CHECK(test::wait(after, 20ms).error().code == ErrorCode::timed_out);
    CHECK_FALSE(std::get<1>(*after)->done());
    blocker.set_word(0, 1);
    CHECK(test::wait(after));
    CHECK(std::get<1>(*blocked)->done());
    CHECK(test::wait(blocked));
}

TEST_CASE("a thousand in flight all end, in order") {
    test::Bench bench(test::slow_count_kernel({.cost = 50'000}), 4);
    std::vector<Result<Submitted>> all;
    for (int i = 0; i < 1000; ++i) all.push_back(bench.submit({4, 1, 1}));
    CHECK(test::wait(all.back()));
    for (const auto& one : all) CHECK(std::get<1>(*one)->done());
    CHECK(all_are(bench.words(), 1000));
}

TEST_CASE(
    "a timeout is kept, whether the waiter helps or not; the end is the same each time it is asked for") {
    for (const std::uint32_t cost : {0u, 50'000u}) {
        test::Bench bench(test::slow_count_kernel({.cost = cost}), 20'000, 2);
        const auto submitted = bench.submit({20'000, 1, 1});  // at least 50 milliseconds
        const auto start = std::chrono::steady_clock::now();
        const auto early = test::wait(submitted, 10ms);
        const auto took = std::chrono::steady_clock::now() - start;
        REQUIRE_FALSE(early);
        CHECK(early.error().code == ErrorCode::timed_out);
        CHECK(took > 5ms);
        CHECK(took < 5s);
        const auto first = test::wait(submitted), second = test::wait(submitted);
        REQUIRE(first);
        CHECK(first->device_ns == second->device_ns);
        CHECK(first->device_ns > 10'000'000);
        CHECK(all_are(bench.words(), 1));
    }
}

TEST_CASE("several threads wait for one submission, and submit at once") {
    test::Bench bench(test::slow_count_kernel({.cost = 50'000}), 512);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 8; ++k) {
                const auto submitted = bench.submit({512, 1, 1});
                std::thread other([&] { CHECK(test::wait(submitted)); });
                CHECK(test::wait(submitted));
                other.join();
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(all_are(bench.words(), 64));
}

TEST_CASE("scratch is aligned and as large as the kernel needs, kept or not") {
    for (const std::uint32_t bytes : {1u, 64u, 5'000u, 100'000u, 4u << 20}) {
        test::Bench bench(test::scratch_kernel({.scratch_bytes = bytes}), 2);
        bench.set_word(1, bytes);
        REQUIRE(test::wait(bench.submit({64, 1, 1})));
        CHECK(bench.words()[0] == 0);
    }
}

TEST_CASE("no memory for scratch is the submission's error, and the queue goes on") {
    for (const std::uint32_t cost : {0u, 1u}) {
        test::Bench bench(test::scratch_kernel({.cost = cost, .scratch_bytes = 3 << 20}),
                          2);  // too large to be kept
        {
            const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
                if (call != "mmap") return std::nullopt;
                return Error{ErrorCode::out_of_memory, "No.", "", {}};
            });
            const auto end = test::wait(bench.submit({64, 1, 1}));
            REQUIRE_FALSE(end);
            CHECK(end.error().code == ErrorCode::out_of_memory);
        }
        CHECK(test::wait(bench.submit({64, 1, 1})));
    }
}

TEST_CASE("more memory for scratch than there is is an error") {
    test::Bench bench(test::scratch_kernel({.scratch_bytes = std::uint64_t{1} << 50}), 2);
    const auto end = test::wait(bench.submit({1, 1, 1}));
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::out_of_memory);
}

TEST_CASE("kernels get the state of floats that they are compiled for, and callers keep theirs") {
    const unsigned mine = _mm_getcsr();
    const unsigned other = 0x1f80 | 0x8040 | 0x6000;  // flush to zero, subnormals are zero, toward zero
    for (const std::uint32_t cost : {0u, 1u}) {
        test::Bench bench(test::floats_kernel({.cost = cost}), 1);
        _mm_setcsr(other);
        const auto submitted = bench.submit({1, 1, 1});
        const auto end = test::wait(submitted);
        const unsigned after = _mm_getcsr();
        _mm_setcsr(mine);
        CHECK(end);
        CHECK((after & 0xffc0) == (other & 0xffc0));
        CHECK((bench.words()[0] & 0xffc0) == 0x1f80);
    }
}

TEST_CASE("abandoned: what waits answers device_lost at once, nothing more is taken") {
    test::Bench bench(test::endless_kernel(), 2);
    const auto endless = bench.submit({64, 1, 1}), waiting = bench.submit({64, 1, 1});
    bench.wait_for_word(1);
    bench.device->abandon();
    const auto end = test::wait(waiting, 10s);
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::device_lost);
    CHECK(bench.submit({1, 1, 1}).error().code == ErrorCode::device_lost);
    bench.set_word(0, 1);  // the running part ends, and with it the stopped launch
    const auto stopped = test::wait(endless, 10s);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::device_lost);
}

TEST_CASE("a device that is closed while it runs ends between two chunks") {
    test::Bench bench(test::slow_count_kernel(), 10'000'000, 2);
    const auto submitted = bench.submit({10'000'000, 1, 1});  // minutes
    bench.wait_for_word(0);
    Result<Timing> end;
    {
        const auto start = std::chrono::steady_clock::now();
        bench.device.reset();
        CHECK(std::chrono::steady_clock::now() - start < 10s);
        end = test::wait(submitted);
    }
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::device_lost);
}

TEST_CASE("used from within a user's parallel loops: all workers wait for the queue, and it goes on") {
    for (const std::uint32_t cost : {0u, 50'000u}) {
        test::Bench bench(test::slow_count_kernel({.cost = cost}), 64);
        tbb::parallel_for(0, 64, [&](int) { CHECK(test::wait(bench.submit({64, 1, 1}))); });
        CHECK(all_are(bench.words(), 64));
    }
}

TEST_CASE("one core: oneTBB has no worker") {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    for (const std::uint32_t threads : {1u, 4u}) {
        test::Bench bench(test::slow_count_kernel(), 1000, threads);
        CHECK(test::wait(bench.submit({1000, 1, 1})));
        CHECK(all_are(bench.words(), 1));
    }
}

#endif
