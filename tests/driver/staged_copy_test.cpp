#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/support/staged_copy.hpp>

using namespace muster;

namespace {

/// A device whose copies run as late as they may: when somebody waits for them.
struct LateDevice {
    struct Buffer {
        std::vector<std::byte> host = std::vector<std::byte>(staging_bytes);
        std::optional<std::pair<std::size_t, std::size_t>> pending;  // offset, bytes
        std::byte* bytes() { return host.data(); }
    };
    std::vector<std::byte> memory;
    std::array<Buffer, 2> buffers{};
    bool reads = false;
    int copies = 0, copies_that_fail_from = 100;

    Result<void> wait(Buffer& buffer) {
        if (const auto part = std::exchange(buffer.pending, std::nullopt)) run(buffer, *part);
        return {};
    }
    Result<void> copy(Buffer& buffer, std::size_t offset, std::size_t bytes) {
        if (copies++ >= copies_that_fail_from) return fail(ErrorCode::device_lost, "It is lost.");
        CHECK(!buffer.pending);
        buffer.pending = {offset, bytes};
        return {};
    }

  private:
    void run(Buffer& buffer, std::pair<std::size_t, std::size_t> part) {
        std::byte* const there = memory.data() + part.first;
        std::memcpy(reads ? buffer.bytes() : there, reads ? there : buffer.bytes(), part.second);
    }
};

std::vector<std::byte> numbered(std::size_t bytes) {
    std::vector<std::byte> all(bytes);
    for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::byte>((i * 2654435761u) >> 20);
    return all;
}

}  // namespace

TEST_CASE("parts arrive where they belong, in both directions, however late the device copies") {
    for (const std::size_t bytes :
         {std::size_t{1}, staging_bytes, staging_bytes + 1, 2 * staging_bytes, 3 * staging_bytes + 5}) {
        CAPTURE(bytes);
        LateDevice device{.memory = std::vector<std::byte>(bytes)};
        const auto wait = [&](LateDevice::Buffer& buffer) { return device.wait(buffer); };
        const auto copy = [&](LateDevice::Buffer& buffer, std::size_t offset, std::size_t part) {
            return device.copy(buffer, offset, part);
        };
        const auto given = numbered(bytes);
        REQUIRE(write_staged(device.buffers, given, wait, copy));
        CHECK(device.buffers[0].pending);  // the last part's copy is on its way
        for (auto& buffer : device.buffers) (void)device.wait(buffer);
        CHECK(device.memory == given);

        device.reads = true;
        std::vector<std::byte> back(bytes);
        REQUIRE(read_staged(device.buffers, back, wait, copy));
        CHECK(back == given);
        CHECK(device.copies == 2 * static_cast<int>((bytes + staging_bytes - 1) / staging_bytes));
    }
}

TEST_CASE("an error ends the copy") {
    LateDevice device{.memory = std::vector<std::byte>(3 * staging_bytes), .copies_that_fail_from = 1};
    const auto wait = [&](LateDevice::Buffer& buffer) { return device.wait(buffer); };
    const auto copy = [&](LateDevice::Buffer& buffer, std::size_t offset, std::size_t part) {
        return device.copy(buffer, offset, part);
    };
    std::vector<std::byte> host(device.memory.size());
    CHECK(!write_staged(device.buffers, host, wait, copy));
    CHECK(device.copies == 2);
    CHECK(!read_staged(device.buffers, host, wait, copy));
    CHECK(device.copies == 3);
}
