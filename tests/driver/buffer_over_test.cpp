// Buffers over the caller's memory: in place where the device can, a copy that sync() brings back where it can't.
#include <array>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;

namespace {

constexpr const char* doubling = R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) { x[id.x] = 2 * x[id.x]; }
)";

struct BufferOverFixture {
    DeviceScriptPointer device = std::make_shared<DeviceScript>();
    std::vector<std::uint32_t> mine = std::vector<std::uint32_t>(100, 3);
    ValidProgram program = *validate(*wgsl::parse(doubling));

    void twice(Session& session, const Buffer& x) {
        const Kernel kernel = *session.prepare(program);
        REQUIRE(session.dispatch(kernel, {{"x", x}}, Invocations{100}));
    }
};

}  // namespace

TEST_CASE_FIXTURE(BufferOverFixture, "a device that wraps memory works in place") {
    device->wraps = true;
    Session session = interpreting_session({device});
    Buffer x = *session.buffer_over(std::span(mine));
    CHECK_FALSE(x.is_in_place());
    twice(session, x);
    CHECK(x.is_in_place());
    REQUIRE(x.sync());
    CHECK(mine.at(99) == 6);
    mine[0] = 10;
    twice(session, x);
    CHECK(x.read_all<std::uint32_t>()->at(0) == 20);
    CHECK(mine.at(0) == 20);
    CHECK(device->allocations == 0);
}

TEST_CASE_FIXTURE(BufferOverFixture, "a device that can't wrap memory has a copy, which sync() brings back") {
    Session session = interpreting_session({device});
    Buffer x = *session.buffer_over(std::span(mine));
    twice(session, x);
    CHECK_FALSE(x.is_in_place());
    CHECK(mine.at(99) == 3);
    twice(session, x);
    CHECK(device->writes == 1);
    REQUIRE(x.sync());
    CHECK(mine.at(99) == 12);
    mine[0] = 10;  // the caller's again
    twice(session, x);
    CHECK(x.read_all<std::uint32_t>()->at(0) == 20);
    CHECK(mine.at(0) == 10);
}

TEST_CASE_FIXTURE(BufferOverFixture, "a buffer over memory moves between devices, in place or not") {
    auto wrapping = std::make_shared<DeviceScript>();
    wrapping->wraps = true;
    wrapping->id = "wrapping";
    device->id = "copying";
    Session copies = interpreting_session({device}), wraps = interpreting_session({wrapping});
    Buffer x = *copies.buffer_over(std::span(mine));
    twice(copies, x);
    twice(wraps, x);
    CHECK(x.is_in_place());
    twice(copies, x);
    CHECK_FALSE(x.is_in_place());
    REQUIRE(x.sync());
    CHECK(mine == std::vector<std::uint32_t>(100, 24));
}

TEST_CASE_FIXTURE(BufferOverFixture, "reads and writes from the host reach the caller's memory") {
    Session session = interpreting_session({device});
    Buffer x = *session.buffer_over(std::span(mine));
    REQUIRE(x.write(std::span<const std::uint32_t>(std::array{8u})));
    CHECK(mine.at(0) == 8);
    CHECK(mine.at(1) == 3);
    CHECK(x.read_all<std::uint32_t>()->at(0) == 8);
}

TEST_CASE_FIXTURE(BufferOverFixture, "memory that devices can't use is refused") {
    Session session = interpreting_session({device});
    CHECK(session.buffer_over(std::span<std::byte>()).error().message.find("at least one byte") !=
          std::string::npos);
    const auto odd = std::as_writable_bytes(std::span(mine)).subspan(4);
    CHECK(session.buffer_over(odd).error().message.find("isn't a multiple of 16") != std::string::npos);
}

TEST_CASE_FIXTURE(BufferOverFixture, "sync() of a plain buffer moves it to the host") {
    Session session = interpreting_session({device});
    Buffer x = *session.buffer(mine);
    twice(session, x);
    REQUIRE(x.sync());
    const int reads = device->reads;
    CHECK(x.read_all<std::uint32_t>()->at(7) == 6);
    CHECK(device->reads == reads);
}
