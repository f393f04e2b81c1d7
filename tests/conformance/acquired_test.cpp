// Backends without a session: what acquire() gives runs programs with grid barriers on each device, and the raw backend refuses what it
// can't lower, without crashing.
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/conformance/case.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "conformance/devices.hpp"

using namespace muster;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t acquired_count = 4096;

ValidProgram parsed(const std::string& text) {
    auto program = wgsl::parse(text);
    if (!program) FAIL(program.error().to_string());
    return *validate(*std::move(program));
}

const char* const turns =
    "enable muster_grid_barrier;\n"
    "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
    "@compute @workgroup_size(64) fn turn(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "for (var k = 0u; k < 3u; k++) { let x = a[4095u - id.x]; gridBarrier(); a[id.x] = x + 1u; "
    "gridBarrier(); } }\n";

/// Runs the loaded program over numbers from 0.
Words run(Device& device, const Executable& executable) {
    Words words(acquired_count);
    for (std::uint32_t i = 0; i < acquired_count; ++i) words[i] = i;
    const auto memory = device.allocate(acquired_count * 4);
    if (!memory) FAIL(memory.error().to_string());
    REQUIRE(device.write(**memory, 0, std::as_bytes(std::span(words))));
    const std::array bound{BoundMemory{memory->get(), 0, acquired_count * 4}};
    const Extent3 grid{acquired_count / 64, 1, 1};
    auto submitted =
        device.submit({.executable = &executable, .bindings = bound, .extent = grid, .grid = grid});
    if (!submitted) FAIL(submitted.error().to_string());
    if (const auto* running = std::get_if<std::shared_ptr<Submission>>(&*submitted))
        REQUIRE((*running)->wait(std::chrono::minutes(5)));
    REQUIRE(device.read(**memory, 0, std::as_writable_bytes(std::span(words))));
    return words;
}

}  // namespace

TEST_CASE("acquired backends run programs with grid barriers on every device, also from their code's bytes" *
          doctest::test_suite("devices")) {
    Words expected(acquired_count);
    for (std::uint32_t i = 0; i < acquired_count; ++i) expected[i] = acquired_count - 1 - i + 3;
    for (const RegisteredBackend& registered : registry().by_precedence()) {
        if (!conformance::is_wanted(registered.id) || !registered.dispatches) continue;
        const auto backend = acquire(registered.id);
        if (!backend) continue;
        const auto devices = (*backend)->probe();
        if (!devices) continue;
        for (const DeviceInfo& info : *devices) {
            CAPTURE(info.name);
            const auto device = (*backend)->open(info.ordinal);
            if (!device) FAIL(device.error().to_string());
            auto code = (*device)->compile(parsed(turns), {});
            if (!code) FAIL(code.error().to_string());
            const auto loaded = (*device)->load(*code);
            if (!loaded) FAIL(loaded.error().to_string());
            CHECK(run(**device, **loaded) == expected);
            code->in_process.reset();
            const auto again = (*device)->load(*code);
            if (!again && again.error().code == ErrorCode::unsupported) continue;  // its code has no bytes
            if (!again) FAIL(again.error().to_string());
            CHECK(run(**device, **again) == expected);
        }
    }
}

TEST_CASE("raw backends refuse what they can't lower: programs that no driver has expanded or split" *
          doctest::test_suite("devices")) {
    std::vector<ValidProgram> programs{parsed(turns)};
    const auto cases = conformance::load_cases();
    REQUIRE(cases);
    for (const conformance::Case& one : *cases)
        if (auto program = one.program(); program) programs.push_back(*std::move(program));
    CHECK(programs.size() > 100);
    for (const RegisteredBackend& registered : registry().by_precedence()) {
        if (!conformance::is_wanted(registered.id)) continue;
        const auto backend = registry().construct(registered.id);
        if (!backend || (*backend)->formats().empty()) continue;
        // Variants for tests run, and emit nothing.
        if (registered.tags.find("test") != std::string_view::npos) continue;
        CAPTURE(registered.id);
        const auto target = (*backend)->describe((*backend)->default_arch());
        REQUIRE(target);
        int emitted = 0, refused = 0;
        const auto emit = [&](const ValidProgram& program) {
            CAPTURE(program->entry());
            CompileOptions options;
            if (program->needs().subgroups) options.subgroup_size = 32;
            const auto code = (*backend)->emit(program, *target, {.options = options});
            ++(code ? emitted : refused);
            if (code) CHECK((*backend)->formats().front() == code->format);  // asked for none: the first
            return code;
        };
        for (const ValidProgram& program : programs) (void)emit(program);
        CHECK(emitted > 0);
        const auto with_barrier = emit(programs.front());
        if (with_barrier) continue;  // one with grid barriers of its own
        CHECK(with_barrier.error().code == ErrorCode::unsupported);
        CHECK(with_barrier.error().message.find("muster.grid_barrier") != std::string::npos);
        MESSAGE(registered.id << ": " << emitted << " emitted, " << refused << " refused");
    }
}
