// Every fix that a route prints is tried: done as it says, it changes what it speaks of.
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;

namespace {

/// What a user changes: the policy, what is compiled, or what is there.
struct Situation {
    std::vector<ScriptPointer> scripts;
    Policy policy = {};
    ValidProgram program = saxpy(64);
    CompileOptions compile = {};
    EmitOptions emit = {};
    bool emits = false;

    Route route() const {
        std::vector<FleetEntry> all;
        for (const ScriptPointer& one : scripts) all.push_back(entry(one));
        auto session =
            Session::open({.policy = policy,
                           .fleet = std::make_shared<Fleet>(std::move(all), std::chrono::minutes(1)),
                           .use_environment = false});
        REQUIRE(session);
        return emits ? session->route_emission(program) : session->explain(program, compile);
    }
    Route first_route() const {
        std::vector<FleetEntry> all;
        for (const ScriptPointer& one : scripts) all.push_back(entry(one));
        return Session::open({.policy = policy,
                              .fleet = std::make_shared<Fleet>(std::move(all), std::chrono::minutes(1)),
                              .use_environment = false})
            ->route(program, compile);
    }
};

/// The part of a text between two others; none if they aren't there.
std::optional<std::string> between(const std::string& text, const std::string& before,
                                   const std::string& after) {
    const auto begin = text.find(before);
    if (begin == std::string::npos) return std::nullopt;
    const auto from = begin + before.size(), end = after.empty() ? text.size() : text.find(after, from);
    if (end == std::string::npos) return std::nullopt;
    return text.substr(from, end - from);
}

const CandidateRecord* find(const Route& route, const std::string& id) {
    for (const CandidateRecord& one : route.decision().candidates)
        if (one.id() == id) return &one;
    return nullptr;
}

void erase(std::vector<std::string>& list, const std::string& item) { std::erase(list, item); }

/// The situations after each way of doing what a fix says; empty if this test doesn't know the fix.
struct Done {
    Situation situation;
    bool chooses =
        false;  // the candidate is then the chosen one; otherwise it only has another reason, or is gone
};
std::vector<Done> done(const Situation& before, const CandidateRecord& record) {
    const std::string& fix = record.fix;
    std::vector<Done> ways;
    const auto add = [&](bool chooses, auto change) {
        ways.push_back({before, chooses});
        change(ways.back().situation);
    };
    if (const auto id = between(fix, "name ", " as the backend"))
        add(true, [&](Situation& now) {
            now.policy.choice.reset();
            now.policy.backends = std::vector{*id};
        });
    if (const auto id = between(fix, "as the backend, or exclude ", ""); id && *id != "the others")
        add(true, [&](Situation& now) { now.policy.exclude.push_back(*id); });
    if (fix.find("or exclude the others") != fix.npos)
        add(true, [&](Situation& now) {
            for (const ScriptPointer& one : now.scripts)
                if (one->id != record.backend) now.policy.exclude.push_back(one->id);
        });
    if (const auto tag = between(fix, "or allow its tag", ""))
        add(true, [&](Situation& now) { now.policy.allow_tags = {{"debug", "experimental"}}; });
    if (const auto id = between(fix, "pin ", " instead"))
        add(true, [&](Situation& now) { now.policy.choice = Pinned{*id}; });
    if (const auto id = between(fix, "add ", " to the list"))
        add(false, [&](Situation& now) { now.policy.backends->push_back(*id); });
    if (fix.starts_with("take it off the exclusions"))
        add(false, [&](Situation& now) {
            erase(now.policy.exclude, record.backend);
            erase(now.policy.exclude, record.id());
        });
    if (fix.starts_with("take the tag off the exclusions"))
        add(false, [&](Situation& now) { now.policy.exclude_tags.clear(); });
    if (fix.find("don't require the tag") != fix.npos)
        add(false, [&](Situation& now) { now.policy.require_tags.reset(); });
    if (fix.starts_with("ask for another kind")) add(false, [&](Situation& now) { now.policy.kind.reset(); });
    if (fix.find("ask for less (Policy::min_memory_bytes") != fix.npos)
        add(false, [&](Situation& now) { now.policy.min_memory_bytes.reset(); });
    if (fix.find("take it off the requirements") != fix.npos)
        add(false, [&](Situation& now) { now.policy.require_features.reset(); });
    if (fix.starts_with("allow inexact devices")) {
        add(false, [&](Situation& now) { now.policy.inexact_ok = true; });
        add(false, [&](Situation& now) { now.compile.precision = Precision::fast; });
    }
    if (const auto most = between(fix, "use at most ", ", or another device")) {
        std::uint32_t number = 0;
        std::from_chars(most->data(), most->data() + most->size(), number);
        add(false, [&](Situation& now) { now.program = saxpy(number); });
    }
    if (fix.starts_with("ask for a size that it has, or for none"))
        add(false, [&](Situation& now) { now.compile.subgroup_size = 0; });
    if (const auto target = between(fix, "emit for ", " (--target"))
        add(false, [&](Situation& now) { now.emit.arch = *target; });
    return ways;
}

/// Tries the fixes of all candidates. Returns the beginnings of those that were tried.
std::set<std::string> try_fixes(const Situation& before) {
    std::set<std::string> tried;
    for (const Route& route : {before.route(), before.first_route()}) {
        INFO(route.explain());
        for (const CandidateRecord& record : route.decision().candidates) {
            if (record.fix.empty()) continue;
            CAPTURE(record.id());
            CAPTURE(record.fix);
            const auto ways = done(before, record);
            CHECK_MESSAGE(!ways.empty(), "a fix that this test can't do");
            for (const Done& way : ways) {
                const Route after = way.situation.route();
                const CandidateRecord* const now = find(after, record.id());
                INFO(after.explain());
                if (way.chooses)
                    CHECK((after.execute() != nullptr && after.execute()->id() == record.id()) ==
                          record.ordinal.has_value());
                if (way.chooses &&
                    !record.ordinal)  // a backend whose devices weren't asked: one of them is chosen
                    CHECK((after.execute() != nullptr && after.execute()->backend == record.backend));
                if (!way.chooses) CHECK((now == nullptr || now->reason != record.reason));
            }
            tried.insert(record.fix.substr(0, record.fix.find(' ')));
        }
    }
    return tried;
}

ScriptPointer with_devices(ScriptPointer script, std::vector<DeviceInfo> devices) {
    script->devices = std::move(devices);
    return script;
}

ScriptPointer tagged(ScriptPointer script, const char* tag) {
    script->tags = {tag};
    return script;
}

}  // namespace

TEST_CASE("fixes: a device that fits and isn't chosen") {
    const auto native = script("native", 50), other = script("other", 60);
    const auto rasteriser = with_devices(script("rasteriser", 10), {emulated_device()});
    const auto pocl = with_devices(script("pocl", 20), {emulated_device()});
    const auto pair = with_devices(script("pair", 30), {fit_device(0), fit_device(1), fit_device(2)});
    const auto mixed = with_devices(script("mixed", 5), {emulated_device(0), fit_device(1)});
    CHECK(try_fixes({{rasteriser, pocl, native, other}}) == std::set<std::string>{"name"});
    try_fixes({{rasteriser, pocl}});
    try_fixes({{pair, native}});
    try_fixes({{pair}});
    try_fixes({{mixed, pair, rasteriser}});
    try_fixes({{rasteriser, pocl, native}, {.backends = {{"pocl", "rasteriser", "native"}}}});
    try_fixes({{rasteriser, pocl, native}, {.backends = {{"pocl:0", "native"}}}});
    try_fixes({{rasteriser, pocl, native}, {.backends = {{"rasteriser", "pocl:0", "native"}}}});
    try_fixes({{pair, native}, {.choice = Pinned{"pair"}}});
    try_fixes({{native, other}, {.exclude = {"native"}}});
}

TEST_CASE("fixes: excluding the chosen one is advised only where that is enough") {
    const auto native = script("native", 50);
    const auto rasteriser = with_devices(script("rasteriser", 10), {emulated_device()});
    const auto pocl = with_devices(script("pocl", 20), {emulated_device()});
    const Situation three{{rasteriser, pocl, native}};
    const Route route = three.route();
    CHECK(find(route, "rasteriser:0")->fix == "name rasteriser:0 as the backend, or exclude native");
    CHECK(find(route, "pocl:0")->fix == "name pocl:0 as the backend");
    CHECK(find(route, "pocl:0")->message == "It fits, but is emulated in software: native:0 is native.");
    // A backend that wasn't asked might have a better device.
    const Route first = Situation{{rasteriser, native, script("last", 60)}}.first_route();
    CHECK(find(first, "rasteriser:0")->fix == "name rasteriser:0 as the backend");
}

TEST_CASE("fixes: lists, pins, exclusions and tags") {
    const auto one = script("one", 1), two = script("two", 2);
    CHECK(try_fixes({{one, two}, {.backends = {{"one"}}}}) == std::set<std::string>{"add"});
    try_fixes({{with_devices(script("pair", 1), {fit_device(0), fit_device(1)}), two},
               {.backends = {{"pair:1", "two"}}}});
    CHECK(try_fixes({{one, two}, {.choice = Pinned{"one"}}}) == std::set<std::string>{"pin"});
    CHECK(try_fixes({{one, two}, {.exclude = {"one"}}}) == std::set<std::string>{"take"});
    try_fixes(
        {{with_devices(script("pair", 1), {fit_device(0), fit_device(1)}), two}, {.exclude = {"pair:0"}}});
    CHECK(try_fixes({{tagged(script("debugged", 1), "debug"), two}}) == std::set<std::string>{"name"});
    try_fixes({{tagged(script("debugged", 1), "debug"), two}, {.exclude_tags = {"debug"}}});
    try_fixes({{tagged(script("quick", 2), "fast"), one}, {.require_tags = {{"fast"}}}});
    CHECK(try_fixes({{one, two}, {.choice = OnlyOne{}}}) == std::set<std::string>{"name"});
}

TEST_CASE("fixes: what a device lacks") {
    const auto plain = script("plain", 9);
    DeviceInfo device = fit_device();
    const auto weak = [&] { return with_devices(script("weak", 1), {device}); };
    device.limits.max_workgroup_invocations = 32;
    CHECK(try_fixes({{weak(), plain}}).contains("use"));
    device = fit_device();
    device.exactness.signed_zero_inf_nan = Promise::no;
    CHECK(try_fixes({{weak(), plain}}).contains("allow"));
    device = fit_device();
    CHECK(try_fixes({{weak()}, {.kind = DeviceClass::gpu}}).contains("ask"));
    CHECK(try_fixes({{weak()}, {.min_memory_bytes = 1}}).contains("use"));
    CHECK(try_fixes({{weak()}, {.require_features = {{"subgroup:32"}}}}).contains("use"));
}
