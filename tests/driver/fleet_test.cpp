// Fleets and their successors: probe results are kept, and plugins are loaded when they are needed.
#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;

namespace {

/// An entry for a plugin that isn't opened: opening it brings its operations and factory.
FleetEntry lazy(const ScriptPointer& script, std::shared_ptr<int> loads, Act act = Act::work) {
    FleetEntry whole = entry(script);
    FleetEntry lazy{.id = whole.id, .rank = whole.rank, .dispatches = whole.dispatches, .tags = whole.tags};
    lazy.module = "/plugins/" + whole.id;
    lazy.load = [=] {
        ++*loads;
        return script->act<LoadedBackend>(act, "Loading", [&] {
            return LoadedBackend{script->supported_ops, whole.factory};
        });
    };
    return lazy;
}

Session session_of(std::shared_ptr<Fleet> fleet, Policy policy = {}) {
    return Session::open({.policy = std::move(policy), .fleet = std::move(fleet), .use_environment = false})
        .value();
}

const CandidateRecord& record(const Route& route, const std::string& id) {
    for (const CandidateRecord& candidate : route.decision().candidates)
        if (candidate.id() == id) return candidate;
    FAIL("no record of " << id << " in\n" << route.explain());
    return route.decision().candidates.front();
}

}  // namespace

TEST_CASE("a successor probes nothing again that its predecessor probed") {
    auto old = script("old", 2), fresh = script("fresh", 1);
    Fleet before(entries({old}));
    const DeviceInfo* device = before.probe(0).devices.data();
    const auto backend = before.backend(0).value();
    Fleet after(entries({old, fresh}), before);
    REQUIRE(after.size() == 2);
    CHECK(after.entry(1).id == "old");
    CHECK(after.probed(0) == nullptr);
    REQUIRE(after.probed(1) != nullptr);
    CHECK(after.probe(1).devices.data() == device);
    CHECK(after.backend(1).value() == backend);
    CHECK(old->calls.factory == 1);
    CHECK(old->calls.probe == 1);
}

TEST_CASE("a predecessor learns what a successor asks, and may go first") {
    auto one = script("one", 1);
    auto before = std::make_unique<Fleet>(entries({one}));
    Fleet after(entries({one}), *before);
    after.probe(0);
    CHECK(before->probed(0) != nullptr);
    CHECK(before->probe(0).devices.size() == 1);
    before.reset();
    CHECK(after.backend(0));
    CHECK(one->calls.probe == 1);
}

TEST_CASE("a backend of another module, or one that was at fault, is another backend") {
    auto first = script("same", 1), second = script("same", 1);
    second->devices = {fit_device(0), fit_device(1)};
    std::vector<FleetEntry> moved{entry(second)};
    moved[0].module = "/elsewhere";
    Fleet before(entries({first}));
    before.probe(0);
    Fleet after(moved, before);
    CHECK(after.probe(0).devices.size() == 2);

    std::vector<FleetEntry> faulty{entry(first)};
    faulty[0].fault = Error{ErrorCode::conflict, "Two of them.", "link one", {}};
    Fleet broken(faulty);
    Fleet mended(entries({second}), broken);
    CHECK(mended.probe(0).devices.size() == 2);
}

TEST_CASE("a session keeps the fleet that it began with") {
    auto one = script("one", 2), better = script("better", 1);
    const auto before = std::make_shared<Fleet>(entries({one}));
    Session session = session_of(before);
    const auto after = std::make_shared<Fleet>(entries({one, better}), *before);
    CHECK(session.route(saxpy()).execute()->id() == "one:0");
    CHECK(session_of(after).route(saxpy()).execute()->id() == "better:0");
    CHECK(one->calls.probe == 1);
}

TEST_CASE("the process's fleet stays the same while nothing is loaded") {
    CHECK(process_fleet() == process_fleet());
}

TEST_CASE("a plugin is loaded when routing gets to it, and not before") {
    auto loads = std::make_shared<int>(0);
    auto plugin = script("plugin", 200), first = script("first", 100);
    std::vector<FleetEntry> all = entries({first});
    all.push_back(lazy(plugin, loads));
    Session session = session_of(std::make_shared<Fleet>(all));
    const Route passed = session.route(saxpy());
    CHECK(passed.execute()->id() == "first:0");
    CHECK(record(passed, "plugin").reason == Reason::not_asked);
    CHECK(record(passed, "plugin").stage == Stage::load);
    CHECK(*loads == 0);

    first->devices.clear();
    Session without = session_of(std::make_shared<Fleet>(all));
    CHECK(without.route(saxpy()).execute()->id() == "plugin:0");
    CHECK(without.route(iota()).execute()->id() == "plugin:0");
    CHECK(*loads == 1);
    CHECK(plugin->calls.probe == 1);
}

TEST_CASE("explain, candidates and emission load a plugin that is allowed, and no other") {
    auto loads = std::make_shared<int>(0);
    auto first = script("first", 100), plugin = script("plugin", 200);
    const auto fleet = [&] {
        std::vector<FleetEntry> all = entries({first});
        all.push_back(lazy(plugin, loads));
        return std::make_shared<Fleet>(all);
    };
    Session excluding = session_of(fleet(), {.exclude = {"plugin"}});
    CHECK(record(excluding.explain(saxpy()), "plugin").reason == Reason::excluded);
    CHECK(candidates(excluding.fleet(), excluding.policy()).size() == 1);
    CHECK(*loads == 0);
    CHECK(record(session_of(fleet()).explain(saxpy()), "plugin:0").reason == Reason::outranked);
    CHECK(*loads == 1);
    CHECK(candidates(*fleet()).size() == 2);
    CHECK(*loads == 2);
    CHECK(session_of(fleet()).route_emission(saxpy()).emit_only()->backend == "first");
    CHECK(*loads == 2);
    CHECK(session_of(fleet()).emit(saxpy(), {.arch = "plugin:d2"})->target == "plugin:d2");
    CHECK(*loads == 3);
}

TEST_CASE("what a loaded plugin can't do is said after it is loaded") {
    auto loads = std::make_shared<int>(0);
    auto narrow = script("narrow", 1);
    narrow->supported_ops.core.reset(static_cast<std::size_t>(Op::mul));
    std::vector<FleetEntry> all = entries({script("wide", 2)});
    all.push_back(lazy(narrow, loads));
    const Route route = session_of(std::make_shared<Fleet>(all)).route(saxpy());
    CHECK(route.execute()->id() == "wide:0");
    CHECK(record(route, "narrow").reason == Reason::operation_missing);
    CHECK(narrow->calls.factory == 0);
}

TEST_CASE("a plugin that doesn't open costs its backend, once, and a later fleet may mend it") {
    for (const Act act : {Act::fail, Act::throws}) {
        auto loads = std::make_shared<int>(0);
        auto broken = script("broken", 1), good = script("good", 2);
        std::vector<FleetEntry> all = entries({good});
        all.push_back(lazy(broken, loads, act));
        const auto fleet = std::make_shared<Fleet>(all);
        Session session = session_of(fleet);
        const Route route = session.route(saxpy());
        CHECK(route.execute()->id() == "good:0");
        CHECK(record(route, "broken").reason == Reason::plugin_failed);
        CHECK(record(route, "broken").message.find("on purpose") != std::string::npos);
        CHECK(session.route(iota()).execute()->id() == "good:0");
        CHECK(*loads == 1);
        CHECK(fleet->probe(0).state == ProbeState::factory_failed);

        std::vector<FleetEntry> again = entries({good});
        again.push_back(lazy(broken, loads));
        Fleet after(again, *fleet);
        CHECK(after.load(0));
        CHECK(*loads == 2);
        CHECK(after.probed(1) != nullptr);
        CHECK(good->calls.probe == 1);
    }
}

TEST_CASE("a plugin that was opened between two fleets is loaded in both") {
    auto loads = std::make_shared<int>(0);
    auto plugin = script("plugin", 1);
    const Fleet before({lazy(plugin, loads)});
    std::vector<FleetEntry> registered{entry(plugin)};
    registered[0].module = "/plugins/plugin";
    Fleet after(registered, before);
    REQUIRE(after.loaded(0) != nullptr);
    CHECK(before.loaded(0) != nullptr);
    CHECK(after.probe(0).devices.size() == 1);
    CHECK(*loads == 0);
}
