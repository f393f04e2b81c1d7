// Compile specs when code runs and when it is emitted; programs with grid barriers, emitted in parts.
#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

Session open(std::initializer_list<ScriptPointer> scripts, Policy policy = {}) {
    return *Session::open({.policy = std::move(policy),
                           .fleet = std::make_shared<Fleet>(entries(scripts), 1min),
                           .use_environment = false});
}

ValidProgram with_grid_barrier() {
    auto program = wgsl::parse(
        "enable muster_grid_barrier;\n"
        "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
        "@compute @workgroup_size(4) fn twice(@builtin(global_invocation_id) id: vec3u) {\n"
        "  let before = y[id.x]; gridBarrier(); y[id.x + 1] = before;\n"
        "}\n");
    REQUIRE_MESSAGE(program, program.error().message);
    return *validate(*std::move(program));
}

}  // namespace

TEST_CASE(
    "compile specs that a backend declares for running reach its compiler, each choice with code of its "
    "own") {
    const ScriptPointer one = script("one", 1);
    Session session = open({one});
    const auto kernel = session.prepare(saxpy(), {.specs = {{"lanes", "4"}}});
    REQUIRE_MESSAGE(kernel, kernel.error().to_string());
    CHECK(kernel->artifact().options.specs == Specs{{"lanes", "4"}});
    CHECK(one->calls.compile == 1);
    CHECK(session.prepare(saxpy(), {.specs = {{"lanes", "4"}}}));
    CHECK(one->calls.compile == 1);
    CHECK(session.prepare(saxpy(), {.specs = {{"lanes", "8"}}}));
    CHECK(session.prepare(saxpy()));
    CHECK(one->calls.compile == 3);
}

TEST_CASE("other compile specs are refused before anything is compiled") {
    const ScriptPointer one = script("one", 1);
    Session session = open({one});
    const auto unknown = session.prepare(saxpy(), {.specs = {{"width", "4"}}});
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::invalid_argument);
    CHECK(unknown.error().message == "one has no compile spec \"width\".");
    CHECK(unknown.error().fix == "one has: lanes");
    const auto emission = session.prepare(saxpy(), {.specs = {{"opt", "3"}}});
    REQUIRE_FALSE(emission);
    CHECK(emission.error().message == "The compile spec \"opt\" of one is for emission alone.");
    CHECK(one->calls.compile == 0);
    CHECK(session.emit(saxpy(), {.request = {.options = {.specs = {{"lanes", "4"}, {"opt", "3"}}}}}));
}

TEST_CASE("a program with grid barriers is emitted in parts where the backend has no such barrier") {
    const ScriptPointer one = script("one", 1);
    one->supported_ops = OpSet::all_exact();
    Session session = open({one});
    const ValidProgram program = with_grid_barrier();
    const auto whole = session.emit(program);
    REQUIRE_FALSE(whole);
    CHECK(whole.error().code == ErrorCode::refused);
    CHECK_MESSAGE(whole.error().to_string().find(
                      "one has no muster.grid_barrier of its own: twice is split into 2 dispatches, 4 bytes "
                      "of scratch per "
                      "invocation there, and no single kernel of it can be emitted.") != std::string::npos,
                  whole.error().to_string());
    const auto parts = session.emit_parts(program);
    REQUIRE_MESSAGE(parts, parts.error().to_string());
    CHECK(parts->parts.size() == 2);
    CHECK(parts->split->parts.size() == 2);
    for (const Artifact& part : parts->parts) CHECK(part.target == "one:d1");
    CHECK(session.emit_parts(program, {.arch = "one:d2"})->parts[0].target == "one:d2");
    CHECK(one->calls.compile + one->calls.open == 0);

    const auto none = session.emit_parts(saxpy());
    REQUIRE_FALSE(none);
    CHECK(none.error().message == "saxpy has no grid barriers, so there are no parts to split it into.");
}

TEST_CASE("a refusal of a misspelt backend says first which one may be meant") {
    Session session = open({script("cuda", 1), script("cpu", 2)}, {.backends = {{"cud"}}});
    const auto refused = session.prepare(saxpy());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with(
        "Nothing can execute saxpy: no backend is called \"cud\"; did you mean \"cuda\"?\n"));
    Session far = open({script("cuda", 1)}, {.backends = {{"elsewhere"}}});
    CHECK(far.prepare(saxpy()).error().message.starts_with("Nothing can execute saxpy.\n"));
}
