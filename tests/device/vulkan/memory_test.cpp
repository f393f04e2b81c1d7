#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include <muster/backend-vulkan/device/block.hpp>
#include <muster/backend-vulkan/device/free_ranges.hpp>
#include <muster/driver/contract/check.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::vulkan;
using namespace std::chrono_literals;

TEST_CASE("free ranges: first fit, and neighbours join again in any order") {
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    do {
        FreeRanges ranges(1024);
        std::array<std::uint64_t, 4> begins{};
        for (std::uint64_t& begin : begins) begin = *ranges.take(256);
        CHECK(begins == std::array<std::uint64_t, 4>{0, 256, 512, 768});
        CHECK_FALSE(ranges.take(1));
        for (const std::size_t which : order) {
            CHECK_FALSE(ranges.all_free());
            ranges.give(begins[which], 256);
        }
        CHECK(ranges.all_free());
        CHECK(ranges.take(1024) == 0);
    } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("a part in the middle is found again, and not where it doesn't fit") {
    FreeRanges ranges(1024);
    for (int i = 0; i < 4; ++i) REQUIRE(ranges.take(256));
    ranges.give(256, 256);
    CHECK_FALSE(ranges.take(512));
    CHECK(ranges.take(256) == 256);
}

TEST_CASE("kinds of memory: what is needed, most of what is wanted, least besides") {
    constexpr auto local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                   coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                   cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    VkPhysicalDeviceMemoryProperties discrete{};
    const std::array<VkMemoryPropertyFlags, 4> kinds{visible | coherent, local | visible | coherent, local,
                                                     visible | coherent | cached};
    for (const VkMemoryPropertyFlags flags : kinds)
        discrete.memoryTypes[discrete.memoryTypeCount++].propertyFlags = flags;
    CHECK(choose_type(discrete, ~0u, device_memory) == 2);
    CHECK(choose_type(discrete, 0b1011, device_memory) == 1);  // the buffer can't be in the third
    CHECK(choose_type(discrete, ~0u, window_memory) == 1);
    CHECK(choose_type(discrete, ~0u, upload_memory) == 0);
    CHECK(choose_type(discrete, ~0u, download_memory) == 3);
    CHECK_FALSE(choose_type(discrete, ~0u, shared_memory));
    CHECK_FALSE(choose_type(discrete, 0, device_memory));
    VkPhysicalDeviceMemoryProperties processor{};
    processor.memoryTypes[processor.memoryTypeCount++].propertyFlags = local | visible | coherent | cached;
    CHECK(choose_type(processor, ~0u, shared_memory) == 0);
    CHECK(choose_type(processor, ~0u, device_memory) == 0);
}

TEST_CASE(
    "memory is zero at first, keeps what is written anywhere, and is zero again when it is used again") {
    for (const VulkanOptions& options : ways) {
        VulkanBackend backend(options);
        const auto device = *backend.open(0);
        for (int turn = 0; turn < 2; ++turn)
            for (const std::uint64_t bytes :
                 {1u, 4u, 255u, 4096u, 1u << 20, (4u << 20) + 4, (9u << 20) + 3}) {
                const auto memory = device->allocate(bytes);
                if (!memory) FAIL(memory.error().to_string());
                std::vector<std::byte> seen(bytes, std::byte{1}), sent(bytes - bytes / 3);
                REQUIRE(device->read(**memory, 0, seen));
                CHECK(std::ranges::all_of(seen, [](std::byte byte) { return byte == std::byte{0}; }));
                for (std::size_t i = 0; i < sent.size(); ++i)
                    sent[i] = static_cast<std::byte>(i * 7 + i / 251);
                REQUIRE(device->write(**memory, bytes / 3, sent));
                REQUIRE(device->read(**memory, 0, seen));
                CHECK(std::ranges::equal(std::span(seen).subspan(bytes / 3), sent));
                CHECK(std::all_of(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(bytes / 3),
                                  [](std::byte byte) { return byte == std::byte{0}; }));
            }
    }
}

TEST_CASE("memory that is let go of is freed once the device has copied to it what it was told to") {
    Bench bench({.id = "vulkan", .staged = true});
    std::vector<std::shared_ptr<Submission>> jobs;
    for (int i = 0; i < 20; ++i) jobs.push_back(bench.submit(65'535));
    CHECK(jobs.back()->wait(0s).error().code == ErrorCode::timed_out);  // all are submitted
    constexpr std::uint64_t bytes = std::uint64_t{65} << 20;            // has a block of its own
    CHECK(bench.device->allocate(bytes));  // zeroed after the launches; the layer watches
    CHECK_FALSE(jobs.back()->done());
    // If no memory is left, the allocation waits for it.
    bool fails = true;
    {
        const PlantedFaults faults([&](std::string_view call) -> std::optional<Error> {
            if (call != "vkAllocateMemory" || !std::exchange(fails, false)) return std::nullopt;
            return Error{ErrorCode::out_of_memory, "Planted.", {}, {}};
        });
        CHECK(bench.device->allocate(bytes));
    }
    CHECK_FALSE(fails);
    CHECK(jobs.back()->done());
    for (const auto& job : jobs) CHECK(job->wait(60s));
}

TEST_CASE("a buffer larger than the device allocates at once is refused with both numbers") {
    VulkanBackend backend;
    const auto memory = (*backend.open(0))->allocate(std::uint64_t{1} << 60);
    REQUIRE_FALSE(memory);
    CHECK(memory.error().code == ErrorCode::limit_exceeded);
    CHECK(memory.error().message.starts_with("A buffer of 1152921504606846976 bytes is larger than the "));
}

TEST_CASE(
    "a binding larger than the device takes is refused with both numbers, before anything is allocated") {
    Session session = session_of({});
    const Kernel kernel = prepared(session, test::iota());
    const std::uint64_t most = kernel.device().limits.max_storage_binding_bytes;
    Buffer data = *session.buffer(most + 4, Scalar::u32);
    const auto refused = session.dispatch(kernel, {{"data", data}}, Workgroups{1});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit_exceeded);
    CHECK(refused.error().message.find(std::to_string(most + 4) + " bytes, more than the " +
                                       std::to_string(most)) != std::string::npos);
}
