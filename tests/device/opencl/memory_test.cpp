#include <algorithm>

#include "kit.hpp"

using namespace muster;
using namespace muster::opencl;

TEST_CASE("memory is zero at first, and keeps what is written anywhere") {
    Bench bench;
    for (int turn = 0; turn < 2; ++turn)
        for (const std::uint64_t bytes : {1u, 4u, 255u, 4096u, 1u << 20, (9u << 20) + 3}) {
            const auto memory = bench.device->allocate(bytes);
            if (!memory) FAIL(memory.error().to_string());
            CHECK((*memory)->bytes() == bytes);
            std::vector<std::byte> seen(bytes, std::byte{1}), sent(bytes - bytes / 3);
            REQUIRE(bench.device->read(**memory, 0, seen));
            CHECK(std::ranges::all_of(seen, [](std::byte byte) { return byte == std::byte{0}; }));
            for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 + i / 251);
            REQUIRE(bench.device->write(**memory, bytes / 3, sent));
            REQUIRE(bench.device->read(**memory, 0, seen));
            CHECK(std::ranges::equal(std::span(seen).subspan(bytes / 3), sent));
            CHECK(std::all_of(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(bytes / 3),
                              [](std::byte byte) { return byte == std::byte{0}; }));
        }
}

TEST_CASE("a buffer larger than the device allocates at once is refused with both numbers") {
    Bench bench;
    const auto memory = bench.device->allocate(std::uint64_t{1} << 60);
    REQUIRE_FALSE(memory);
    CHECK(memory.error().code == ErrorCode::limit_exceeded);
    CHECK(memory.error().message.starts_with("A buffer of 1152921504606846976 bytes is larger than the "));
}
