// What a buffer takes of the host's memory, and gives to its device.
#include <vector>

#include <doctest/doctest.h>
#include <malloc.h>
#include <support/interpreting_double.hpp>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;

namespace {

constexpr std::size_t count = std::size_t{4} << 20;

struct BufferMemoryFixture {
    DeviceScriptPointer device = std::make_shared<DeviceScript>();
    Session session = interpreting_session({device});

    void negate(const Buffer& x) {
        const Kernel kernel = *session.prepare(*validate(*wgsl::parse(R"(
            @group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(64) fn negate(@builtin(global_invocation_id) id: vec3u) { x[id.x] = ~x[id.x]; }
        )")));
        REQUIRE(session.dispatch(kernel, {{"x", x}}, Workgroups{1}));
    }
};

/// Bytes of the heap in use; 0 where a sanitizer has a heap of its own.
std::size_t heap_bytes() {
    const auto heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

}  // namespace

TEST_CASE_FIXTURE(BufferMemoryFixture, "a device gets from the first byte that the host wrote to the last") {
    Buffer x = *session.zeros<std::uint32_t>(count);
    const std::uint32_t word = 5;
    for (const std::size_t at : {40u, 20u, 30u})
        REQUIRE(x.write_bytes(std::as_bytes(std::span(&word, 1)), 4 * at));
    negate(x);
    CHECK(device->bytes_written.load() == 4 * 21);
    const auto seen = *x.read_all<std::uint32_t>();
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t written = i == 20 || i == 30 || i == 40 ? word : 0;
        if (seen[i] != (i < 64 ? ~written : written)) FAIL("wrong word ", i);
    }
}

TEST_CASE_FIXTURE(BufferMemoryFixture, "the host's copy is freed once a device has the bytes") {
    const std::size_t before = heap_bytes();
    Buffer x = *session.buffer(std::vector<std::uint32_t>(count));
    negate(x);  // the double's memory is of the heap
    CHECK(heap_bytes() < before + 4 * count + (std::size_t{1} << 20));
}
