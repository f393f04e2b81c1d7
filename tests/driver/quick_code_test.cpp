// Quick code: it runs until optimised code is there, and gives way to it between dispatches.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>

#include <muster/driver/session/sequence.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using test::DeviceScript;
using test::DeviceScriptPointer;

namespace {

ValidProgram counting() {
    return *validate(
        *wgsl::parse("@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
                     "@compute @workgroup_size(1) fn count(@builtin(global_invocation_id) id: vec3u) "
                     "{ data[id.x] += 1u; }"));
}

DeviceScriptPointer quick_device() {
    auto script = std::make_shared<DeviceScript>();
    script->has_quick_code = true;
    script->waits_to_compile = true;
    return script;
}

Session session_of(const DeviceScriptPointer& script, std::optional<Optimize> optimize = {}) {
    return *Session::open(
        {.policy = {.optimize = optimize},
         .fleet = std::make_shared<Fleet>(std::vector{test::entry(script)}, std::chrono::minutes(1)),
         .use_environment = false,
         .close_timeout = std::chrono::milliseconds(50)});
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("quick code runs until optimised code takes its place, also in a sequence") {
    const DeviceScriptPointer device = quick_device();
    Session session = session_of(device);
    const Kernel kernel = *session.prepare(counting());
    CHECK_FALSE(kernel.is_optimized());
    CHECK(kernel.artifact().format == "quick text");
    const Buffer data = *session.zeros<std::uint32_t>(4);
    Sequence sequence = session.sequence();
    REQUIRE(sequence.dispatch(kernel, {{"data", data}}, Workgroups{4}));
    REQUIRE(sequence.submit()->wait());
    CHECK_FALSE(wait_until_optimized(std::chrono::milliseconds(1)));
    device->compiling.open();
    CHECK(wait_until_optimized(std::chrono::minutes(1)));
    CHECK(kernel.is_optimized());
    CHECK(kernel.artifact().format == "text");
    REQUIRE(sequence.submit()->wait());
    REQUIRE(session.dispatch(kernel, {{"data", data}}, Workgroups{4})->wait());
    CHECK(device->ran == Names{"quick count", "count", "count"});
    CHECK(*data.read_all<std::uint32_t>() == std::vector<std::uint32_t>(4, 3));
    CHECK(session.prepare(counting())->is_optimized());
    CHECK(device->quick_compiles == 1);
    CHECK(device->compiles == 1);
}

TEST_CASE("a policy says when programs are optimised") {
    const DeviceScriptPointer device = quick_device();
    device->compiling.open();
    CHECK(session_of(device, Optimize::first).prepare(counting())->is_optimized());
    CHECK(device->quick_compiles == 0);
    Session never = session_of(device, Optimize::never);
    const Kernel kernel = *never.prepare(counting());
    CHECK(wait_until_optimized(std::chrono::minutes(1)));
    CHECK_FALSE(kernel.is_optimized());
    CHECK(device->compiles == 1);
}

TEST_CASE("what can't be compiled quickly is optimised first, and what can't be optimised stays quick") {
    const DeviceScriptPointer device = quick_device();
    device->compiling.open();
    device->fails_quickly = true;
    Session session = session_of(device);
    CHECK(session.prepare(counting())->is_optimized());

    const DeviceScriptPointer other = quick_device();
    other->compiling.open();
    other->fails_to_compile = true;
    Session stays = session_of(other);
    const Kernel kernel = *stays.prepare(counting());
    CHECK(wait_until_optimized(std::chrono::minutes(1)));
    CHECK_FALSE(kernel.is_optimized());
    const Buffer data = *stays.zeros<std::uint32_t>(1);
    CHECK(stays.dispatch(kernel, {{"data", data}}, Workgroups{1})->wait());
}

TEST_CASE("a session that is closed is optimised no more") {
    const DeviceScriptPointer held = quick_device(), device = quick_device();
    Session other = session_of(held);
    const Kernel running = *other.prepare(counting());
    CHECK(held->compiling.is_waited_at());
    {
        Session session = session_of(device);
        const Kernel waits = *session.prepare(counting());
        CHECK_FALSE(waits.is_optimized());
    }
    held->compiling.open();
    CHECK(wait_until_optimized(std::chrono::minutes(1)));
    CHECK(running.is_optimized());
    CHECK(device->compiles == 0);
}
