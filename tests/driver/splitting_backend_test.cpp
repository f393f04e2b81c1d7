// Acquired backends are wrapped: their devices run programs with grid barriers without a session.
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>

#include <muster/driver/grid_barriers/splitting_backend.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/session/preferred.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t invocations = 64;

ValidProgram reversing(std::string_view barrier = "gridBarrier();") {
    return *validate(
        *wgsl::parse("enable muster_grid_barrier;\n"
                     "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
                     "@compute @workgroup_size(8) fn turn(@builtin(global_invocation_id) id: vec3<u32>) {\n"
                     "let x = a[63u - id.x]; " +
                     std::string(barrier) + " a[id.x] = x + 1u; }\n"));
}

/// A program whose host waits: gridUniformLoad decides when its loop ends.
ValidProgram waiting() {
    return *validate(*wgsl::parse(
        "enable muster_grid_barrier;\n"
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
        "@compute @workgroup_size(8) fn until(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "loop { if (id.x == 0u) { a[0] += 2u; } gridBarrier(); let sum = gridUniformLoad(&a[0]);\n"
        "if (sum >= 6u) { break; } gridBarrier(); } }\n"));
}

struct SplittingFixture {
    DeviceScriptPointer script = std::make_shared<DeviceScript>();
    std::shared_ptr<Backend> backend =
        std::make_shared<grid_barriers::SplittingBackend>(std::make_shared<InterpretingBackend>(script));
    std::unique_ptr<Device> device = *backend->open(0);
    std::unique_ptr<Memory> memory = *device->allocate(invocations * 4);

    Words run(const Executable& executable, Extent3 grid = {8, 1, 1}) {
        Words words(invocations);
        for (std::uint32_t i = 0; i < invocations; ++i) words[i] = i;
        REQUIRE(device->write(*memory, 0, std::as_bytes(std::span(words))));
        const std::array bound{BoundMemory{memory.get(), 0, invocations * 4}};
        auto submitted =
            device->submit({.executable = &executable, .bindings = bound, .extent = grid, .grid = grid});
        if (!submitted) FAIL(submitted.error().to_string());
        if (const auto* running = std::get_if<std::shared_ptr<Submission>>(&*submitted))
            REQUIRE((*running)->wait(std::chrono::minutes(1)));
        REQUIRE(device->read(*memory, 0, std::as_writable_bytes(std::span(words))));
        return words;
    }
    static Words reversed() {
        Words words(invocations);
        for (std::uint32_t i = 0; i < invocations; ++i) words[i] = invocations - i;
        return words;
    }
};

}  // namespace

TEST_CASE_FIXTURE(SplittingFixture, "an acquired device has grid barriers, and says so") {
    for (const DeviceInfo& info : {device->info(), backend->probe()->at(0)}) {
        CHECK(info.ops.contains(OpSet().insert(grid_barrier_id).insert(grid_uniform_load_id)));
        CHECK(supports(info, *reversing()));
    }
    const auto code = device->compile(reversing(), {});
    REQUIRE(code);
    CHECK(code->format == grid_barriers::parts_format);
    CHECK(code->fingerprint == reversing()->fingerprint());
    const auto loaded = device->load(*code);
    REQUIRE(loaded);
    CHECK(run(**loaded) == reversed());
    CHECK(script->ran == std::vector<std::string>{"turn_part_1", "turn_part_2"});
    const auto waits = device->load(*device->compile(waiting(), {}));
    REQUIRE(waits);
    CHECK(run(**waits)[0] == 6);
}

TEST_CASE_FIXTURE(SplittingFixture, "programs without grid barriers are passed on as they are") {
    const auto code = device->compile(reversing(""), {});
    REQUIRE(code);
    CHECK(code->format == "text");
    CHECK(run(**device->load(*code))[0] == 64);
    CHECK(script->ran == std::vector<std::string>{"turn"});
}

TEST_CASE_FIXTURE(SplittingFixture,
                  "a device's own grid barriers are used where the grid fits, and else it is split") {
    script->info.ops.insert(grid_barrier_id).insert(grid_uniform_load_id);
    script->resident_workgroups = 4;
    device = *backend->open(0);
    const auto loaded = device->load(*device->compile(reversing(), {}));
    REQUIRE(loaded);
    CHECK(run(**loaded) == reversed());
    CHECK(script->ran == std::vector<std::string>{"turn_part_1", "turn_part_2"});
    script->ran.clear();
    run(**loaded, {4, 1, 1});
    CHECK(script->ran == std::vector<std::string>{"turn"});
}

TEST_CASE_FIXTURE(SplittingFixture,
                  "a part of a grid isn't submitted: its invocations couldn't meet the others") {
    const auto loaded = device->load(*device->compile(reversing(), {}));
    const std::array bound{BoundMemory{memory.get(), 0, invocations * 4}};
    const auto part = device->submit({.executable = loaded->get(),
                                      .bindings = bound,
                                      .origin = {4, 0, 0},
                                      .extent = {4, 1, 1},
                                      .grid = {8, 1, 1}});
    REQUIRE_FALSE(part);
    CHECK(part.error().code == ErrorCode::invalid_argument);
    CHECK(
        part.error().message ==
        "A launch of a program with grid barriers covers 4 x 1 x 1 of the grid's 8 x 1 x 1 workgroups; at a "
        "barrier, all of them meet.");
    CHECK(part.error().fix == "submit the whole grid in one launch");
    Artifact broken{.format = std::string(grid_barriers::parts_format)};
    broken.bytes.resize(100);
    CHECK(device->load(broken).error().code == ErrorCode::invalid_argument);
}

TEST_CASE_FIXTURE(SplittingFixture, "a session takes an acquired backend like any other") {
    auto session =
        Session::open({.fleet = std::make_shared<Fleet>(std::vector<FleetEntry>(), std::chrono::minutes(1)),
                       .backends = {{.backend = backend}},
                       .use_environment = false});
    REQUIRE(session);
    const auto kernel = session->prepare(reversing());
    REQUIRE(kernel);
    Words words(invocations);
    for (std::uint32_t i = 0; i < invocations; ++i) words[i] = i;
    Buffer a = *session->buffer(words);
    REQUIRE(session->dispatch(*kernel, {{"a", a}}, Invocations{invocations})->wait());
    CHECK(*a.read_all<std::uint32_t>() == reversed());
}

TEST_CASE("every way to acquire a backend wraps it, and the driver's own construction doesn't") {
    static const DeviceScriptPointer script = std::make_shared<DeviceScript>();
    script->id = "acquired-test";
    REQUIRE(register_backend(
        "acquired-test",
        []() -> Result<std::unique_ptr<Backend>> { return std::make_unique<InterpretingBackend>(script); },
        {"acquired"}, {.rank = 901, .dispatches = true}));
    const auto by_id = acquire("acquired-test");
    REQUIRE(by_id);
    CHECK((*(*by_id)->open(0))->compile(reversing(), {})->format == grid_barriers::parts_format);
    const auto preferred = acquire_preferred(Policy{.choice = Pinned{"acquired-test"}});
    REQUIRE(preferred);
    CHECK((*preferred->backend->open(0))->compile(reversing(), {})->format == grid_barriers::parts_format);
    const auto raw = registry().construct("acquired-test");
    REQUIRE(raw);
    CHECK((*(*raw)->open(0))->info().ops.extensions.empty());
}
