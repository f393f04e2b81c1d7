// Dispatches on every device, apart from their results: values, order, work in flight.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <doctest/doctest.h>
#include <support/callers_array.hpp>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

Session session_on(const TestDevice& device) {
    auto session = Session::open({.policy = policy_for(device), .use_environment = false});
    if (!session) FAIL(session.error().to_string());
    return *session;
}

Kernel prepared(Session& session, const char* text) {
    auto program = wgsl::parse(text);
    if (!program) FAIL(program.error().to_string());
    auto valid = validate(*std::move(program));
    if (!valid) FAIL(valid.error().to_string());
    auto kernel = session.prepare(*valid);
    if (!kernel) FAIL(kernel.error().to_string());
    return *std::move(kernel);
}

}  // namespace

TEST_CASE("values are the dispatch's own: what held them may change once dispatch() has returned" *
          doctest::test_suite("devices")) {
    constexpr const char* text = R"(
        @group(0) @binding(0) var<uniform> which: u32;
        @group(0) @binding(1) var<uniform> table: array<vec4u, 64>;
        @group(0) @binding(2) var<uniform> turns: u32;
        @group(0) @binding(3) var<storage, read_write> out: array<vec4u>;
        @compute @workgroup_size(1) fn main() {
            var sum = vec4u();
            for (var i = 0u; i < turns; i++) { sum += table[i % 64]; }
            out[which] = sum;
        })";
    constexpr std::uint32_t dispatches = 40, turns = 6400;
    for (const TestDevice& device : devices()) {
        CAPTURE(device.id);
        Session session = session_on(device);
        const Kernel kernel = prepared(session, text);
        const Buffer out = *session.zeros<std::uint32_t>(4 * dispatches);
        std::vector<Ticket> tickets;
        std::array<std::array<std::uint32_t, 4>, 64> table{};
        std::vector<Argument> arguments{{"which", 0u}, {"table", table}, {"turns", turns}, {"out", out}};
        for (std::uint32_t d = 0; d < dispatches; ++d) {
            for (auto& row : table) row = {d, 2 * d, 3 * d, 1};
            arguments[0] = {"which", d};
            arguments[1] = {"table", table};
            auto ticket = session.dispatch(kernel, arguments, Workgroups{1});
            if (!ticket) FAIL(ticket.error().to_string());
            tickets.push_back(*std::move(ticket));
        }
        for (const Ticket& ticket : tickets) CHECK(ticket.wait());
        const auto seen = *out.read_all<std::uint32_t>();
        for (std::uint32_t d = 0; d < dispatches; ++d) {
            CAPTURE(d);
            CHECK(seen[4 * d] == d * turns);
            CHECK(seen[4 * d + 2] == 3 * d * turns);
            CHECK(seen[4 * d + 3] == turns);
        }
    }
}

TEST_CASE("a binding of bytes may have any number of them, and its length is that number" *
          doctest::test_suite("devices")) {
    constexpr const char* text = R"(
        enable f16;
        enable muster_int8_int16;
        struct Head { count: u16, tail: array<u8> }
        @group(0) @binding(0) var<storage, read_write> bytes: array<u8>;
        @group(0) @binding(1) var<storage, read_write> head: Head;
        @group(0) @binding(2) var<uniform> step: i8;
        @group(0) @binding(3) var<uniform> half: f16;
        @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
            let all = arrayLength(&bytes);
            if i < all { bytes[i] = u8(i32(bytes[i]) + i32(step)); }
            if i == 0 { head.count = u16(arrayLength(&head.tail) * u32(half * 2)); }
        })";
    for (const TestDevice& device : devices()) {
        CAPTURE(device.id);
        Session session = session_on(device);
        const Kernel kernel = prepared(session, text);
        for (const std::size_t count : {1u, 2u, 3u, 5u, 7u, 13u}) {
            CAPTURE(count);
            const std::vector<std::uint8_t> given(count, 200);
            const Buffer bytes = *session.buffer(given);
            const Buffer head = *session.zeros<std::uint8_t>(3 + count);
            const std::array<Argument, 4> arguments{
                Argument{"bytes", bytes}, {"head", head}, {"step", std::int8_t{-3}}, {"half", f16(0.5f)}};
            auto ticket = session.dispatch(kernel, arguments, Workgroups{1});
            if (!ticket) FAIL(ticket.error().to_string());
            CHECK(ticket->wait());
            const auto seen = *bytes.read_all<std::uint8_t>();
            REQUIRE(seen.size() == count);
            for (const std::uint8_t byte : seen) CHECK(byte == 197);
            CHECK(head.read_all<std::uint8_t>()->at(0) == count + 1);
        }
    }
}

TEST_CASE("sequences, copies, fills and snapshots give the same bytes on every device" *
          doctest::test_suite("devices")) {
    constexpr const char* text = R"(
        @group(0) @binding(0) var<storage, read> x: array<u32>;
        @group(0) @binding(1) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(64) fn step(@builtin(global_invocation_id) id: vec3u) {
            if id.x < arrayLength(&y) { y[id.x] = 3 * x[id.x] + id.x; }
        })";
    constexpr std::uint32_t count = 1000, times = 7;
    std::vector<std::uint32_t> expected(count, 0);
    for (std::uint32_t turn = 0; turn < times; ++turn) {
        for (std::uint32_t i = 0; i < count; ++i) expected[i] = 3 * expected[i] + i;
        for (std::uint32_t i = 0; i < 100; ++i) expected[i + 333] = expected[i + 77];  // by way of the middle
        expected[999] = 4;
    }
    for (const TestDevice& device : devices()) {
        CAPTURE(device.id);
        Session session = session_on(device);
        const Kernel step = prepared(session, text);
        const Buffer a = *session.zeros<std::uint32_t>(count), b = *session.zeros<std::uint32_t>(count);
        const Buffer middle = *session.zeros<std::uint32_t>(150);
        Sequence pass = session.sequence();
        REQUIRE(pass.dispatch(step, {{"x", a}, {"y", b}}, Invocations{count}));
        REQUIRE(pass.copy({b, 77 * 4, 400}, {middle, 8, 400}));
        REQUIRE(pass.copy({middle, 8, 400}, {b, 333 * 4, 400}));
        REQUIRE(pass.fill({b, 999 * 4, 4}, 4));
        REQUIRE(pass.copy({b}, {a}));
        std::vector<Ticket> tickets;
        for (std::uint32_t turn = 0; turn < times; ++turn) {
            auto ticket = pass.submit();
            if (!ticket) FAIL(ticket.error().to_string());
            tickets.push_back(*ticket);
        }
        const auto snapshot = session.snapshot({a});
        REQUIRE(session.fill({a}, 1));
        for (const Ticket& ticket : tickets) CHECK(ticket.wait());
        CHECK(*snapshot->buffer.read_all<std::uint32_t>() == expected);
        CHECK(a.read_all<std::uint32_t>()->at(500) == 1);
    }
}

TEST_CASE("many large copies and fills stay in order with kernels, on every device" *
          doctest::test_suite("devices")) {
    constexpr const char* text = R"(
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(64) fn more(@builtin(global_invocation_id) id: vec3u) {
            if id.x < arrayLength(&x) { x[id.x] += id.x; }
        })";
    for (const TestDevice& device : devices()) {
        CAPTURE(device.id);
        const std::uint32_t count = device.backend == "reference" ? 3'001 : 300'001, half = count / 2;
        const auto range = [](const Buffer& of, std::uint64_t begin, std::uint64_t size) {
            return BufferRange{of, 4 * begin, 4 * size};
        };
        Session session = session_on(device);
        const Kernel more = prepared(session, text);
        const Buffer a = *session.zeros<std::uint32_t>(count), b = *session.zeros<std::uint32_t>(count);
        std::vector<std::uint32_t> in_a(count, 0), in_b(count, 0);
        Ticket last(Timing{});
        const auto submitted = [&](Result<Ticket> ticket) {
            if (!ticket) FAIL(ticket.error().to_string());
            last = *std::move(ticket);
        };
        for (std::uint32_t turn = 1; turn <= 40; ++turn) {
            submitted(session.dispatch(more, {{"x", a}}, Invocations{count}));
            for (std::uint32_t i = 0; i < count; ++i) in_a[i] += i;
            submitted(session.copy({a}, {b}));
            in_b = in_a;
            submitted(session.copy(range(b, half, half - 1), range(b, 1, half - 1)));
            std::copy_n(in_b.begin() + half, half - 1, in_b.begin() + 1);
            submitted(session.fill(range(a, turn, 2 * turn), 7 * turn));
            std::fill_n(in_a.begin() + turn, 2 * turn, 7 * turn);
            submitted(session.copy(range(b, 2, half), range(a, 500, half)));
            std::copy_n(in_b.begin() + 2, half, in_a.begin() + 500);
        }
        REQUIRE(last.wait());
        CHECK(*a.read_all<std::uint32_t>() == in_a);
        CHECK(*b.read_all<std::uint32_t>() == in_b);
    }
}

using CallersWords = test::CallersArray<std::uint32_t>;

TEST_CASE("a buffer over the caller's memory has the results there after sync(), on every device" *
          doctest::test_suite("devices")) {
    constexpr const char* text = R"(
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) { x[id.x] = 2 * x[id.x]; }
    )";
    for (const TestDevice& device : devices())
        for (const std::size_t after : {std::size_t{0}, wrapped_alignment})
            for (const std::size_t count : {1u, 63u, 1000u, 20'001u}) {
                CAPTURE(device.id);
                CAPTURE(count);
                const CallersWords words(count, after, 0);
                Session session = session_on(device);
                const Kernel twice = prepared(session, text);
                Buffer x = *session.buffer_over(words.all());
                for (const std::uint32_t given : {7u, 1u}) {
                    words.fill(given);
                    REQUIRE(session.dispatch(twice, {{"x", x}}, Invocations{count}));
                    REQUIRE(session.dispatch(twice, {{"x", x}}, Invocations{count}));
                    if (device.backend == "cpu" || device.backend == "reference") CHECK(x.is_in_place());
                    REQUIRE(x.sync());
                    CHECK(words.holds(4 * given));
                }
                CHECK(words.is_intact_around());
            }
}

TEST_CASE("copies, fills, snapshots, reads and writes use the caller's memory, on every device" *
          doctest::test_suite("devices")) {
    constexpr std::size_t count = 20'001;
    for (const TestDevice& device : devices())
        for (const std::size_t after : {std::size_t{0}, wrapped_alignment}) {
            CAPTURE(device.id);
            const CallersWords words(count, after, 7);
            Session session = session_on(device);
            Buffer x = *session.buffer_over(words.all()), part = *session.zeros<std::uint32_t>(100);
            REQUIRE(session.fill({x, 4'000, 200}, 9));
            REQUIRE(session.copy({x, 3'992, 400}, {part}));
            const auto snapshot = session.snapshot({x});
            REQUIRE(session.fill({x, 256, 0}, 1));
            REQUIRE(x.write(std::span<const std::uint32_t>(std::array{5u, 6u})));
            CHECK(x.read_all<std::uint32_t>()->at(1) == 6);
            const auto before = *snapshot->buffer.read_all<std::uint32_t>(),
                       copied = *part.read_all<std::uint32_t>();
            CHECK(before.at(0) == 7);
            CHECK(std::ranges::count(before, 9) == 50);
            CHECK(copied.at(1) == 7);
            CHECK(std::ranges::count(copied, 9) == 50);
            REQUIRE(x.sync());
            CHECK(words.all()[0] == 5);
            CHECK(words.all()[63] == 7);
            CHECK(std::ranges::count(words.all(), 1) == count - 64);
            CHECK(words.is_intact_around());
        }
}

TEST_CASE("a part of a grid runs its workgroups alone, with the ids and the size of the whole" *
          doctest::test_suite("devices")) {
    constexpr const char* text = R"(
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3u,
                                               @builtin(workgroup_id) group: vec3u,
                                               @builtin(num_workgroups) all: vec3u) {
            let at = (id.z * all.y * 2 + id.y) * all.x * 4 + id.x;
            out[at] += 1 + group.x + 16 * group.y + 256 * group.z + 4096 * all.x;
        })";
    constexpr Workgroups whole{5, 3, 2};
    constexpr std::uint32_t words = 5 * 4 * 3 * 2 * 2;
    for (const TestDevice& device : devices()) {
        if (device.id.starts_with("cuda-host-emitted")) continue;  // emitted kernels run whole grids
        CAPTURE(device.id);
        Session session = session_on(device);
        const Kernel kernel = prepared(session, text);
        const auto run = [&](std::initializer_list<Grid> grids) {
            const Buffer out = *session.zeros<std::uint32_t>(words);
            for (const Grid& grid : grids) {
                auto ticket = session.dispatch(kernel, {{"out", out}}, grid);
                if (!ticket) FAIL(ticket.error().to_string());
                CHECK(ticket->wait());
            }
            return *out.read_all<std::uint32_t>();
        };
        const auto part = [&](Extent3 origin, Extent3 extent) { return PartOfGrid{{origin, extent}, whole}; };
        const auto all = run({whole});
        CHECK(run({part({0, 0, 0}, {2, 3, 2}), part({2, 0, 0}, {3, 3, 1}), part({2, 0, 1}, {3, 3, 1}),
                   part({4, 1, 1}, {0, 1, 1})}) == all);
        const auto one = run({part({3, 1, 1}, {1, 1, 1})});
        for (std::uint32_t i = 0; i < words; ++i) {
            const std::uint32_t x = i % 20 / 4, y = i / 20 % 6 / 2, z = i / 120;
            CHECK(one[i] == (x == 3 && y == 1 && z == 1 ? all[i] : 0));
        }
    }
}
