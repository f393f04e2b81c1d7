// Every rule of routing, one test each (docs/choosing.md).
#include <array>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/contract/forwarding_backend.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/routing/router.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

Session session_of(std::initializer_list<ScriptPointer> scripts, Policy policy = {},
                   std::chrono::nanoseconds probe_budget = 1min) {
    auto session = Session::open({.policy = std::move(policy),
                                  .fleet = std::make_shared<Fleet>(entries(scripts), probe_budget),
                                  .use_environment = false});
    REQUIRE(session);
    return *session;
}

std::string winner(const Route& route) {
    if (const Execute* execute = route.execute()) return execute->id();
    if (const EmitOnly* emit = route.emit_only()) return "emit " + emit->target.to_string();
    return "refused";
}

const CandidateRecord& record(const Route& route, const std::string& id) {
    for (const CandidateRecord& candidate : route.decision().candidates)
        if (candidate.id() == id) return candidate;
    FAIL("no record of " << id << " in\n" << route.explain());
    return route.decision().candidates.front();
}

Reason reason(const Route& route, const std::string& id) { return record(route, id).reason; }

}  // namespace

TEST_CASE("the lower rank wins") {
    auto session = session_of({script("slow", 200), script("quick", 100)});
    const Route route = session.route(saxpy());
    CHECK(winner(route) == "quick:0");
    CHECK(reason(route, "quick:0") == Reason::chosen);
}

TEST_CASE("equal ranks are ordered by id, and the record says so") {
    auto session = session_of({script("bb", 100), script("aa", 100)});
    const Route route = session.explain(saxpy());
    CHECK(winner(route) == "aa:0");
    CHECK(reason(route, "bb:0") == Reason::outranked);
    CHECK(record(route, "bb:0").message.find("equal ranks are ordered by id") != std::string::npos);
}

TEST_CASE("of one backend's devices the lower ordinal wins") {
    auto pair = script("pair", 100);
    pair->devices = {fit_device(1), fit_device(0)};
    CHECK(winner(session_of({pair}).route(saxpy())) == "pair:0");
}

TEST_CASE("the policy's list chooses among a backend's devices, in its order") {
    auto pair = script("pair", 100);
    pair->devices = {fit_device(0), fit_device(1), fit_device(2)};
    const auto route_with = [&](std::vector<std::string> list) {
        return session_of({pair, script("other", 1)}, {.backends = std::move(list)}).explain(saxpy());
    };
    const Route ordered = route_with({"pair:1", "pair:0"});
    CHECK(winner(ordered) == "pair:1");
    CHECK(reason(ordered, "pair:0") == Reason::outranked);
    CHECK(record(ordered, "pair:0").message == "It fits, but the policy lists pair:1 before pair:0.");
    CHECK(record(ordered, "pair:0").fix == "name pair:0 as the backend, or exclude pair:1");
    CHECK(reason(ordered, "pair:2") == Reason::not_listed);
    CHECK(record(ordered, "pair:2").stage == Stage::policy);
    CHECK(reason(ordered, "other") == Reason::not_listed);
    CHECK(winner(route_with({"pair:1", "pair"})) == "pair:1");
    CHECK(winner(route_with({"pair", "pair:1"})) == "pair:0");
    CHECK(winner(route_with({"other", "pair:1"})) == "other:0");
    CHECK(winner(route_with({"pair:2", "other", "pair:0"})) == "pair:2");
}

TEST_CASE("a listed device may come after another backend, which then is asked") {
    auto pair = script("pair", 1), other = script("other", 100), last = script("last", 1);
    pair->devices = {fit_device(0), fit_device(1)};
    pair->devices[1].limits.max_workgroup_invocations = 1;
    auto session = session_of({pair, other, last}, {.backends = {{"pair:1", "other", "pair:0", "last"}}});
    const Route route = session.route(saxpy());
    CHECK(winner(route) == "other:0");
    CHECK(reason(route, "pair:1") == Reason::limit_exceeded);
    CHECK(record(route, "pair:0").message == "It fits, but the policy lists other before pair:0.");
    CHECK(last->calls.all() == 0);
}

TEST_CASE("a device is named by its UUID") {
    auto pair = script("pair", 100);
    pair->devices = {fit_device(0), fit_device(1)};
    pair->devices[0].uuid.fill(1);
    pair->devices[1].uuid.fill(2);
    const auto route_with = [&](Policy policy) { return session_of({pair}, policy).route(saxpy()); };
    const std::string second = "pair:02020202-0202-0202-0202-020202020202";
    CHECK(winner(route_with({.backends = {{second}}})) == "pair:1");
    CHECK(winner(route_with({.exclude = {"pair:01010101-0101-0101-0101-010101010101"}})) == "pair:1");
    const Route absent = route_with({.backends = {{"pair:03030303-0303-0303-0303-030303030303"}}});
    CHECK(winner(absent) == "refused");
    CHECK(reason(absent, "pair:03030303-0303-0303-0303-030303030303") == Reason::no_such_device);
}

TEST_CASE("exclusion takes single devices, also from the list") {
    auto pair = script("pair", 1);
    pair->devices = {fit_device(0), fit_device(1)};
    const Route one = session_of({pair}, {.exclude = {"pair:0", "pair:5"}}).route(saxpy());
    CHECK(winner(one) == "pair:1");
    CHECK(reason(one, "pair:0") == Reason::excluded);
    CHECK(reason(one, "pair:5") == Reason::no_such_device);
    CHECK(winner(session_of({pair}, {.backends = {{"pair:0"}}, .exclude = {"pair:0"}}).route(saxpy())) ==
          "emit pair:d1");
    const Policy both{.exclude = {"pair:0", "pair:1"}};
    CHECK(winner(session_of({pair, script("next", 2)}, both).route(saxpy())) == "next:0");
}

TEST_CASE(
    "a device that the list names and that isn't there is passed over, or refused with those that are") {
    auto pair = script("pair", 1);
    pair->devices = {fit_device(0), fit_device(1)};
    const Policy policy{.backends = {{"pair:7", "next"}}};
    const Route passed = session_of({pair, script("next", 2)}, policy).route(saxpy());
    CHECK(winner(passed) == "next:0");
    CHECK(reason(passed, "pair:7") == Reason::no_such_device);
    const Route refused = session_of({script("next", 0), pair}, {.backends = {{"pair:7"}}}).route(saxpy());
    REQUIRE(refused.refused());  // no emission instead: the name is a mistake
    const Error& error = refused.refused()->error;
    CHECK(error.message.find("The policy names pair:7, and pair has no such device.") != std::string::npos);
    CHECK(error.fix == "pair:7: name one that is there: pair:0 (double 0), pair:1 (double 1)");
    auto bare = script("bare", 1);
    bare->devices.clear();  // without any device it's not a mistake
    CHECK(winner(session_of({bare}, {.backends = {{"bare:0"}}}).route(saxpy())) == "emit bare:d1");
    const Route unlinked = session_of({pair}, {.backends = {{"absent:1", "pair:1"}}}).route(saxpy());
    CHECK(winner(unlinked) == "pair:1");
    CHECK(reason(unlinked, "absent:1") == Reason::not_registered);
}

TEST_CASE("naming a device allows its backend's tags") {
    auto debugging = script("interp", 1);
    debugging->tags = {"debug"};
    CHECK(winner(session_of({debugging, script("plain", 2)}, {.backends = {{"interp:0"}}}).route(saxpy())) ==
          "interp:0");
}

TEST_CASE("emission asks for no device, whichever the list names") {
    auto pair = script("pair", 1);
    auto session = session_of({pair}, {.backends = {{"pair:7"}}});
    CHECK(winner(session.route_emission(saxpy())) == "emit pair:d1");
    CHECK(pair->calls.probe == 0);
}

TEST_CASE("a software-emulated device loses to a native one of worse rank") {
    auto rasteriser = script("rasteriser", 1);
    rasteriser->devices = {emulated_device()};
    auto session = session_of({rasteriser, script("native", 1000)});
    const Route route = session.route(saxpy());
    CHECK(winner(route) == "native:0");
    CHECK(reason(route, "rasteriser:0") == Reason::software_emulated);
    Policy listed;
    listed.backends = {"rasteriser", "native"};
    CHECK(winner(session_of({rasteriser, script("native", 1000)}, listed).route(saxpy())) == "native:0");
}

TEST_CASE(
    "an emulated device that the list names itself is wanted; a backend's name orders its real devices") {
    auto rasteriser = script("rasteriser", 1), mixed = script("mixed", 1), native = script("native", 1000);
    rasteriser->devices = {emulated_device()};
    mixed->devices = {emulated_device(0), fit_device(1)};
    const auto winner_of = [&](std::vector<std::string> list) {
        const Policy policy{.backends = std::move(list)};
        const std::string first = winner(session_of({rasteriser, mixed, native}, policy).route(saxpy()));
        CHECK(winner(session_of({rasteriser, mixed, native}, policy).explain(saxpy())) == first);
        return first;
    };
    CHECK(winner_of({"rasteriser:0", "native"}) == "rasteriser:0");
    CHECK(winner_of({"rasteriser", "native"}) == "native:0");
    CHECK(winner_of({"rasteriser"}) == "rasteriser:0");
    CHECK(winner_of({"native", "rasteriser:0"}) == "native:0");
    CHECK(winner_of({"rasteriser", "native", "rasteriser:0"}) == "native:0");
    CHECK(winner_of({"mixed", "native"}) == "mixed:1");
    CHECK(winner_of({"mixed"}) == "mixed:1");
    CHECK(winner_of({"mixed:0", "native"}) == "mixed:0");
    CHECK(winner_of({"mixed:0", "mixed"}) == "mixed:0");
    CHECK(winner_of({"rasteriser", "mixed:0"}) == "mixed:0");
    const Route named =
        session_of({rasteriser, mixed}, {.backends = {{"rasteriser", "mixed:0"}}}).explain(saxpy());
    CHECK(record(named, "rasteriser:0").message ==
          "It fits, but is emulated in software, and the policy names mixed:0 itself.");
    CHECK(record(named, "mixed:0").message ==
          "It fits, and comes first: rank 1, emulated in software, and named by the policy.");
    const Route asked =
        session_of({rasteriser, native}, {.backends = {{"rasteriser:0", "native"}}}).route(saxpy());
    CHECK(reason(asked, "native") == Reason::not_asked);
    CHECK(winner(session_of({mixed}, {.choice = Pinned{"mixed:0"}}).route(saxpy())) == "mixed:0");
}

TEST_CASE("a device that compiles nothing here runs programs with stored code alone") {
    auto bare = script("bare", 1), next = script("next", 2);
    bare->devices[0].no_compiler = Missing{"Its compiler isn't installed.", "install it"};
    const ValidProgram program = saxpy();
    auto session = session_of({bare, next});
    const Route route = session.route(program);
    CHECK(winner(route) == "next:0");
    CHECK(record(route, "bare:0").reason == Reason::no_compiler);
    CHECK(record(route, "bare:0").stage == Stage::device);
    CHECK(record(route, "bare:0").failed_first);
    CHECK(record(route, "bare:0").message ==
          "double 0 compiles nothing here, and saxpy has no stored code. Its compiler isn't installed.");
    CHECK(record(route, "bare:0").fix == "install it");
    for (const Candidate& candidate : candidates(session.fleet()))
        CHECK(candidate.supports(*program).has_value() == (candidate.backend == "next"));
    CHECK(supports(bare->devices[0], *program).error().code == ErrorCode::unavailable);
    CHECK(supports(bare->devices[0], *program, {.has_code = true}));
    CHECK(session.prepare(program)->backend() == "next");
    CHECK(bare->calls.open == 0);

    Artifact code{
        .format = "text", .target = "bare:d1", .entry = "saxpy", .fingerprint = program->fingerprint()};
    const ArtifactFile file{program, {code}};
    CHECK(winner(session.route(file)) == "bare:0");
    CHECK(winner(session.explain(file)) == "bare:0");
    CHECK(session.prepare(file)->backend() == "bare");
    CHECK(bare->calls.compile == 0);
    CHECK(winner(session.route(program)) == "next:0");  // nothing of that is remembered

    code.target = "bare:d2";
    const Route other = session.route(ArtifactFile{program, {code}});
    CHECK(winner(other) == "next:0");
    CHECK(record(other, "bare:0").message ==
          "double 0 compiles nothing here, and no stored code fits saxpy: it is for bare:d2, and this is "
          "bare:d1. "
          "Its compiler isn't installed.");
    CHECK(winner(session.route(ArtifactFile{program, {code}}, {.unchecked = true})) == "next:0");
    const Route alone = session_of({bare}, {.allow_emission = false}).route(program);
    REQUIRE(alone.refused());
    CHECK(alone.refused()->error.fix == "bare:0: install it");
}

TEST_CASE("a compiler that turns out to be missing makes the device one that compiles nothing") {
    for (std::atomic<Act> Script::*where : {&Script::compile, &Script::load})
        for (const OnFailure what : {OnFailure::fail, OnFailure::retry, OnFailure::next}) {
            auto bare = script("bare", 1), next = script("next", 2);
            (*bare).*where = Act::fail;  // unavailable
            auto session = session_of({bare, next}, {.on_failure = what});
            CHECK(winner(session.route(saxpy())) == "bare:0");  // nobody knows yet
            const auto kernel = session.prepare(saxpy());
            REQUIRE(kernel);
            CHECK(kernel->backend() == "next");
            CHECK(reason(kernel->route(), "bare:0") == Reason::no_compiler);
            CHECK(record(kernel->route(), "bare:0").message.find("of bare fails on purpose.") !=
                  std::string::npos);
            CHECK(winner(session.route(iota())) == "next:0");  // now it is known, for every program
            CHECK(session.prepare(iota())->backend() == "next");
            CHECK(bare->calls.compile == 1);
        }
    auto bare = script("bare", 1);
    bare->compile = Act::fail;
    auto session = session_of({bare}, {.allow_emission = false});
    const auto none = session.prepare(saxpy());
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::refused);
    CHECK(none.error().fix == "bare:0: expect that");
    const ValidProgram program = iota();
    const Artifact code{
        .format = "text", .target = "bare:d1", .entry = "iota", .fingerprint = program->fingerprint()};
    CHECK(session.prepare(ArtifactFile{program, {code}})->backend() == "bare");
}

TEST_CASE("nothing is emitted for a target whose compiler isn't here") {
    auto bare = script("bare", 1), next = script("next", 2);
    bare->no_target_compiler = Missing{"Its compiler isn't installed.", "install it"};
    auto session = session_of({bare, next});
    const Route route = session.route_emission(saxpy());
    CHECK(winner(route) == "emit next:d1");
    CHECK(reason(route, "bare:d1") == Reason::no_compiler);
    CHECK(record(route, "bare:d1").message == "bare emits nothing here. Its compiler isn't installed.");
    CHECK(session.emit(saxpy(), {.backend = "bare"}).error().code == ErrorCode::refused);
}

TEST_CASE(
    "a program that the default target lacks something for is emitted for a later one, unless a target is "
    "named") {
    auto one = script("one", 1);
    one->next_target = "d2";
    one->default_lacks = Op::mul;
    auto session = session_of({one});
    CHECK(winner(session.route_emission(saxpy())) == "emit one:d2");
    CHECK(session.emit(saxpy())->target == "one:d2");
    CHECK(session.emit(iota())->target == "one:d1");
    const auto named = session.emit(saxpy(), {.arch = "one:d1"});
    REQUIRE_FALSE(named);
    CHECK(named.error().fix == "one:d1: emit for one:d2 (--target, EmitOptions::arch)");
    CHECK(session.emit(saxpy(), {.arch = "one:d2"})->target == "one:d2");  // as the fix says
}

TEST_CASE("candidates that the list leaves out share the last line of an explanation") {
    const std::string text =
        session_of({script("one", 1), script("two", 2), script("three", 3)}, {.choice = Pinned{"three"}})
            .explain(saxpy())
            .explain();
    CHECK(text ==
          "saxpy executes on three:0 (double 0).\n"
          "Policy: choice: pinned to three (from the session's policy)\n"
          "  three:0  chosen  It fits, and comes first: rank 3, native.\n"
          "  The policy pins three. Passed over: one, two.");
}

TEST_CASE("an emulated device is taken where no native one fits") {
    auto rasteriser = script("rasteriser", 1);
    rasteriser->devices = {emulated_device()};
    auto none = script("none", 2);
    none->devices.clear();
    CHECK(winner(session_of({rasteriser, none}).route(saxpy())) == "rasteriser:0");
    CHECK(none->calls.probe == 1);  // it could have had a native device
}

TEST_CASE("a route probes no backend that could not win") {
    auto first = script("first", 1), second = script("second", 2);
    auto session = session_of({first, second});
    const Route route = session.route(saxpy());
    CHECK(winner(route) == "first:0");
    CHECK(first->calls.probe == 1);
    CHECK(second->calls.all() == 0);
    CHECK(reason(route, "second") == Reason::not_asked);
}

TEST_CASE("explain probes every allowed backend") {
    auto first = script("first", 1), second = script("second", 2), excluded = script("excluded", 3);
    Policy policy;
    policy.exclude = {"excluded"};
    auto session = session_of({first, second, excluded}, policy);
    const Route route = session.explain(saxpy());
    CHECK(reason(route, "second:0") == Reason::outranked);
    CHECK(excluded->calls.all() == 0);
}

TEST_CASE("a route already seen makes no call, and neither does supports after the probe") {
    auto only = script("only", 1);
    auto session = session_of({only});
    const auto program = saxpy();
    session.route(program);
    const int calls = only->calls.all();
    session.route(program);
    const DeviceInfo& device = session.fleet().probe(0).devices.at(0);
    CHECK(supports(device, *program));
    CHECK_FALSE(supports(device, *saxpy(512)));
    CHECK(only->calls.all() == calls);
}

TEST_CASE("a backend without devices is passed over") {
    auto bare = script("bare", 1);
    bare->devices.clear();
    const Route route = session_of({bare, script("next", 2)}).route(saxpy());
    CHECK(winner(route) == "next:0");
    CHECK(reason(route, "bare") == Reason::no_device);
}

TEST_CASE("static questions touch no driver: operations") {
    auto narrow = script("narrow", 1);
    narrow->supported_ops.core.reset(static_cast<std::size_t>(Op::mul));
    const Route route = session_of({narrow, script("next", 2)}).route(saxpy());
    CHECK(winner(route) == "next:0");
    CHECK(record(route, "narrow").stage == Stage::operations);
    CHECK(record(route, "narrow").message.find("mul") != std::string::npos);
    CHECK(narrow->calls.all() == 0);
}

TEST_CASE("a device that lacks an operation, a type or room is passed over, with the numbers") {
    auto wide = script("wide", 9);
    auto weak = script("weak", 1);
    const auto route_with = [&](DeviceInfo device) {
        weak->devices = {std::move(device)};
        return session_of({weak, wide}).route(saxpy(128));
    };
    DeviceInfo device = fit_device();
    device.ops.core.reset(static_cast<std::size_t>(Op::mul));
    CHECK(reason(route_with(device), "weak:0") == Reason::operation_missing);
    device = fit_device();
    device.scalars.reset(static_cast<std::size_t>(Scalar::f32));
    CHECK(reason(route_with(device), "weak:0") == Reason::type_missing);
    // Halves need their own type, and no operations of their own.
    weak->devices = {fit_device()};
    weak->devices[0].scalars = core_scalars;
    const ValidProgram halves =
        *validate(*wgsl::parse("enable f16; @group(0) @binding(0) var<storage, read_write> h: array<f16>;\n"
                               "@compute @workgroup_size(1) fn half() { h[0] = exp(h[1]) / h[2]; }"));
    const Route refused = session_of({weak, wide}).route(halves);
    CHECK(reason(refused, "weak:0") == Reason::type_missing);
    CHECK(record(refused, "weak:0").message.find("doesn't have the type f16 of half.") != std::string::npos);
    weak->devices[0].scalars.set();
    CHECK(winner(session_of({weak, wide}).route(halves)) == "weak:0");
    const ValidProgram counts = *validate(*wgsl::parse(
        "enable muster_int64; @group(0) @binding(0) var<storage, read_write> h: array<atomic<i64>>;\n"
        "@compute @workgroup_size(1) fn count() { atomicAdd(&h[0], 1); }"));
    const Route without = session_of({weak, wide}).route(counts);
    CHECK(record(without, "weak:0").message.find("doesn't have the type atomic<u64> of count.") !=
          std::string::npos);
    weak->devices[0].ops.wide_atomics = true;
    CHECK(winner(session_of({weak, wide}).route(counts)) == "weak:0");
    device = fit_device();
    device.limits.max_workgroup_invocations = 64;
    const Route route = route_with(device);
    CHECK(winner(route) == "wide:0");
    REQUIRE(record(route, "weak:0").shortfalls.size() == 1);
    CHECK(record(route, "weak:0").shortfalls[0].needed == 128);
    CHECK(record(route, "weak:0").shortfalls[0].available == 64);
    device = fit_device();
    device.limits.max_storage_bindings = 1;
    CHECK(reason(route_with(device), "weak:0") == Reason::limit_exceeded);
    device = fit_device();
    device.limits.max_uniform_binding_bytes = 3;  // saxpy's a has 4
    const Route small = route_with(device);
    CHECK(winner(small) == "wide:0");
    REQUIRE(record(small, "weak:0").shortfalls.size() == 1);
    CHECK(record(small, "weak:0").shortfalls[0].needed == 4);
    CHECK(record(small, "weak:0").shortfalls[0].available == 3);
}

TEST_CASE("an inexact device runs exact programs only where the policy says so, and the route tells") {
    auto loose = script("loose", 1);
    loose->devices[0].exactness.signed_zero_inf_nan = Promise::no;
    CHECK(reason(session_of({loose}).route(saxpy()), "loose:0") == Reason::not_exact);
    Policy policy;
    policy.inexact_ok = true;
    const Route allowed = session_of({loose}, policy).route(saxpy());
    CHECK(winner(allowed) == "loose:0");
    REQUIRE(allowed.decision().notes.size() == 1);
    CHECK(allowed.decision().notes[0].find("signed zero") != std::string::npos);
    auto fresh = session_of({loose});
    CHECK(winner(fresh.route(saxpy(), {.precision = Precision::fast})) == "loose:0");
    CHECK(winner(fresh.route(iota())) == "loose:0");  // without floats, nothing can be inexact
}

TEST_CASE("mathematics that exact mode expands isn't asked of the device") {
    auto exact = script("exact", 1);  // all_exact() has no exp
    CHECK(winner(session_of({exact}).route(map_unary(Op::exp))) == "exact:0");
    exact->supported_ops.core.reset(static_cast<std::size_t>(Op::bitcast));
    CHECK(winner(session_of({exact}).route(map_unary(Op::exp))) == "refused");  // expansions may use it
}

TEST_CASE("the policy's list allows only what it names, in its order") {
    Policy policy;
    policy.backends = {"late", "early"};
    auto other = script("other", 0);
    const Route route = session_of({script("early", 1), script("late", 2), other}, policy).route(saxpy());
    CHECK(winner(route) == "late:0");
    CHECK(reason(route, "other") == Reason::not_listed);
    CHECK(other->calls.all() == 0);
    policy.backends = std::vector<std::string>{};
    CHECK(winner(session_of({script("early", 1)}, policy).route(saxpy())) == "refused");
}

TEST_CASE("exclusion subtracts from everything, also from the list") {
    Policy policy;
    policy.backends = {"aa", "bb"};
    policy.exclude = {"aa"};
    const Route route = session_of({script("aa", 1), script("bb", 2)}, policy).route(saxpy());
    CHECK(winner(route) == "bb:0");
    CHECK(reason(route, "aa") == Reason::excluded);
}

TEST_CASE("a backend that the policy names and nobody linked is in the record") {
    Policy policy;
    policy.backends = {"absent", "here"};
    const Route route = session_of({script("here", 1)}, policy).route(saxpy());
    CHECK(winner(route) == "here:0");
    CHECK(reason(route, "absent") == Reason::not_registered);
}

TEST_CASE("debug backends wait for consent: the tag, the name, or nothing else") {
    auto debugging = script("interp", 1);
    debugging->tags = {"debug"};
    auto plain = script("plain", 2);
    plain->devices.clear();
    plain->formats.clear();
    const Route route = session_of({debugging, plain}).route(saxpy());
    CHECK(winner(route) == "refused");  // a missing device doesn't allow a tag
    CHECK(reason(route, "interp") == Reason::tag_not_allowed);
    CHECK(debugging->calls.all() == 0);

    Policy tag, name;
    tag.allow_tags = {"debug"};
    name.backends = {"interp"};
    CHECK(winner(session_of({debugging, plain}, tag).route(saxpy())) == "interp:0");
    CHECK(winner(session_of({debugging, plain}, name).route(saxpy())) == "interp:0");

    const Route alone = session_of({debugging}).route(saxpy());
    CHECK(winner(alone) == "interp:0");
    REQUIRE(alone.decision().notes.size() == 1);
    CHECK(alone.decision().notes[0].find("\"debug\"") != std::string::npos);
    CHECK(session_of({debugging}, tag).route(saxpy()).decision().notes.empty());

    auto emitter = script("emitter", 3);
    emitter->dispatches = false;  // no other one dispatches
    CHECK(winner(session_of({debugging, emitter}).route(saxpy())) == "interp:0");
}

TEST_CASE("a backend that claims no dispatch is never probed, and is an emission candidate") {
    auto emitter = script("emitter", 1);
    emitter->dispatches = false;
    const Route route = session_of({emitter}).route(saxpy());
    CHECK(winner(route) == "emit emitter:d1");
    CHECK(reason(route, "emitter") == Reason::claims_no_dispatch);
    CHECK(emitter->calls.probe == 0);
    CHECK(winner(session_of({emitter, script("runner", 2)}).route(saxpy())) == "runner:0");
}

TEST_CASE("a backend that claims dispatch but has no device is an emission candidate") {
    auto bare = script("bare", 1);
    bare->devices.clear();
    const Route route = session_of({bare}).route(saxpy());
    CHECK(winner(route) == "emit bare:d1");
    CHECK(reason(route, "bare") == Reason::no_device);
    CHECK(reason(route, "bare:d1") == Reason::chosen);
    CHECK(route.mode() == "emit-only");
    CHECK(route.execute() == nullptr);
}

TEST_CASE("emission goes by rank and asks no further than needed") {
    auto first = script("first", 1), second = script("second", 2), third = script("third", 3);
    for (auto* one : {&first, &second, &third}) (*one)->dispatches = false;
    first->formats.clear();
    const Route route = session_of({first, second, third}).route(saxpy());
    CHECK(winner(route) == "emit second:d1");
    CHECK(reason(route, "first") == Reason::claims_no_dispatch);
    CHECK(third->calls.all() == 0);
    first->formats = {"text"};
    first->describe = Act::fail;
    CHECK(winner(session_of({first, second}).route(saxpy())) == "emit second:d1");
    first->describe = Act::lie;
    CHECK(winner(session_of({first, second}).route(saxpy())) == "emit second:d1");
}

TEST_CASE("emission can be forbidden") {
    auto emitter = script("emitter", 1);
    emitter->dispatches = false;
    Policy policy;
    policy.allow_emission = false;
    CHECK(winner(session_of({emitter}, policy).route(saxpy())) == "refused");
    CHECK(emitter->calls.all() == 0);
}

TEST_CASE("a refusal lists every candidate with its reason and a fix") {
    auto bare = script("bare", 1), loud = script("loud", 2);
    bare->devices.clear();
    bare->formats.clear();
    loud->probe = Act::fail;
    loud->formats.clear();
    const Route route = session_of({bare, loud}).route(saxpy());
    REQUIRE(route.refused());
    const std::string text = route.refused()->error.to_string();
    CHECK(route.refused()->error.code == ErrorCode::refused);
    CHECK(text.find("bare finds no device") != std::string::npos);
    CHECK(text.find("The probe of loud fails on purpose") != std::string::npos);
    CHECK(text.find("Fix:") != std::string::npos);
    const Route empty = session_of({}).route(saxpy());
    REQUIRE(empty.refused());
    CHECK(empty.refused()->error.message.find("no backend is linked") != std::string::npos);
}

TEST_CASE("a refusal's fix is about what came furthest, and not about what the user put aside") {
    auto far = script("far", 2), near = script("near", 1), tagged = script("tagged", 3);
    far->devices[0].memory_bytes = 1 << 20;
    near->devices.clear();
    tagged->tags = {"debug"};
    Policy policy{.min_memory_bytes = 1 << 30, .allow_emission = false};
    const auto fix = [&] {
        return session_of({near, far, tagged}, policy).route(saxpy()).refused()->error.fix;
    };
    CHECK_MESSAGE(fix().starts_with("near: check that the machine has one"), fix());
    policy.backends = {"far"};
    CHECK_MESSAGE(fix().starts_with("far:0: use another device"), fix());
    policy.backends = {"fat"};
    CHECK_MESSAGE(fix().starts_with("fat: did you mean \"far\"?"), fix());
    const Route ambiguous =
        session_of({script("one", 1), script("two", 2)}, {.choice = OnlyOne{}}).route(saxpy());
    CHECK(ambiguous.explain().starts_with("2 backends can execute saxpy"));
}

TEST_CASE("the fix of a backend that throws or says nothing is about that backend") {
    const auto fix = [](auto break_it) {
        auto broken = script("broken", 2);
        broken->formats.clear();
        break_it(*broken);
        const Policy policy{.backends = {{"broken"}}};
        return session_of({script("other", 1), broken}, policy).route(saxpy()).refused()->error.fix;
    };
    constexpr std::string_view report = "broken: report this to who wrote the backend";
    CHECK_MESSAGE(fix([](Script& s) { s.probe = Act::throws; }).starts_with(report), "probe throws");
    CHECK_MESSAGE(fix([](Script& s) { s.probe = Act::lie; }).starts_with(report), "probe lies");
    CHECK_MESSAGE(fix([](Script& s) { s.factory = Act::throws; }).starts_with(report), "factory throws");
    const auto silent = fix([](Script& s) { s.probe = Act::lose; });  // an error without a fix
    CHECK_MESSAGE(silent.starts_with("broken: check its driver, or exclude it"), silent);
}

TEST_CASE("whatever a probe throws, its backend and a fix are told, and the others go on") {
    class Thrower final : public ForwardingBackend {
      public:
        Thrower(std::shared_ptr<Backend> backend, int what)
            : ForwardingBackend(std::move(backend)), what_(what) {}
        Result<std::vector<DeviceInfo>> probe() override {
            if (what_ == 0) throw std::bad_alloc();
            if (what_ == 1) throw std::out_of_range("no entry 7");
            throw what_;
        }

      private:
        int what_;
    };
    constexpr std::string_view report =
        "report this to who wrote the backend, or exclude it (MUSTER_EXCLUDE)";
    const std::array<std::array<std::string_view, 2>, 3> told{
        {{"The probe of broken runs out of host memory.", "use smaller buffers, or end other programs"},
         {"The probe of broken throws: no entry 7.", report},
         {"The probe of broken throws: something that isn't a std::exception.", report}}};
    for (std::size_t what = 0; what < told.size(); ++what) {
        const auto broken = script("broken", 1);
        std::vector<FleetEntry> all = entries({broken, script("sound", 2)});
        all[0].factory = [=]() -> Result<std::unique_ptr<Backend>> {
            return std::make_unique<Thrower>(std::make_shared<DoubleBackend>(broken), static_cast<int>(what));
        };
        auto session = Session::open({.fleet = std::make_shared<Fleet>(all, 1min), .use_environment = false});
        const Route route = session->route(saxpy());
        CHECK(winner(route) == "sound:0");
        CHECK(reason(route, "broken") == Reason::probe_failed);
        CHECK(record(route, "broken").message == told[what][0]);
        CHECK(record(route, "broken").fix == told[what][1]);
        CHECK(record(route, "broken").failed_first);
    }
}

TEST_CASE("a factory or probe that fails, throws, lies or hangs costs only its backend") {
    const auto other = [](auto break_it, Reason expected) {
        auto broken = script("broken", 1);
        broken->formats.clear();
        break_it(*broken);
        const bool hangs = broken->factory == Act::hang || broken->probe == Act::hang;
        auto session = session_of({broken, script("sound", 2)}, {}, hangs ? 300ms : 60s);
        const Route route = session.route(saxpy());
        CHECK(winner(route) == "sound:0");
        CHECK(reason(route, "broken") == expected);
        CHECK_FALSE(record(route, "broken").message.empty());
        broken->gate.open();
    };
    other([](Script& s) { s.factory = Act::fail; }, Reason::factory_failed);
    other([](Script& s) { s.factory = Act::throws; }, Reason::factory_failed);
    other([](Script& s) { s.factory = Act::lie; }, Reason::factory_failed);
    other([](Script& s) { s.factory = Act::hang; }, Reason::probe_timed_out);
    other([](Script& s) { s.probe = Act::fail; }, Reason::probe_failed);
    other([](Script& s) { s.probe = Act::throws; }, Reason::probe_failed);
    other([](Script& s) { s.probe = Act::lie; }, Reason::probe_failed);
    other([](Script& s) { s.probe = Act::hang; }, Reason::probe_timed_out);
    other([](Script& s) { s.devices[0].limits.max_workgroups.y = 0; }, Reason::probe_failed);
}

TEST_CASE("a probe happens once, for all sessions, and its error is remembered") {
    auto loud = script("loud", 1);
    loud->probe = Act::fail;
    auto fleet = std::make_shared<Fleet>(entries({loud, script("next", 2)}));
    for (int i = 0; i < 3; ++i) {
        auto session = Session::open({.fleet = fleet, .use_environment = false});
        CHECK(reason(session->route(saxpy()), "loud") == Reason::probe_failed);
    }
    CHECK(loud->calls.factory == 1);
    CHECK(loud->calls.probe == 1);
}

TEST_CASE("a backend whose records are wrong is in the record, and costs nothing else") {
    auto good = script("good", 2);
    FleetEntry wrong{.id = "twice", .rank = 1};
    wrong.fault = Error{ErrorCode::conflict, "Two libraries register \"twice\".", "link one of them", {}};
    auto all = entries({good});
    all.push_back(wrong);
    auto session = Session::open({.fleet = std::make_shared<Fleet>(all), .use_environment = false});
    const Route route = session->route(saxpy());
    CHECK(winner(route) == "good:0");
    CHECK(reason(route, "twice") == Reason::registration_fault);
}

TEST_CASE("deciding is pure: the same facts give the same answer and nothing is called") {
    auto one = script("one", 1), two = script("two", 2);
    const Fleet fleet(entries({one, two}));
    const ProbeResult devices{.devices = {fit_device()}}, none{};
    const auto program = saxpy();
    const std::vector<routing::BackendFacts> unknown{{&fleet.entry(0)}, {&fleet.entry(1)}};
    const auto ask = routing::decide(*program, {}, unknown, {});
    REQUIRE(std::holds_alternative<routing::Question>(ask));
    CHECK(std::get<routing::Question>(ask).backend == 0);
    const std::vector<routing::BackendFacts> first_none{{&fleet.entry(0), &none}, {&fleet.entry(1)}};
    const auto ask_next = routing::decide(*program, {}, first_none, {});
    REQUIRE(std::holds_alternative<routing::Question>(ask_next));
    CHECK(std::get<routing::Question>(ask_next).backend == 1);
    const std::vector<routing::BackendFacts> known{{&fleet.entry(0), &devices}, {&fleet.entry(1)}};
    const auto a = routing::decide(*program, {}, known, {}), b = routing::decide(*program, {}, known, {});
    REQUIRE(std::holds_alternative<Route>(a));
    CHECK(std::get<Route>(a).explain() == std::get<Route>(b).explain());
    CHECK(one->calls.all() + two->calls.all() == 0);
}

TEST_CASE("a route explains itself") {
    auto bare = script("bare", 1);
    bare->devices.clear();
    const Route route = session_of({bare, script("next", 2)}).route(saxpy());
    const std::string text = route.explain();
    CHECK(text.find("saxpy executes on next:0 (double 0).") == 0);
    CHECK(text.find("no_device") != std::string::npos);
    CHECK(text.find("Fix: ") != std::string::npos);
    CHECK(route.mode() == "execute");
}

TEST_CASE("only one: the one backend that fits is chosen, and several are an error that names them") {
    const Policy one{.choice = OnlyOne{}};
    auto small = script("small", 1), none = script("none", 2);
    small->devices[0].limits.max_workgroup_invocations = 1;
    none->devices.clear();
    CHECK(winner(session_of({small, none, script("fit", 3)}, one).route(saxpy())) == "fit:0");
    const Route several = session_of({script("aa", 1), none, script("bb", 3)}, one).route(saxpy());
    REQUIRE(several.refused());
    CHECK(several.refused()->error.message.starts_with(
        "2 backends can execute saxpy, and the policy takes one only where no other can: aa, bb."));
    CHECK(several.refused()->error.fix == "aa:0: name aa as the backend, or exclude the others");
    CHECK(reason(several, "aa:0") == Reason::ambiguous);
    CHECK(reason(several, "bb:0") == Reason::ambiguous);
    Policy chosen = one;
    chosen.backends = {"bb"};
    CHECK(winner(session_of({script("aa", 1), script("bb", 3)}, chosen).route(saxpy())) == "bb:0");
    auto pair = script("pair", 1);  // two devices are one backend
    pair->devices = {fit_device(0), fit_device(1)};
    CHECK(winner(session_of({pair}, one).route(saxpy())) == "pair:0");
}

TEST_CASE("only one concerns emission, too") {
    const Policy one{.choice = OnlyOne{}};
    auto first = script("first", 1), second = script("second", 2);
    first->dispatches = second->dispatches = false;
    CHECK(winner(session_of({first}, one).route(saxpy())) == "emit first:d1");
    const Route several = session_of({first, second}, one).route_emission(saxpy());
    REQUIRE(several.refused());
    CHECK(several.refused()->error.message.starts_with("2 backends can emit saxpy"));
    CHECK(reason(several, "second:d1") == Reason::ambiguous);
}

TEST_CASE("pinned: that device or an error, never another one, nor emission unless it is allowed") {
    auto pair = script("pair", 9);
    pair->devices = {fit_device(0), fit_device(1)};
    auto other = script("other", 1);
    const Policy pin{.choice = Pinned{"pair:1"}};
    CHECK(winner(session_of({pair, other}, pin).route(saxpy())) == "pair:1");
    CHECK(winner(session_of({pair, other}, {.choice = Pinned{"pair"}}).route(saxpy())) == "pair:0");
    CHECK(other->calls.all() == 0);
    pair->devices[1].limits.max_workgroup_invocations = 1;
    const Route refused = session_of({pair, other}, pin).route(saxpy());
    REQUIRE(refused.refused());
    CHECK(
        refused.refused()->error.message.starts_with("pair:1 can't execute saxpy, and the policy pins it."));
    CHECK(refused.refused()->error.fix == "pair:1: use at most 1, or another device");
    CHECK(record(refused, "other").message == "The policy pins pair:1.");
    Policy may_emit = pin;
    may_emit.allow_emission = true;
    CHECK(winner(session_of({pair, other}, may_emit).route(saxpy())) == "emit pair:d1");
    CHECK(winner(session_of({pair, other}, pin).route_emission(saxpy())) ==
          "emit pair:d1");  // its pin asks for that target
    auto debugging = script("interp", 1);
    debugging->tags = {"debug"};
    CHECK(winner(session_of({debugging, other}, {.choice = Pinned{"interp"}}).route(saxpy())) == "interp:0");
    Policy excluded = pin;
    excluded.exclude = {"pair"};
    CHECK(winner(session_of({pair, other}, excluded).route(saxpy())) == "refused");
}

TEST_CASE("a pin that names nobody says who is near, and how to link one that isn't") {
    const auto fix_of = [](const char* name) {
        const Route route = session_of({script("other", 1)}, {.choice = Pinned{name}}).route(saxpy());
        REQUIRE(route.refused());
        return route.refused()->error.fix;
    };
    CHECK(fix_of("othre") == "othre: did you mean \"other\"?");
    CHECK(fix_of("reference:0").find("muster::backend_reference") != std::string::npos);
}

TEST_CASE("no silent CPU: where a GPU is asked for, neither a CPU nor a device that plays one executes") {
    auto processor = script("processor", 2), rasteriser = script("rasteriser", 1),
         graphics = script("graphics", 3);
    processor->devices[0].kind = DeviceKind::cpu;
    rasteriser->devices = {emulated_device()};
    rasteriser->devices[0].kind = DeviceKind::discrete_gpu;  // the driver's claim
    graphics->devices[0].kind = DeviceKind::integrated_gpu;
    const auto with = [&](DeviceClass kind, std::initializer_list<ScriptPointer> scripts) {
        return session_of(scripts, {.kind = kind, .allow_emission = false}).route(saxpy());
    };
    CHECK(winner(with(DeviceClass::gpu, {processor, rasteriser, graphics})) == "graphics:0");
    CHECK(winner(with(DeviceClass::integrated, {processor, rasteriser, graphics})) == "graphics:0");
    CHECK(winner(with(DeviceClass::discrete, {processor, rasteriser, graphics})) == "refused");
    CHECK(winner(with(DeviceClass::cpu, {graphics, processor})) == "processor:0");
    CHECK(winner(with(DeviceClass::cpu, {graphics, rasteriser})) == "rasteriser:0");
    const Route refused = with(DeviceClass::gpu, {processor, rasteriser});
    CHECK(winner(refused) == "refused");
    CHECK(reason(refused, "processor:0") == Reason::kind_not_allowed);
    CHECK(record(refused, "processor:0").message ==
          "The policy asks for a GPU; double 0 is of kind \"cpu\".");
    CHECK(record(refused, "rasteriser:0").message ==
          "The policy asks for a GPU; double 0 is emulated in software.");
    CHECK(winner(session_of({processor}, {.kind = DeviceClass::cpu}).route(saxpy())) == "processor:0");
}

TEST_CASE("a GPU that is lost is not replaced by a CPU where a GPU is asked for") {
    auto processor = script("processor", 2), graphics = script("graphics", 1);
    processor->devices[0].kind = DeviceKind::cpu;
    graphics->devices[0].kind = DeviceKind::discrete_gpu;
    graphics->open = Act::fail;
    auto session = session_of({processor, graphics}, {.kind = DeviceClass::gpu, .allow_emission = false});
    CHECK_FALSE(session.prepare(saxpy()));
    CHECK(processor->calls.open == 0);
}

TEST_CASE("least memory, features and tags are asked of each candidate") {
    auto first = script("first", 1), second = script("second", 2);
    first->devices[0].memory_bytes = 100;
    first->devices[0].scalars.reset(static_cast<std::size_t>(Scalar::i32));
    second->devices[0].memory_bytes = 200;
    second->devices[0].subgroup_size = 32;
    second->tags = {"fast"};
    const auto with = [&](Policy policy) { return session_of({first, second}, policy).route(saxpy()); };
    CHECK(winner(with({.min_memory_bytes = 100})) == "first:0");
    const Route bigger = with({.min_memory_bytes = 101});
    CHECK(winner(bigger) == "second:0");
    CHECK(reason(bigger, "first:0") == Reason::memory_too_small);
    CHECK(record(bigger, "first:0").shortfalls.at(0).needed == 101);
    CHECK(winner(with({.require_features = {{"f32"}}})) == "first:0");
    CHECK(reason(with({.require_features = {{"i32"}}}), "first:0") == Reason::feature_missing);
    CHECK(winner(with({.require_features = {{"subgroup:32"}}})) == "second:0");
    CHECK(winner(with({.require_features = {{"subgroup:33"}}, .allow_emission = false})) == "refused");
    const Route tagged = with({.require_tags = {{"fast"}}});
    CHECK(winner(tagged) == "second:0");
    CHECK(reason(tagged, "first") == Reason::tag_missing);
    CHECK(reason(with({.backends = {{"second", "first"}}, .exclude_tags = {"fast"}}), "second") ==
          Reason::excluded);
}

TEST_CASE("the size of subgroups is the program's, the kernel's, the policy's or the device's") {
    auto wide = script("wide", 1), narrow = script("narrow", 2), none = script("none", 3);
    wide->devices[0].subgroup_size = 32;
    wide->devices[0].subgroup_sizes = {32, 32};
    narrow->devices[0].subgroup_size = 8;
    narrow->devices[0].subgroup_sizes = {4, 16};
    none->devices[0].no_subgroups = "it can't shuffle";
    for (const auto& one : {wide, narrow, none}) {
        one->supported_ops.insert(Op::subgroup_ballot);
        one->devices[0].ops.insert(Op::subgroup_ballot);
    }
    const auto program = [](std::uint32_t size) {
        IrBuilder ir("votes", {64, 1, 1}, size);
        const VariableId out =
            ir.variable({.name = "out", .type = type_of(Scalar::u32, 4), .space = AddressSpace::storage});
        ir.store(ir.ref(out), ir.subgroup(Op::subgroup_ballot, ir.constant(true)));
        return test::valid(std::move(ir));
    };
    const auto with = [&](const ValidProgram& of, Policy policy, CompileOptions options = {}) {
        return session_of({wide, narrow, none}, policy).explain(of, options);
    };
    CHECK(winner(with(program(0), {})) == "wide:0");
    const Route small = with(program(0), {.subgroup_size = 16});
    CHECK(winner(small) == "narrow:0");
    CHECK(reason(small, "wide:0") == Reason::limit_exceeded);
    CHECK(record(small, "none:0").message ==
          "double 0 has no subgroups, which votes uses: it can't shuffle.");
    CHECK(winner(with(program(0), {.subgroup_size = 16}, {.subgroup_size = 32})) == "wide:0");
    CHECK(winner(with(program(16), {.subgroup_size = 32})) == "narrow:0");
    CHECK(winner(with(program(0), {.subgroup_size = 64, .allow_emission = false})) == "refused");
    CHECK(winner(with(saxpy(), {.subgroup_size = 16})) == "wide:0");
}

TEST_CASE("candidates() gives what the policy's requirements leave") {
    auto first = script("first", 1), second = script("second", 2);
    first->devices[0].kind = DeviceKind::cpu;
    second->devices[0].kind = DeviceKind::virtual_gpu;
    Fleet fleet(entries({first, second}));
    const auto all = candidates(fleet, {.kind = DeviceClass::gpu});
    REQUIRE(all.size() == 1);
    CHECK(all[0].id() == "second:0");
    CHECK(candidates(fleet, {.choice = Pinned{"first"}}).at(0).id() == "first:0");
}

TEST_CASE("candidates() asks nothing of a backend whose tags the policy forbids") {
    auto plain = script("plain", 1), tagged = script("tagged", 2);
    tagged->tags = {"experimental"};
    const auto fleet = std::make_shared<Fleet>(entries({plain, tagged}));
    CHECK(candidates(*fleet, {.exclude_tags = {"experimental"}}).size() == 1);
    CHECK(tagged->calls.all() == 0);
    const auto required = candidates(*fleet, {.require_tags = std::vector<std::string>{"experimental"}});
    REQUIRE(required.size() == 1);
    CHECK(required[0].backend == "tagged");
}

TEST_CASE("where a GPU is asked for, no code for a CPU is emitted") {
    auto processor = script("processor", 1), graphics = script("graphics", 2);
    processor->dispatches = graphics->dispatches = false;
    processor->target_kind = DeviceKind::cpu;
    const Policy gpu{.kind = DeviceClass::gpu};
    const Route route = session_of({processor, graphics}, gpu).route_emission(saxpy());
    CHECK(winner(route) == "emit graphics:d1");
    CHECK(reason(route, "processor:d1") == Reason::kind_not_allowed);
}

TEST_CASE("a route says which layer decided what") {
    auto session =
        session_of({script("one", 1), script("two", 2)}, {.backends = {{"two"}}, .exclude = {"three"}});
    const Route route = session.route(saxpy());
    CHECK(route.explain().find("Policy: backends: two (from the session's policy)\n"
                               "Policy: exclude: three (from the session's policy)") != std::string::npos);
    CHECK(session.policy_settings().size() == 2);
}

TEST_CASE("variables that hide devices are named where they are set") {
    auto bare = script("bare", 1), full = script("full", 2);
    bare->devices.clear();
    auto all = entries({bare, full});
    for (FleetEntry& one : all) one.hides_devices = {"MUSTER_TEST_HIDES", "MUSTER_TEST_UNSET"};
    auto session = Session::open({.fleet = std::make_shared<Fleet>(all), .use_environment = false});
    const auto explained = [&] { return session->explain(saxpy()); };
    CHECK(record(explained(), "bare").message == "bare finds no device.");
    CHECK(explained().decision().notes.empty());
    setenv("MUSTER_TEST_HIDES", "1,2", 1);
    const Route hidden = explained();
    unsetenv("MUSTER_TEST_HIDES");
    CHECK(record(hidden, "bare").message ==
          "bare finds no device. MUSTER_TEST_HIDES=\"1,2\" is set, and may hide some.");
    REQUIRE(hidden.decision().notes.size() == 2);
    CHECK(hidden.decision().notes[1] ==
          "MUSTER_TEST_HIDES=\"1,2\" is set: full finds only the devices that it leaves.");
}
