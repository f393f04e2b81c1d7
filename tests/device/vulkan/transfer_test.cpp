// Copies and fills by Vulkan's own commands: any range, in order with launches, in batches that recur.
#include <support/transfers.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace std::chrono_literals;

TEST_CASE("transfers move any range, in order, in each way") {
    for (const VulkanOptions& options : ways) {
        VulkanBackend backend(options);
        check_transfers(**backend.open(0));
    }
}

TEST_CASE("transfers and launches see what those before them wrote, also where they recur") {
    for (const VulkanOptions& options : ways) {
        Bench bench(options);
        const auto transferred = [&](const MemoryTransfer& transfer) {
            auto submitted = bench.device->transfer(transfer);
            if (!submitted) FAIL(submitted.error().to_string());
            return std::get<std::shared_ptr<Submission>>(*std::move(submitted));
        };
        std::vector<std::shared_ptr<Submission>> all;
        for (int turn = 0; turn < 200; ++turn) {  // x += 1; y = 0 or x
            all.push_back(transferred({.to = bench.y.get(), .bytes = 256}));
            all.push_back(bench.submit());
            all.push_back(bench.submit());
            all.push_back(transferred({.from = bench.y.get(), .to = bench.x.get(), .bytes = 4}));
            all.push_back(transferred({.to = bench.x.get(), .bytes = 4, .word = 0x3f800000}));  // 1.0f
        }
        all.push_back(
            transferred({.from = bench.y.get(), .from_offset = 16, .to = bench.y.get(), .bytes = 8}));
        for (const auto& one : all) REQUIRE(one->wait(60s));
        CHECK(bench.result() == 2.0f);
    }
}

TEST_CASE("a transfer alone recurs with another word, place or size") {
    Bench bench({});
    for (const std::uint32_t word : {1u, 1u, 2u})
        for (const std::uint64_t offset : {0u, 128u, 128u}) {
            const auto submitted = bench.device->transfer(
                {.to = bench.y.get(), .to_offset = offset, .bytes = 4 + 4 * word, .word = word});
            REQUIRE(submitted);
            REQUIRE(std::get<std::shared_ptr<Submission>>(*submitted)->wait(60s));
            std::array<std::uint32_t, 4> words{};
            REQUIRE(bench.device->read(*bench.y, offset, std::as_writable_bytes(std::span(words))));
            CHECK(words == std::array<std::uint32_t, 4>{word, word, word == 2 ? 2u : 0u, 0});
        }
    bench.device->abandon();
    CHECK(bench.device->transfer({.to = bench.y.get(), .bytes = 4}).error().code == ErrorCode::device_lost);
}
