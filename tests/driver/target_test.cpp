// Targets by name and by device, from their backend's own description.
#include <stdexcept>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/policy/feature.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;

TEST_CASE("a target is parsed without a device, and its text is read back") {
    auto emitter = script("emitter", 1);
    emitter->probe = Act::fail;
    Fleet fleet(entries({emitter}));
    const auto target = parse_target(fleet, "emitter:d2");
    REQUIRE(target);
    CHECK(target->backend == "emitter");
    CHECK(target->arch == "d2");
    CHECK(target->limits.max_workgroup_invocations == 256);
    CHECK(target->limits.max_workgroup_bytes == 16384);
    CHECK(target->subgroup_size == 1);
    CHECK(target->scalars.all());
    CHECK(target->to_string() == "emitter:d2");
    CHECK(*parse_target(fleet, target->to_string()) == *target);
    CHECK(parse_target(fleet, "emitter")->arch == "d1");  // the default architecture
    CHECK(emitter->calls.probe == 0);
}

TEST_CASE("a device is detected as a target, by ordinal, UUID or as the first one") {
    auto pair = script("pair", 1);
    pair->devices = {fit_device(0), fit_device(1)};
    pair->devices[1].arch = "d2";
    pair->devices[1].uuid.fill(2);
    Fleet fleet(entries({pair}));
    CHECK(detect_target(fleet, "pair:0")->to_string() == "pair:d1");
    CHECK(detect_target(fleet, "pair:1")->to_string() == "pair:d2");
    CHECK(detect_target(fleet, "pair:02020202-0202-0202-0202-020202020202")->arch == "d2");
    CHECK(detect_target(fleet, "pair")->arch == "d1");
    const Target found = *detect_target(fleet, "pair:1");
    CHECK(*parse_target(fleet, found.to_string()) == found);
}

TEST_CASE("targets and devices that aren't there are told, with those that are") {
    auto pair = script("pair", 1), broken = script("broken", 2), liar = script("liar", 3);
    broken->probe = Act::fail;
    liar->describe = Act::lie;
    Fleet fleet(entries({pair, broken, liar}));
    const auto error_of = [](const auto& result) {
        REQUIRE_FALSE(result);
        return result.error();
    };
    CHECK(error_of(parse_target(fleet, "pari:d1")).to_string() ==
          "No backend is called \"pari\".\n  while reading the target \"pari:d1\"\nFix: did you mean "
          "\"pair\"? (known: pair, broken, liar; not linked: reference, cpu, vulkan, cuda, opencl)");
    CHECK(error_of(parse_target(fleet, "pair:d9")).fix == "d1 or d2");
    CHECK(error_of(parse_target(fleet, "")).code == ErrorCode::invalid_argument);
    CHECK(error_of(parse_target(fleet, "Pair:d1")).code == ErrorCode::invalid_argument);
    CHECK(error_of(parse_target(fleet, "liar:d1")).code == ErrorCode::unavailable);
    CHECK(error_of(detect_target(fleet, "pair:4")).fix == "name one that is there: pair:0 (double 0)");
    CHECK(error_of(detect_target(fleet, "broken:0")).message == "The probe of broken fails on purpose.");
    CHECK(error_of(detect_target(fleet, "pair:d1")).code == ErrorCode::invalid_argument);
}

TEST_CASE("of this process's backends, parse_target and detect_target speak by name") {
    REQUIRE(register_backend("targeted", entry(script("targeted", 1)).factory, {"debug"}));
    CHECK(parse_target("targeted:d1")->to_string() == "targeted:d1");
    CHECK(detect_target("targeted:0")->to_string() == "targeted:d1");
    CHECK_FALSE(parse_target("targeted:none"));
}

TEST_CASE("emission takes a device for its target") {
    auto pair = script("pair", 1);
    pair->devices = {fit_device(0), fit_device(1)};
    pair->devices[1].arch = "d2";
    auto session =
        *Session::open({.fleet = std::make_shared<Fleet>(entries({pair})), .use_environment = false});
    CHECK(session.emit(saxpy(), {.arch = "pair:1"})->target == "pair:d2");
    CHECK(session.emit(saxpy(), {.arch = "pair:d1"})->target == "pair:d1");
    const auto none = session.emit(saxpy(), {.arch = "pair:7"});
    REQUIRE_FALSE(none);
    CHECK(none.error().message == "There is no device pair:7.");
    const auto unknown = session.emit(saxpy(), {.backend = "pari"});
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().fix.starts_with("did you mean \"pair\"? (known: pair; not linked: "));
}

TEST_CASE("features are read, written and found in devices and targets") {
    DeviceInfo device = fit_device();
    device.subgroup_size = 32;
    device.ops.insert("muster.grid_barrier");
    for (const std::string& name : features(device)) {
        CAPTURE(name);
        const auto feature = Feature::parse(name);
        REQUIRE(feature);
        CHECK(feature->to_string() == name);
        CHECK(feature->is_in(device));
    }
    CHECK_FALSE(Feature::parse("subgroup:33")->is_in(device));
    CHECK_FALSE(Feature::parse("sin")->is_in(device));
    device.exactness.signed_zero_inf_nan = Promise::no;
    CHECK_FALSE(Feature::parse("exact")->is_in(device));
    CHECK_FALSE(Feature::parse(""));
    CHECK_FALSE(Feature::parse("extension"));
    CHECK_FALSE(Feature::parse("a.."));
    CHECK_FALSE(Feature::parse("subgroup:0"));
}

TEST_CASE("a target detector answers for a type of devices that no backend has") {
    auto pair = script("pair", 1);
    Fleet fleet(entries({pair}));
    std::string asked;
    const auto detect = [&](std::string_view device) -> Result<Target> {
        asked = device;
        if (device == "9") return fail(ErrorCode::not_found, "There is no ninth.");
        if (device == "8") throw std::runtime_error("eighth");
        if (device == "7") return Target{.backend = "No Id", .arch = "d1"};
        return parse_target(fleet, "pair:d2");
    };
    REQUIRE(register_target_detector("detected", detect));
    CHECK(detect_target(fleet, "detected:1")->to_string() == "pair:d2");
    CHECK(asked == "1");
    CHECK(detect_target(fleet, "detected")->to_string() == "pair:d2");
    CHECK(asked.empty());
    const auto error_of = [&](const char* device) {
        const auto found = detect_target(fleet, device);
        REQUIRE_FALSE(found);
        CHECK_FALSE(found.error().fix.empty());
        return found.error().message;
    };
    CHECK(error_of("detected:9") == "There is no ninth.");
    CHECK(error_of("detected:8") == "The target detector of \"detected\" throws: eighth.");
    CHECK(error_of("detected:7").ends_with("returns \"No Id:d1\", which isn't a target."));
    auto session =
        *Session::open({.fleet = std::make_shared<Fleet>(entries({pair})), .use_environment = false});
    CHECK(session.emit(saxpy(), {.arch = "detected:0"})->target == "pair:d2");

    // A backend finds its own devices.
    REQUIRE(register_target_detector("pair", detect));
    CHECK(detect_target(fleet, "pair:0")->to_string() == "pair:d1");
    CHECK(register_target_detector("detected", detect).error().code == ErrorCode::conflict);
    CHECK(register_target_detector("Detected", detect).error().code == ErrorCode::invalid_argument);
    CHECK(register_target_detector("nothing", {}).error().code == ErrorCode::invalid_argument);
    // Whatever is near, all that are known are listed.
    const std::string fix = detect_target(fleet, "npu:0").error().fix;
    CHECK_MESSAGE(fix.contains("known: pair, detected"), fix);
    CHECK_MESSAGE(fix.contains("not linked: reference, cpu"), fix);
}
