// What the table does: programs, routes, dispatches, tickets, sequences, code.
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "api.hpp"

namespace muster::test {
namespace {

TEST_CASE("A dispatch, a ticket and its callback") {
    const World world;
    const muster_buffer buffer = world.buffer(64);
    const muster_argument argument = world.argument(buffer);
    const muster_dispatch dispatch = World::over(argument, 16);
    muster_ticket ticket{};
    MUSTER_REQUIRE_OK(api().dispatch(world.session, world.kernel, &dispatch, &ticket));
    auto timing = sized<muster_timing>();
    MUSTER_REQUIRE_OK(api().wait(ticket, MUSTER_FOREVER, &timing));
    CHECK(number_of(ticket.id, MUSTER_IS_DONE) == 1);
    static std::atomic<int> calls;
    calls = 0;
    MUSTER_REQUIRE_OK(api().on_end(
        ticket,
        [](void*, const muster_error* error, const muster_timing*) { calls += error == nullptr ? 1 : 100; },
        nullptr));
    CHECK(calls == 1);
    CHECK(world.word(buffer, 15) == 1);
    for (const std::uint64_t id : {ticket.id, buffer.id}) api().release(id);
}

TEST_CASE("A kernel keeps its session, and a buffer what it needs") {
    muster_buffer buffer{};
    muster_kernel kernel{};
    {
        World world;
        buffer = world.buffer(16);
        api().duplicate(world.kernel.id, &kernel.id);
    }
    CHECK(text_of(kernel.id, MUSTER_BACKEND) == "reference");
    std::uint32_t word = 7;
    MUSTER_REQUIRE_OK(api().buffer_read(buffer, 0, &word, 4, MUSTER_FOREVER));
    CHECK(word == 0);
    for (const std::uint64_t id : {kernel.id, buffer.id}) api().release(id);
}

TEST_CASE("Programs tell their bindings, and are the same after a journey through bytes") {
    const World world;
    CHECK(text_of(world.program.id, MUSTER_NAME) == "main");
    CHECK(text_of(world.program.id, MUSTER_BINDING_NAME) == "v");
    CHECK(text_of(world.program.id, MUSTER_BINDING_NAME, 1) == "none");
    CHECK(text_of(world.program.id, MUSTER_BINDING_TYPE) == "array<u32>");
    CHECK(text_of(world.program.id, MUSTER_BINDING_ACCESS) == "read_write");
    CHECK(number_of(world.program.id, MUSTER_BINDING_ELEMENT) == MUSTER_U32);
    CHECK(number_of(world.program.id, MUSTER_BINDING_IS_WRITTEN) == 1);
    CHECK(number_of(world.program.id, MUSTER_WORKGROUP_SIZE) == 4);
    std::size_t count = 0;
    MUSTER_REQUIRE_OK(api().get_count(world.program.id, MUSTER_WORKGROUP_SIZE, &count));
    CHECK(count == 3);
    muster_blob bytes{};
    MUSTER_REQUIRE_OK(api().program_bytes(world.program, &bytes));
    const std::string file = text_of(bytes.id, MUSTER_CONTENT);
    muster_program again{};
    MUSTER_REQUIRE_OK(api().program_from_bytes(file.data(), file.size(), &again));
    CHECK(text_of(again.id, MUSTER_FINGERPRINT) == text_of(world.program.id, MUSTER_FINGERPRINT));
    CHECK(text_of(program_of(text_of(again.id, MUSTER_WGSL_TEXT)).id, MUSTER_FINGERPRINT) ==
          text_of(again.id, MUSTER_FINGERPRINT));
    std::uint64_t number = 0;
    CHECK(api().get_number(again.id, MUSTER_BINDING_NAME, 0, &number) == MUSTER_ERROR_INVALID_ARGUMENT);
    muster_string text{};
    CHECK(api().get_text(again.id, MUSTER_IS_DONE, 0, &text) == MUSTER_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("What a text declares, as JSON") {
    auto wgsl = sized<muster_wgsl>();
    wgsl.text = muster_text(add_one.data());
    muster_blob json{};
    MUSTER_REQUIRE_OK(api().wgsl_interface(&wgsl, &json));
    CHECK(
        text_of(json.id, MUSTER_CONTENT) ==
        R"({"enables":[],"entries":[{"name":"main","resources":[{"name":"v","group":0,"binding":0,)"
        R"("space":"storage","access":"read_write","is_immediate":false,"min_bytes":4}],"unsupported":[]}],)"
        R"("overrides":[]})");
}

TEST_CASE("A policy's options have the names of the tool and of the environment") {
    const auto setting = [](const char* name, const char* value) {
        auto options = sized<muster_session_options>();
        const muster_option one{muster_text(name), muster_text(value)};
        options.options = &one;
        options.option_count = 1;
        muster_session session{};
        const muster_status status = api().session_open(&options, &session);
        if (status != MUSTER_OK) return std::to_string(status);
        std::string text;
        std::size_t count = 0;
        api().get_count(session.id, MUSTER_SETTING_NAME, &count);
        for (std::size_t i = 0; i < count; ++i)
            if (text_of(session.id, MUSTER_SETTING_FROM, i) == "the session's policy")
                text += text_of(session.id, MUSTER_SETTING_NAME, i) + "=" +
                        text_of(session.id, MUSTER_SETTING_VALUE, i);
        api().release(session.id);
        return text;
    };
    CHECK(setting("backend", "reference, cpu") == "backends=reference, cpu");
    CHECK(setting("MUSTER_BACKEND", "cpu:0") == "backends=cpu:0");
    CHECK(setting("--on-failure", "next") == "on_failure=next");
    CHECK(setting("MUSTER_CHECK_DEVICES", "0") == "check_devices=no");
    CHECK(setting("min_memory", "8GiB") == "min_memory_bytes=8589934592");
    CHECK(setting("inexact-ok", "") == "inexact_ok=yes");
    CHECK(setting("precision", "fast").empty());
    CHECK(setting("precision", "slow") == std::to_string(MUSTER_ERROR_INVALID_ARGUMENT));
    CHECK(setting("bakend", "cpu") == std::to_string(MUSTER_ERROR_NOT_FOUND));
    CHECK(last_error().find("did you mean \"backend\"?") != std::string::npos);
}

TEST_CASE("A route tells each candidate with its reason, as properties, text and JSON") {
    const World world;
    muster_route route{};
    MUSTER_REQUIRE_OK(
        api().route(world.session, world.program, nullptr, nullptr, MUSTER_ROUTE_ASKS_ALL, &route));
    CHECK(number_of(route.id, MUSTER_OUTCOME) == MUSTER_EXECUTES);
    CHECK(text_of(route.id, MUSTER_ID) == "reference:0");
    std::size_t count = 0;
    MUSTER_REQUIRE_OK(api().get_count(route.id, MUSTER_CANDIDATE_ID, &count));
    bool is_chosen = false;
    for (std::size_t i = 0; i < count; ++i)
        is_chosen |= text_of(route.id, MUSTER_CANDIDATE_ID, i) == "reference:0" &&
                     text_of(route.id, MUSTER_CANDIDATE_REASON, i) == "chosen";
    CHECK(is_chosen);
    CHECK(text_of(route.id, MUSTER_EXPLANATION).find("reference:0") != std::string::npos);
    muster_blob json{};
    MUSTER_REQUIRE_OK(api().get_json(route.id, &json));
    CHECK(text_of(json.id, MUSTER_CONTENT).starts_with(R"({"entry":"main","fingerprint":")"));
    muster_blob none{};
    CHECK(api().get_json(world.session.id, &none) == MUSTER_ERROR_UNSUPPORTED);
    for (const std::uint64_t id : {route.id, json.id}) api().release(id);
}

TEST_CASE("Backends and devices are listed with their properties") {
    const World world;
    std::size_t count = 0;
    MUSTER_REQUIRE_OK(api().backends(nullptr, 0, &count));
    REQUIRE(count >= 1);
    std::vector<muster_backend> backends(count);
    MUSTER_REQUIRE_OK(api().backends(backends.data(), count, &count));
    for (const muster_backend backend : backends) {
        if (text_of(backend.id, MUSTER_ID) == "reference") {
            CHECK(number_of(backend.id, MUSTER_DISPATCHES) == 1);
            CHECK(text_of(backend.id, MUSTER_TAG) == "debug");
            CHECK(text_of(backend.id, MUSTER_PROBE_STATE) == "answered");
            CHECK(text_of(backend.id, MUSTER_FAULT) == "none");
        }
        api().release(backend.id);
    }
    muster_device device{};
    MUSTER_REQUIRE_OK(api().devices(world.session.id, &device, 1, &count));
    CHECK(count == 1);
    CHECK(text_of(device.id, MUSTER_ID) == "reference:0");
    CHECK(number_of(device.id, MUSTER_IS_EXACT) == 1);
    CHECK(number_of(device.id, MUSTER_MAX_WORKGROUP_SIZE, 2) > 0);
    CHECK(text_of(device.id, MUSTER_PCI_ADDRESS) == "none");
    CHECK(api().device_supports(device, world.program, nullptr) == MUSTER_OK);
    api().release(device.id);
}

TEST_CASE("Code is generated without a device, and packed for another machine") {
    const World world;
    muster_artifact artifact{};
    MUSTER_REQUIRE_OK(api().emit(world.session, world.program, nullptr, &artifact));
    CHECK(text_of(artifact.id, MUSTER_FORMAT) == "wgsl");
    CHECK(number_of(artifact.id, MUSTER_IS_TEXT) == 1);
    CHECK(text_of(artifact.id, MUSTER_CONTENT).find("@compute") != std::string::npos);
    auto target = sized<muster_emit_options>();
    target.flags = MUSTER_EMIT_TO_LOAD;
    target.target = muster_text("reference");
    muster_blob file{};
    const muster_status packed = api().package(world.session, world.program, &target, 1, &file);
    if (packed == MUSTER_OK) {
        const std::string bytes = text_of(file.id, MUSTER_CONTENT);
        muster_program program{};
        MUSTER_REQUIRE_OK(api().program_from_bytes(bytes.data(), bytes.size(), &program));
        CHECK(text_of(program.id, MUSTER_CODE_TARGET).starts_with("reference"));
        for (const std::uint64_t id : {program.id, file.id}) api().release(id);
    }
    target = sized<muster_emit_options>();
    target.target = muster_text("nothing:like_this");
    muster_artifact none{};
    CHECK(api().emit(world.session, world.program, &target, &none) == MUSTER_ERROR_NOT_FOUND);
    api().release(artifact.id);
}

TEST_CASE("Copies, fills, snapshots and sequences") {
    const World world;
    const muster_buffer a = world.buffer(64), b = world.buffer(64);
    const muster_range whole_a{a, 0, 0}, whole_b{b, 0, 0};
    MUSTER_REQUIRE_OK(api().fill(world.session, &whole_a, 41, nullptr));
    muster_buffer before{};
    muster_ticket ready{};
    MUSTER_REQUIRE_OK(api().snapshot(world.session, &whole_a, &before, &ready));
    const muster_argument argument = world.argument(a);
    const muster_dispatch dispatch = World::over(argument, 16);
    muster_sequence sequence{};
    MUSTER_REQUIRE_OK(api().sequence_create(world.session, &sequence));
    muster_bound bound{};
    MUSTER_REQUIRE_OK(api().bind(world.session, world.kernel, &dispatch, &bound));
    auto grid = sized<muster_dispatch>();
    grid.grid = MUSTER_GRID_WORKGROUPS;
    grid.axes = 1;
    grid.size[0] = 4;
    MUSTER_REQUIRE_OK(api().sequence_dispatch_bound(sequence, bound, &grid));
    CHECK(api().sequence_dispatch_bound(sequence, bound, &dispatch) == MUSTER_ERROR_INVALID_ARGUMENT);
    MUSTER_REQUIRE_OK(api().sequence_copy(sequence, &whole_a, &whole_b));
    CHECK(number_of(sequence.id, MUSTER_STEPS) == 2);
    MUSTER_REQUIRE_OK(api().sequence_submit(sequence, nullptr));
    MUSTER_REQUIRE_OK(api().dispatch_bound(world.session, bound, &grid, nullptr));
    CHECK(world.word(b, 15) == 42);
    CHECK(world.word(a, 0) == 43);
    MUSTER_REQUIRE_OK(api().wait(ready, MUSTER_FOREVER, nullptr));
    CHECK(world.word(before, 7) == 41);
    for (const std::uint64_t id : {a.id, b.id, before.id, ready.id, sequence.id, bound.id}) api().release(id);
}

TEST_CASE("A trace is recorded between two calls") {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("muster_c_trace_" + std::to_string(::getpid()) + ".json"))
            .string();
    muster_blob used{};
    MUSTER_REQUIRE_OK(api().trace_start({path.data(), path.size()}, &used));
    CHECK(api().trace_start({path.data(), path.size()}, nullptr) == MUSTER_ERROR_CONFLICT);
    CHECK(text_of(used.id, MUSTER_CONTENT) == path);
    std::uint64_t left_out = 1;
    MUSTER_REQUIRE_OK(api().trace_end(&left_out));
    CHECK(left_out == 0);
    MUSTER_REQUIRE_OK(api().trace_end(nullptr));
    CHECK(std::filesystem::file_size(path) > 0);
    std::filesystem::remove(path);
    MUSTER_REQUIRE_OK(api().release(used.id));
}

}  // namespace
}  // namespace muster::test
