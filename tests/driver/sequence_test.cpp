// Sequences: recorded once, submitted many times; copies, fills, snapshots, grids from buffers, calls at a ticket's end.
#include <future>
#include <numeric>
#include <thread>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>

#include <muster/driver/policy/log.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* doubling = R"(
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> more: u32;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 2 * x[id.x] + more; }
)";

ValidProgram compiled(const char* text) { return *validate(*wgsl::parse(text)); }

std::vector<std::uint32_t> counted(std::uint32_t count) {
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

struct SequenceFixture {
    DeviceScriptPointer device = std::make_shared<DeviceScript>();
    Session session = interpreting_session({device});
    Kernel twice = *session.prepare(compiled(doubling));
    Buffer a = *session.buffer(counted(200)), b = *session.zeros<std::uint32_t>(200);

    static std::vector<std::uint32_t> words(const Buffer& buffer) {
        return *buffer.read_all<std::uint32_t>();
    }
};

template <class T>
std::string refusal(const Result<T>& result) {
    REQUIRE_FALSE(result);
    return result.error().to_string();
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE_FIXTURE(SequenceFixture, "a sequence runs its steps in order, each time that it is submitted") {
    Sequence pass = session.sequence();
    REQUIRE(pass.dispatch(twice, {{"x", a}, {"y", b}, {"more", 1u}}, Invocations{200}));
    REQUIRE(pass.dispatch(twice, {{"x", b}, {"y", a}, {"more", 0u}}, Invocations{200}));
    CHECK(pass.size() == 2);
    auto ticket = pass.submit();
    REQUIRE(ticket);
    CHECK(ticket->wait()->device_ns == 2);  // of both steps
    CHECK(words(a).at(7) == 2 * (2 * 7 + 1));
    REQUIRE(pass.submit());
    CHECK(words(a).at(7) == 2 * (2 * 30 + 1));
    CHECK(device->submits == 4);
}

TEST_CASE_FIXTURE(SequenceFixture, "a sequence takes further steps after it was submitted") {
    Sequence pass = session.sequence();
    REQUIRE(pass.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, Invocations{200}));
    REQUIRE(pass.submit());
    REQUIRE(pass.fill({a}, 9));
    REQUIRE(pass.submit());
    CHECK(words(a) == std::vector<std::uint32_t>(200, 9));
    CHECK(words(b).at(3) == 6);
}

TEST_CASE_FIXTURE(SequenceFixture, "a sequence keeps its values and buffers") {
    Sequence pass = session.sequence();
    {
        Buffer ones = *session.buffer(std::vector<std::uint32_t>(200, 1));
        std::uint32_t more = 5;
        REQUIRE(pass.dispatch(twice, {{"x", ones}, {"y", b}, {"more", more}}, Invocations{200}));
    }
    REQUIRE(pass.submit());
    CHECK(words(b) == std::vector<std::uint32_t>(200, 7));
}

TEST_CASE_FIXTURE(SequenceFixture, "a sequence finds its buffers again after they have moved") {
    auto other = std::make_shared<DeviceScript>();
    other->id = "elsewhere";
    Session elsewhere = interpreting_session({other});
    const Kernel there = *elsewhere.prepare(compiled(doubling));
    const Buffer zeros = *elsewhere.zeros<std::uint32_t>(200);
    Sequence pass = session.sequence();  // b = 2 a + 1, then a = 2 b
    REQUIRE(pass.dispatch(twice, {{"x", a}, {"y", b}, {"more", 1u}}, Invocations{200}));
    REQUIRE(pass.dispatch(twice, {{"x", b}, {"y", a}, {"more", 0u}}, Invocations{200}));
    std::uint32_t expected = 199;
    for (int turn = 0; turn < 4; ++turn) {
        REQUIRE(pass.submit());
        expected = 2 * (2 * expected + 1);
        if (turn == 0) REQUIRE(Buffer(a).sync());  // to the host
        if (turn == 1) {                           // to another device
            REQUIRE(elsewhere.dispatch(there, {{"x", a}, {"y", zeros}, {"more", 0u}}, Invocations{200}));
            REQUIRE(elsewhere.dispatch(there, {{"x", zeros}, {"y", b}, {"more", 0u}}, Invocations{200}));
            CHECK(words(b).at(199) == 4 * expected);
        }
        CHECK(words(a).at(199) == expected);
    }
}

TEST_CASE_FIXTURE(SequenceFixture, "an empty sequence and an empty grid run nothing") {
    Sequence pass = session.sequence();
    CHECK(pass.submit()->wait()->device_ns == 0);
    REQUIRE(pass.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, Workgroups{0}));
    CHECK(pass.submit()->done());
    CHECK(device->submits == 0);
}

TEST_CASE_FIXTURE(SequenceFixture,
                  "wrong arguments are refused when they are recorded, and nothing is added") {
    Sequence pass = session.sequence();
    const std::string text = refusal(pass.dispatch(twice, {{"x", a}, {"y", b}}, Invocations{200}));
    CHECK(has(text, "(\"more\") isn't given"));
    CHECK(has(text, "recording a sequence"));
    CHECK(pass.size() == 0);
    CHECK(
        has(refusal(pass.dispatch(twice, {{"x", a}, {"y", a}, {"more", 0u}}, Invocations{200})), "overlaps"));
}

TEST_CASE("kernels on two devices don't go into one sequence") {
    auto one = std::make_shared<DeviceScript>(), two = std::make_shared<DeviceScript>();
    one->id = "one", two->id = "two";
    two->rank = 2;
    Session session = interpreting_session({one, two}), other = interpreting_session({two});
    const Kernel first = *session.prepare(compiled(doubling)), foreign = *other.prepare(compiled(doubling));
    Buffer a = *session.zeros<std::uint32_t>(64), b = *session.zeros<std::uint32_t>(64);
    Sequence pass = session.sequence();
    REQUIRE(pass.dispatch(first, {{"x", a}, {"y", b}, {"more", 0u}}, Workgroups{1}));
    CHECK(has(refusal(pass.dispatch(foreign, {{"x", a}, {"y", b}, {"more", 0u}}, Workgroups{1})),
              "prepared by another session"));
    one->lost_at = 1;
    REQUIRE(pass.submit());
    CHECK_FALSE(a.read_all<std::uint32_t>());
    Buffer c = *session.zeros<std::uint32_t>(64), d = *session.zeros<std::uint32_t>(64);
    const Kernel second = *session.prepare(compiled(doubling));
    CHECK(second.backend() == "two");
    CHECK(has(refusal(pass.dispatch(second, {{"x", c}, {"y", d}, {"more", 0u}}, Workgroups{1})),
              "is on two:0, those before it in the sequence are on one:0"));
    CHECK(has(refusal(pass.submit()), "lost on purpose"));
}

TEST_CASE_FIXTURE(SequenceFixture,
                  "an error names the step, and what was submitted before it keeps its memory") {
    Sequence pass = session.sequence();
    for (int i = 0; i < 3; ++i)
        REQUIRE(pass.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, Invocations{200}));
    device->lost_when_submitted = 2;
    CHECK(has(refusal(pass.submit()), "while submitting step 1"));
    CHECK(device->submits == 2);
}

TEST_CASE_FIXTURE(SequenceFixture, "a closed session submits no sequence") {
    Sequence pass = session.sequence();
    REQUIRE(pass.fill({a}, 1));
    session.close();
    CHECK(has(refusal(pass.submit()), "session of the sequence is closed"));
}

TEST_CASE_FIXTURE(SequenceFixture, "threads may submit one sequence at once") {
    Sequence pass = session.sequence();
    REQUIRE(pass.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, Invocations{200}));
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int k = 0; k < 25; ++k) CHECK(pass.submit());
            });
    }
    CHECK(words(b).at(199) == 398);
    CHECK(device->submits == 100);
}

TEST_CASE_FIXTURE(SequenceFixture, "copies move any range of whole words, on the device") {
    const std::vector<std::uint32_t> before = words(a);
    for (const auto& [from, to, count] :
         {std::array<std::uint64_t, 3>{0, 0, 200}, {3, 70, 65}, {100, 1, 64}, {199, 199, 1}}) {
        CAPTURE(from);
        REQUIRE(session.fill({b}, 77)->wait());
        REQUIRE(session.copy({a, from * 4, count * 4}, {b, to * 4, count * 4})->wait());
        std::vector<std::uint32_t> expected(200, 77);
        std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(from), count,
                    expected.begin() + static_cast<std::ptrdiff_t>(to));
        CHECK(words(b) == expected);
        CHECK(words(a) == before);
    }
    CHECK(device->compiles == 3);  // twice, the copy, the fill
}

TEST_CASE_FIXTURE(SequenceFixture, "a device with transfers copies and fills without kernels, in order") {
    auto able = std::make_shared<DeviceScript>();
    able->transfers = true;
    able->info.limits.max_storage_binding_bytes = 800;  // isn't that of transfers
    Session other = interpreting_session({able});
    const Kernel kernel = *other.prepare(compiled(doubling));
    const Buffer whole = *other.buffer(counted(1000)), x = *other.zeros<std::uint32_t>(200), y = x;
    REQUIRE(other.copy({whole, 400, 800}, {x})->wait());
    CHECK(words(x).at(199) == 299);
    Sequence pass = other.sequence();
    REQUIRE(pass.fill({x, 4, 8}, 6));
    REQUIRE(pass.copy({x, 4, 4}, {whole, 3'996, 4}));
    REQUIRE(pass.copy({whole, 3'996, 4}, {whole, 0, 4}));
    const Buffer twice_x = *other.zeros<std::uint32_t>(200);
    REQUIRE(pass.dispatch(kernel, {{"x", x}, {"y", twice_x}, {"more", 1u}}, Invocations{200}));
    REQUIRE(pass.copy({twice_x, 4, 4}, {x, 0, 4}));
    for (int turn = 0; turn < 2; ++turn) REQUIRE(pass.submit());
    CHECK(words(whole).at(0) == 6);
    CHECK(words(whole).at(999) == 6);
    CHECK(words(x).at(0) == 13);
    CHECK(words(x).at(3) == 103);
    CHECK(words(twice_x).at(0) == 2 * 13 + 1);
    CHECK(able->compiles == 1);
    const std::vector<std::string> steps{"fill", "copy", "copy", "twice", "copy"};
    CHECK(std::vector(able->ran.begin() + 1, able->ran.begin() + 6) == steps);
    CHECK(able->submits == 11);
    REQUIRE(other.copy({x, 800, 0}, {whole, 4'000, 0}));  // nothing
    CHECK(able->submits == 11);
}

TEST_CASE_FIXTURE(SequenceFixture, "a transfer that the device refuses is told with its step") {
    auto able = std::make_shared<DeviceScript>();
    able->transfers = true;
    able->lost_when_submitted = 2;
    Session other = interpreting_session({able});
    const Buffer x = *other.buffer(counted(200));
    Sequence pass = other.sequence();
    REQUIRE(pass.fill({x, 0, 4}, 1));
    REQUIRE(pass.copy({x, 0, 4}, {x, 8, 4}));
    const auto refused = pass.submit();
    CHECK(refused.error().code == ErrorCode::device_lost);
    CHECK(has(refusal(refused), "while submitting step 1"));
    CHECK(has(refusal(refused), "while using parts:0"));
}

TEST_CASE_FIXTURE(SequenceFixture, "a buffer is copied within itself, forward and back") {
    REQUIRE(session.copy({a, 400, 80}, {a, 8, 80})->wait());
    CHECK(words(a).at(2) == 100);
    CHECK(words(a).at(21) == 119);
    CHECK(words(a).at(22) == 22);
    REQUIRE(session.copy({a, 8, 4}, {a, 796, 4})->wait());
    CHECK(words(a).at(199) == 100);
}

TEST_CASE("a copy larger than the device's largest binding is made in pieces") {
    auto device = std::make_shared<DeviceScript>();
    device->info.limits.max_storage_binding_bytes = 1024 + 4;
    device->info.limits.max_workgroups = {2, 1, 1};
    Session session = interpreting_session({device});
    const std::vector<std::uint32_t> all = counted(3000);
    Buffer a = *session.buffer(all), b = *session.zeros<std::uint32_t>(3001);
    REQUIRE(session.copy({a}, {b, 4, 12000})->wait());
    const auto copied = *b.read_all<std::uint32_t>();
    CHECK(copied.front() == 0);
    CHECK(std::equal(all.begin(), all.end(), copied.begin() + 1));
    CHECK(device->submits == 16);  // 768 bytes each
    CHECK(has(refusal(session.copy({a, 0, 4}, {a, 4000, 4})),
              "reaches over 4004 bytes; the device takes 1028"));
}

TEST_CASE_FIXTURE(SequenceFixture, "transfers that don't fit are refused with the numbers") {
    CHECK(has(refusal(session.copy({a, 0, 4}, {b, 0, 8})), "has 4 bytes, its target 8"));
    CHECK(has(refusal(session.copy({a, 2, 4}, {b, 0, 4})), "is 4 bytes from byte 2 on"));
    CHECK(has(refusal(session.copy({a, 800, 4}, {b, 0, 4})),
              "source of the copy is bytes 800 to 804 of a buffer of 800"));
    CHECK(has(refusal(session.fill({b, 0, 6}, 1)), "range to fill is 6 bytes"));
    CHECK(session.copy({a, 0, 8}, {a, 4, 8}).error().code == ErrorCode::conflict);
    REQUIRE(session.copy({a, 800, 0}, {b, 800, 0}));  // nothing, at the end
    CHECK(device->submits == 0);
}

TEST_CASE_FIXTURE(SequenceFixture, "a snapshot is what the dispatches before it left, and doesn't block") {
    REQUIRE(session.fill({b}, 1)->wait());
    device->hangs_at = device->submits + 1;
    REQUIRE(session.dispatch(twice, {{"x", a}, {"y", b}, {"more", 1u}}, Invocations{200}));
    auto snapshot = session.snapshot({b});
    REQUIRE(snapshot);
    CHECK_FALSE(snapshot->ready.done());
    REQUIRE(session.fill({b}, 0));
    device->gate.open();
    REQUIRE(snapshot->ready.wait());
    CHECK(words(snapshot->buffer).at(10) == 21);
    CHECK(snapshot->buffer.element_type()->name() == "u32");
    CHECK(words(b).at(10) == 0);
    CHECK(session.snapshot({a, 40, 12})->buffer.read_all<std::uint32_t>() ==
          std::vector<std::uint32_t>{10, 11, 12});
}

TEST_CASE_FIXTURE(SequenceFixture, "a grid can come from a buffer that a dispatch has written") {
    const Buffer grid = *session.buffer(std::vector<std::uint32_t>{9, 2, 1, 1});
    REQUIRE(session.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, GridInBuffer{grid, 4}));
    CHECK(words(b).at(127) == 254);
    CHECK(words(b).at(128) == 0);
    CHECK(has(refusal(session.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, GridInBuffer{grid, 8})),
              "while reading the grid of a dispatch"));
}

TEST_CASE_FIXTURE(SequenceFixture,
                  "a ticket calls back when its dispatch has ended, and at once if it already has") {
    device->hangs_at = 1;
    const auto ticket = session.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, Invocations{200});
    std::promise<std::uint64_t> first;
    REQUIRE(ticket->on_end([&](const Result<Timing>& end) { first.set_value(end->device_ns.value_or(0)); }));
    auto told = first.get_future();
    CHECK(told.wait_for(5ms) == std::future_status::timeout);
    device->gate.open();
    CHECK(told.get() == 1);
    bool called = false;
    REQUIRE(ticket->wait());
    REQUIRE(ticket->on_end([&](const Result<Timing>& end) { called = end.has_value(); }));
    CHECK(called);
}

TEST_CASE_FIXTURE(SequenceFixture,
                  "calls at the end come in any order of tickets, get errors, and may submit or throw") {
    auto other = std::make_shared<DeviceScript>();
    other->id = "other";
    other->lost_at = 1;
    Session failing = interpreting_session({other});
    const Kernel kernel = *failing.prepare(compiled(doubling));
    device->hangs_at = 1;
    const auto stuck = session.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, Invocations{200});
    Buffer x = *failing.zeros<std::uint32_t>(64), y = *failing.zeros<std::uint32_t>(64);
    std::promise<void> end;
    REQUIRE(stuck->on_end([&](const Result<Timing>&) {
        CHECK(session.fill({a}, 1)->wait());
        end.set_value();
        throw std::runtime_error("a caller's mistake");
    }));
    const auto lost = failing.dispatch(kernel, {{"x", x}, {"y", y}, {"more", 0u}}, Workgroups{1});
    std::promise<ErrorCode> code;
    REQUIRE(lost->on_end([&](const Result<Timing>& outcome) { code.set_value(outcome.error().code); }));
    CHECK(code.get_future().get() == ErrorCode::device_lost);  // though the first ticket hasn't ended
    device->gate.open();
    end.get_future().get();
    CHECK(words(a).at(5) == 1);
}

TEST_CASE("a call at the end may hold the last handle of its session") {
    std::promise<void> released;
    {
        auto device = std::make_shared<DeviceScript>();
        device->hangs_at = 1;
        auto session = std::make_shared<Session>(interpreting_session({device}));
        const Kernel twice = *session->prepare(compiled(doubling));
        Buffer a = *session->zeros<std::uint32_t>(64), b = *session->zeros<std::uint32_t>(64);
        const auto ticket = session->dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, Workgroups{1});
        const auto notice = std::shared_ptr<void>(nullptr, [&](void*) { released.set_value(); });
        REQUIRE(ticket->on_end([session, notice](const Result<Timing>&) {}));
        session.reset();
        device->gate.open();
    }
    released.get_future().get();
}

TEST_CASE_FIXTURE(SequenceFixture, "an exception of a call at the end is logged as the caller's") {
    std::string logged;
    set_log_sink([&](LogLevel, std::string_view text) { logged = text; });
    const auto ticket = session.fill({a}, 1);
    REQUIRE(ticket->wait());
    REQUIRE(ticket->on_end([](const Result<Timing>&) { throw std::runtime_error("a mistake"); }));
    set_log_sink({});
    CHECK(logged ==
          "The function given to Ticket::on_end throws: a mistake.\nFix: catch its exceptions in it");
}

TEST_CASE_FIXTURE(SequenceFixture, "a kernel is bound once, and dispatched with grids alone") {
    const auto bound = session.bind(twice, {{"x", a}, {"y", b}, {"more", 1u}});
    REQUIRE(bound);
    REQUIRE(session.dispatch(*bound, Invocations{200})->wait());
    CHECK(words(b).at(199) == 399);
    const auto back = session.bind(twice, {{"x", b}, {"y", a}, {"more", 0u}});
    Sequence pass = session.sequence();
    REQUIRE(pass.dispatch(*back, Workgroups{1}));  // 64 invocations
    REQUIRE(pass.dispatch(*back, Workgroups{2, 1, 1}));
    REQUIRE(pass.fill({b}, 5));
    REQUIRE(pass.dispatch(*back, Workgroups{1}));
    REQUIRE(pass.dispatch(twice, {{"x", a}, {"y", b}, {"more", 0u}}, Workgroups{1}));
    REQUIRE(pass.dispatch(*back, Workgroups{0}));  // nothing
    CHECK(pass.size() == 6);
    REQUIRE(pass.submit());
    CHECK(words(a).at(63) == 10);
    CHECK(words(a).at(127) == 2 * 255);  // before the fill
    CHECK(words(a).at(128) == 128);      // no invocation
    CHECK(words(b).at(63) == 20);
    const int before = device->submits;
    REQUIRE(pass.submit());
    CHECK(device->submits == before + 5);
    CHECK(has(refusal(session.bind(twice, {{"x", a}})), "isn't given"));
    CHECK(has(refusal(pass.dispatch(*back, Workgroups{1ull << 40})), "while recording a sequence"));
    Session other = interpreting_session({device});
    CHECK(has(refusal(other.bind(twice, {{"x", a}, {"y", b}, {"more", 1u}})),
              "was prepared by another session"));
    CHECK(has(refusal(other.sequence().dispatch(*back, Workgroups{1})), "was prepared by another session"));
}

TEST_CASE_FIXTURE(SequenceFixture, "a bound kernel's grid is folded as any other") {
    device->info.limits.max_workgroups = {2, 1, 1};
    Session small = interpreting_session({device});
    const Kernel kernel = *small.prepare(compiled(doubling));
    const auto bound = small.bind(kernel, {{"x", a}, {"y", b}, {"more", 0u}});
    REQUIRE(bound);
    Sequence pass = small.sequence();
    REQUIRE(pass.dispatch(*bound, Workgroups{4}));
    const int before = device->submits;
    REQUIRE(pass.submit());
    CHECK(device->submits == before + 2);
    CHECK(words(b).at(199) == 398);
}

TEST_CASE_FIXTURE(SequenceFixture, "a sequence records parts of grids, too") {
    Sequence pass = session.sequence();
    const auto halves = [&](const Buffer& from, const Buffer& to) {
        for (const std::uint32_t first : {2u, 0u})
            REQUIRE(pass.dispatch(twice, {{"x", from}, {"y", to}, {"more", 1u}},
                                  PartOfGrid{{{first, 0, 0}, {2, 1, 1}}, {4}}));
    };
    halves(a, b);
    REQUIRE(pass.submit());
    for (std::uint32_t i = 0; i < 200; ++i) CHECK(words(b)[i] == 2 * i + 1);
    CHECK(refusal(pass.dispatch(twice, {{"x", a}, {"y", b}, {"more", 1u}},
                                PartOfGrid{{{2, 0, 0}, {3, 1, 1}}, {4}}))
              .find("Workgroups 2 to 5 along x aren't within a grid of 4.") != std::string::npos);
}
