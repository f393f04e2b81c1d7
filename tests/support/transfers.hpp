// transfers.hpp - what every device with transfers does with them (Device::transfer), for the tests of backends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/contract/backend.hpp>

namespace muster {

/// Many copies and fills in flight, of all sizes, between two memories and within them, one after the other.
inline void check_transfers(Device& device) {
    REQUIRE(device.has_transfers());
    constexpr std::uint64_t count = 150'003;  // words
    struct Side {
        std::unique_ptr<Memory> memory;
        std::vector<std::uint32_t> expected;
    };
    std::array<Side, 2> sides;
    for (Side& side : sides) {
        side.memory = *device.allocate(4 * count);
        for (std::uint32_t i = 0; i < count; ++i) side.expected.push_back(i * 2654435761u);
        REQUIRE(device.write(*side.memory, 0, std::as_bytes(std::span(side.expected))));
    }
    std::mt19937 random(7);
    const auto up_to = [&](std::uint64_t most) { return random() % (most + 1); };
    std::vector<std::shared_ptr<Submission>> in_flight;
    for (std::uint32_t turn = 0; turn < 200; ++turn) {
        const std::uint64_t size = 1 + up_to(turn % 3 == 0 ? 10 : count / 2 - 1), to = up_to(count - size);
        Side &target = sides[random() % 2], &source = sides[random() % 2];
        std::uint64_t from = up_to(count - size);
        const bool overlap = &source == &target && from < to + size && to < from + size;
        MemoryTransfer transfer{
            .to = target.memory.get(), .to_offset = 4 * to, .bytes = 4 * size, .word = turn};
        const auto begin = target.expected.begin() + static_cast<std::ptrdiff_t>(to);
        if (turn % 4 == 0 || overlap) {
            std::fill_n(begin, size, turn);
        } else {
            transfer.from = source.memory.get();
            transfer.from_offset = 4 * from;
            std::copy_n(source.expected.begin() + static_cast<std::ptrdiff_t>(from), size, begin);
        }
        auto submitted = device.transfer(transfer);
        if (!submitted) FAIL(submitted.error().to_string());
        if (auto* const running = std::get_if<std::shared_ptr<Submission>>(&*submitted))
            in_flight.push_back(std::move(*running));
    }
    for (const auto& one : in_flight) REQUIRE(one->wait(std::chrono::minutes(1)));
    for (Side& side : sides) {
        std::vector<std::uint32_t> words(count);
        REQUIRE(device.read(*side.memory, 0, std::as_writable_bytes(std::span(words))));
        CHECK(words == side.expected);
    }
}

}  // namespace muster
