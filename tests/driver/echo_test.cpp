// Names from outside are never echoed raw: terminal control sequences and line ends are escaped.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/feature.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/registry/record_file.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;

namespace {

const std::string evil = "x\x1b]0;owned\a\x1b[2J\n\r\xff\u202e";
const std::string shown = "x\\x1b]0;owned\\x07\\x1b[2J\\n\\r\\xff\\u202e";

/// Checks that the lines of text have no control sequences, and have `evil` in its escaped form.
void check_harmless(const std::string& text) {
    CAPTURE(text);
    CHECK(std::ranges::none_of(text, [](unsigned char c) { return (c < ' ' && c != '\n') || c >= 0x7f; }));
    CHECK(text.find("owned\n") == std::string::npos);
    CHECK(text.find(shown) != std::string::npos);
}
template <class T>
void check_harmless(const Result<T>& result) {
    REQUIRE_FALSE(result);
    check_harmless(result.error().to_string());
}

EnvironmentLookup with(const char* variable) {
    return
        [variable](std::string_view name) { return name == variable ? std::optional(evil) : std::nullopt; };
}

}  // namespace

TEST_CASE("the environment's values are echoed without their escapes") {
    check_harmless(environment_policy(with("MUSTER_BACKEND")));
    check_harmless(environment_policy(with("MUSTER_EXCLUDE")));
    check_harmless(environment_log_level(with("MUSTER_LOG")));
    check_harmless(environment_probing(with("MUSTER_PROBE")));
    check_harmless(environment_debug_info(with("MUSTER_DEBUG_INFO")));
    check_harmless(environment_plugins(with("MUSTER_AUTOLOAD")));
    check_harmless(environment_plugins([](std::string_view name) {
        return name == "MUSTER_BACKEND_PATH" ? std::optional("/" + evil + "::") : std::nullopt;
    }));
    setenv("MUSTER_TEST_EVIL", evil.c_str(), 1);
    check_harmless(variables_set({"MUSTER_TEST_EVIL"}).at(0));
    unsetenv("MUSTER_TEST_EVIL");
}

TEST_CASE("names that a program passes on are echoed without their escapes") {
    check_harmless(parse_log_level(evil));
    check_harmless(parse_device_class(evil));
    check_harmless(Feature::parse(evil));
    check_harmless(Feature::parse("subgroup:" + evil));
    check_harmless(check(Policy{.backends = {{evil}}}));
    check_harmless(check(Policy{.backends = {{"cuda:" + evil}}}));
    check_harmless(check(Policy{.exclude_tags = {evil}}));
    check_harmless(check(Policy{.choice = Pinned{evil}}));
    check_harmless(acquire(evil));
    check_harmless(parse_target(evil));
    check_harmless(parse_target("nobody:" + evil));
    check_harmless(detect_target(evil));
    check_harmless(register_backend(evil, nullptr));
    check_harmless(read_record_file("/" + evil));
    check_harmless(Plugins::process().load("/" + evil));
    check_harmless(Plugins::process().load(evil));
    check_harmless(Plugins::process().retire("/" + evil));
    Session session = *Session::open(
        {.fleet = std::make_shared<Fleet>(entries({script("one", 1)})), .use_environment = false});
    check_harmless(session.emit(saxpy(), {.backend = evil, .arch = "one:d1"}));
    check_harmless(session.emit(saxpy(), {.backend = "one", .request = {.format = evil}}));
    const auto kernel = session.prepare(saxpy());
    REQUIRE(kernel);
    check_harmless(session.dispatch(*kernel, {{evil, 1.0f}}, Workgroups{1}));
}

TEST_CASE("ids and origins of records are echoed without their escapes") {
    BackendRegistration record{.factory = [] { return Result<std::unique_ptr<Backend>>(nullptr); },
                               .supported_ops = []() -> const OpSet& { return OpSet::all_exact(); }};
    record.id.append(evil.substr(0, 20));
    record.header.origin = {};
    record.header.origin.append(evil);
    const Registry registry = Registry::from_records(std::span(&record, 1));
    REQUIRE(registry.faults().size() == 1);
    check_harmless(registry.faults()[0].error.to_string());
    check_harmless(registry.faults()[0].id + shown);
    for (const FleetEntry& entry : fleet_entries(registry)) check_harmless(entry.id + shown);
}

TEST_CASE("what a device is called is shown without escapes, wherever it is") {
    auto one = script("one", 1);
    one->devices[0].name = one->devices[0].driver = one->devices[0].arch = evil;
    Session session =
        *Session::open({.fleet = std::make_shared<Fleet>(entries({one})), .use_environment = false});
    check_harmless(session.route(saxpy()).explain());
    const std::vector<Candidate> all = candidates(session.fleet());
    REQUIRE(all.size() == 1);
    for (const std::string& text : {all[0].device.name, all[0].device.driver, all[0].device.arch})
        CHECK(text == shown);
    CHECK(session.prepare(saxpy())->device().name == shown);
}

TEST_CASE("what a backend throws is echoed without escapes") {
    auto fleet = [](auto how) {
        FleetEntry broken = entry(script("broken", 1));
        broken.factory = [how]() -> Result<std::unique_ptr<Backend>> { throw std::runtime_error(how); };
        return std::make_shared<Fleet>(std::vector{broken});
    }(evil);
    check_harmless(fleet->probe(0).error.to_string());
}
