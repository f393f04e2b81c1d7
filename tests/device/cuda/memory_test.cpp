// Memory: zeroed, copied in chunks or directly, freed; too much of it.
#include <algorithm>
#include <thread>
#include <vector>

#include "kit.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace std::chrono_literals;

TEST_CASE("memory is zero at first, and keeps what is written anywhere") {
    for (const Way& way : ways) {
        Machine machine;
        way.set(machine);
        const auto backend = machine.backend();
        const auto device = *backend->open(0);
        for (const std::uint64_t bytes : {1u, 4u, 255u, 4096u, 1u << 20, (4u << 20) + 4, (13u << 20) + 3}) {
            const auto memory = device->allocate(bytes);
            if (!memory) FAIL(memory.error().to_string());
            std::vector<std::byte> seen(bytes, std::byte{1}), sent(bytes - bytes / 3);
            REQUIRE(device->read(**memory, 0, seen));
            CHECK(std::ranges::all_of(seen, [](std::byte byte) { return byte == std::byte{0}; }));
            for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 + i / 251);
            REQUIRE(device->write(**memory, bytes / 3, sent));
            REQUIRE(device->read(**memory, 0, seen));
            CHECK(std::ranges::equal(std::span(seen).subspan(bytes / 3), sent));
            CHECK(std::all_of(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(bytes / 3),
                              [](std::byte byte) { return byte == std::byte{0}; }));
        }
        CHECK(machine.fake.device_bytes() <= std::uint64_t{14} << 20);
    }
}

TEST_CASE("a write returns while it is copied, and what it was given may change") {
    Machine machine;
    machine.fake.pace = 2ms;
    const auto backend = machine.backend();
    const auto device = *backend->open(0);
    const auto memory = *device->allocate(4);
    for (std::byte value{1}; value < std::byte{20};
         value = static_cast<std::byte>(static_cast<int>(value) + 1)) {
        std::vector<std::byte> sent(4, value);
        REQUIRE(device->write(*memory, 0, sent));
        sent.assign(4, std::byte{0xff});
    }
    std::vector<std::byte> seen(4);
    REQUIRE(device->read(*memory, 0, seen));
    CHECK(seen == std::vector<std::byte>(4, std::byte{19}));
}

TEST_CASE("what is pinned is copied from where it is, at once; else in pieces") {
    Machine machine;
    machine.must_be_clean = false;  // the test owns the pinned memory
    const auto backend = machine.backend();
    const auto device = *backend->open(0);
    constexpr std::size_t bytes = (9u << 20) + 1;
    const auto memory = *device->allocate(bytes);
    const std::span<std::byte> pinned = machine.fake.pinned(bytes);
    std::ranges::fill(pinned, std::byte{7});
    const std::uint64_t before = machine.fake.calls("cuMemcpyHtoDAsync");
    REQUIRE(device->write(*memory, 0, pinned));
    CHECK(machine.fake.calls("cuMemcpyHtoDAsync") == before + 1);
    std::ranges::fill(pinned, std::byte{0});
    REQUIRE(device->read(*memory, 0, pinned));
    CHECK(machine.fake.calls("cuMemcpyDtoHAsync") == 1);
    CHECK(std::ranges::all_of(pinned, [](std::byte byte) { return byte == std::byte{7}; }));
    std::vector<std::byte> pageable(bytes);
    REQUIRE(device->read(*memory, 0, pageable));
    CHECK(machine.fake.calls("cuMemcpyDtoHAsync") == 1 + 3);
    CHECK(std::ranges::equal(pageable, pinned));
}

TEST_CASE("more memory than the device has is an error, and what is freed serves again") {
    for (const Way& way : ways) {
        Machine machine;
        way.set(machine);
        machine.fake.devices[0].memory_bytes = 1 << 20;
        Session session = machine.session();
        const Kernel kernel = prepared(session, test::iota());
        const auto fill = [&](std::uint64_t bytes) {
            Buffer data = *session.buffer(bytes, Scalar::u32);
            auto ticket = session.dispatch(kernel, {{"data", data}}, Workgroups{1});
            return ticket ? ticket->wait() : Result<Timing>(std::unexpected(ticket.error()));
        };
        for (int i = 0; i < 20; ++i) REQUIRE(fill(600 << 10));
        {
            Buffer held = *session.buffer(600 << 10, Scalar::u32);
            REQUIRE(session.dispatch(kernel, {{"data", held}}, Workgroups{1}));
            const auto refused = fill(600 << 10);
            REQUIRE_FALSE(refused);
            CHECK(refused.error().code == ErrorCode::out_of_memory);
            CHECK(refused.error().message == "CUDA says: CUDA_ERROR_OUT_OF_MEMORY.");
            CHECK(refused.error().to_string().find("while allocating 614400 bytes") != std::string::npos);
            REQUIRE(held.read_all<std::uint32_t>());
        }
        CHECK(fill(600 << 10));
        const auto too_much = fill(2 << 20);
        REQUIRE_FALSE(too_much);
        CHECK(too_much.error().code == ErrorCode::limit_exceeded);
    }
}

TEST_CASE("buffers come and go beside launches that use others") {
    Machine machine;
    machine.fake.pace = 20us;
    Session session = machine.session();
    const Kernel kernel = prepared(session, test::iota());
    Buffer long_lived = *session.zeros<std::uint32_t>(64);
    for (int i = 0; i < 100; ++i) {
        REQUIRE(session.dispatch(kernel, {{"data", long_lived}}, Workgroups{1}));
        Buffer data = *session.zeros<std::uint32_t>(64 + static_cast<std::size_t>(i));
        REQUIRE(session.dispatch(kernel, {{"data", data}}, Workgroups{1}));
        if (i % 3 == 0) CHECK((*data.read_all<std::uint32_t>())[63] == 63);
    }
}
