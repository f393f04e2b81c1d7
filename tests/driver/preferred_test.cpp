// acquire_preferred: its result dispatches here, or its error has a reason for every candidate.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <muster/driver/process/backends.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/driver/session/preferred.hpp>

#include "support/doubles.hpp"

using namespace muster;
using namespace muster::test;

namespace {

/// The doubles here compute nothing, so that none would pass the check of devices (device_check_test).
struct Unchecked {
    Unchecked() { setenv("MUSTER_CHECK_DEVICES", "0", 1); }
    ~Unchecked() { unsetenv("MUSTER_CHECK_DEVICES"); }
};

/// The scripts of the backends that the factories below make.
std::array<ScriptPointer, 3> scripts;

template <std::size_t N>
Result<std::unique_ptr<Backend>> make() {
    ++scripts[N]->calls.factory;
    return scripts[N]->act<std::unique_ptr<Backend>>(
        scripts[N]->factory, "The factory", [] { return std::make_unique<DoubleBackend>(scripts[N]); });
}
const OpSet& all_ops() {
    static const OpSet all = OpSet::all_exact();
    return all;
}

constexpr std::array registrations{
    BackendRegistration{.id = "first", .factory = make<0>, .supported_ops = all_ops},
    BackendRegistration{.id = "second", .factory = make<1>, .supported_ops = all_ops},
    BackendRegistration{.id = "third", .factory = make<2>, .supported_ops = all_ops},
};
constexpr std::array precedences{BackendPrecedence{.id = "first", .rank = 1},
                                 BackendPrecedence{.id = "second", .rank = 2},
                                 BackendPrecedence{.id = "third", .rank = 3}};
constexpr std::array capabilities{BackendCapability{.id = "first", .dispatches = true},
                                  BackendCapability{.id = "second", .dispatches = true},
                                  BackendCapability{.id = "third", .dispatches = true}};

/// A registry of three backends with a device each, unless a test changes that.
Registry three() {
    scripts = {script("first", 1), script("second", 2), script("third", 3)};
    return Registry::from_records(registrations, precedences, capabilities);
}

/// Adds a backend to the process with an id that only one test uses.
ScriptPointer registered(const std::string& id, bool has_device) {
    auto made = script(id, 1);
    if (!has_device) made->devices.clear();
    REQUIRE(register_backend(id,
                             [made]() -> Result<std::unique_ptr<Backend>> {
                                 ++made->calls.factory;
                                 return std::make_unique<DoubleBackend>(made);
                             },
                             {"preferred-test"},
                             {.rank = 900, .dispatches = true, .supported_ops = OpSet::all_exact()}));
    return made;
}

}  // namespace

TEST_CASE_FIXTURE(Unchecked, "a backend that finds no device isn't preferred") {
    const Registry registry = three();
    scripts[0]->devices.clear();
    const auto preferred = acquire_preferred(registry);
    REQUIRE(preferred);
    CHECK(preferred->backend->id() == "second");
    CHECK(preferred->device.ordinal == 0);
    CHECK(scripts[1]->calls.probe == 1);
    CHECK(scripts[2]->calls.factory == 0);  // it couldn't win
    CHECK(preferred->backend->open(preferred->device.ordinal));
}

TEST_CASE_FIXTURE(Unchecked, "a backend that fails, throws, lies or hangs isn't preferred") {
    const Act acts[] = {Act::fail, Act::throws, Act::lie};
    for (const Act act : acts) {
        CAPTURE(static_cast<int>(act));
        const Registry registry = three();
        scripts[0]->probe = act;
        CHECK(acquire_preferred(registry).value().backend->id() == "second");
        const Registry again = three();
        scripts[0]->factory = act;
        CHECK(acquire_preferred(again).value().backend->id() == "second");
    }
    static const Registry hanging = three();  // its probe outlives this test
    scripts[0]->probe = Act::hang;
    CHECK(acquire_preferred(hanging).value().backend->id() == "second");
    scripts[0]->gate.open();
}

TEST_CASE_FIXTURE(Unchecked, "a device that is emulated in software comes after every native one") {
    const Registry registry = three();
    scripts[0]->devices = {emulated_device(0)};
    scripts[1]->devices = {emulated_device(0), fit_device(1)};
    auto preferred = acquire_preferred(registry);
    REQUIRE(preferred);
    CHECK(preferred->backend->id() == "second");
    CHECK(preferred->device.ordinal == 1);
    const Registry all_emulated = three();
    for (const ScriptPointer& one : scripts) one->devices = {emulated_device()};
    CHECK(acquire_preferred(all_emulated).value().backend->id() == "first");
}

TEST_CASE_FIXTURE(Unchecked, "where nothing dispatches, the error has every candidate and its reason") {
    const Registry registry = three();
    scripts[0]->devices.clear();
    scripts[1]->factory = Act::fail;
    scripts[2]->probe = Act::throws;
    const auto none = acquire_preferred(registry);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::unavailable);
    for (const char* text :
         {"no_device", "first finds no device.", "factory_failed", "The factory of second fails on purpose.",
          "probe_failed", "The probe throws on purpose"})
        CHECK(mentions(none.error(), text));
}

TEST_CASE_FIXTURE(Unchecked, "the process's preferred backend obeys the policy") {
    const ScriptPointer without = registered("preferred-without", false);
    const ScriptPointer with = registered("preferred-with", true);
    const auto both = std::vector<std::string>{"preferred-without", "preferred-with"};
    const auto preferred = acquire_preferred({.backends = both});
    REQUIRE(preferred);
    CHECK(preferred->backend->id() == "preferred-with");
    CHECK(with->calls.probe == 1);
    const auto again = acquire_preferred({.backends = both});
    CHECK(again.value().backend->id() == "preferred-with");
    CHECK(with->calls.factory == 1);  // constructed and probed once
    CHECK(with->calls.probe == 1);
    const auto excluded = acquire_preferred({.backends = both, .exclude = {"preferred-with"}});
    REQUIRE_FALSE(excluded);
    CHECK(mentions(excluded.error(), "excluded"));
    CHECK(mentions(excluded.error(), "no_device"));
    setenv("MUSTER_EXCLUDE", "preferred-with", 1);  // the environment's policy applies, too
    CHECK_FALSE(acquire_preferred({.backends = both}));
    unsetenv("MUSTER_EXCLUDE");
}

TEST_CASE_FIXTURE(Unchecked, "an error names no setting that nobody made") {
    const ScriptPointer without = registered("preferred-unset", false);
    const auto none = acquire_preferred({.backends = std::vector<std::string>{"preferred-unset"}});
    REQUIRE_FALSE(none);
    CHECK(mentions(none.error(), "Policy: backends: preferred-unset (from the session's policy)"));
    CHECK_FALSE(mentions(none.error(), "allow_emission"));
    CHECK(without->calls.describe == 0);
}

TEST_CASE_FIXTURE(Unchecked, "an emitter is offered only to who asks for it, where nothing dispatches") {
    const ScriptPointer without = registered("preferred-emitter", false);
    const Policy policy{.backends = std::vector<std::string>{"preferred-emitter"}};
    CHECK_FALSE(acquire_preferred(policy));
    const auto emitter = acquire_preferred_or_emitter(policy);
    REQUIRE(emitter);
    REQUIRE(std::holds_alternative<PreferredEmitter>(*emitter));
    CHECK(std::get<PreferredEmitter>(*emitter).backend->id() == "preferred-emitter");
    CHECK(std::get<PreferredEmitter>(*emitter).target.to_string() == "preferred-emitter:d1");
    without->formats.clear();
    registered("preferred-dispatcher", true);
    const auto device = acquire_preferred_or_emitter(
        {.backends = std::vector<std::string>{"preferred-emitter", "preferred-dispatcher"}});
    REQUIRE(device);
    CHECK(std::get<Preferred>(*device).backend->id() == "preferred-dispatcher");
}
