#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// Records the log during its lifetime.
class Logged {
  public:
    Logged() {
        set_log_sink([this](LogLevel level, std::string_view text) {
            lines.push_back(std::string(name(level)) + ": " + std::string(text));
        });
    }
    ~Logged() { set_log_sink({}); }
    std::vector<std::string> lines;
};

class Level {
  public:
    explicit Level(const char* value) { setenv("MUSTER_LOG", value, 1); }
    ~Level() { unsetenv("MUSTER_LOG"); }
};

Session session_of(std::initializer_list<ScriptPointer> scripts, Policy policy = {},
                   std::chrono::nanoseconds budget = 1min) {
    return *Session::open({.policy = std::move(policy),
                           .fleet = std::make_shared<Fleet>(entries(scripts), budget),
                           .use_environment = false});
}

}  // namespace

TEST_CASE("MUSTER_LOG says how much is logged") {
    const auto logged = [](const char* level) {
        const Level set(level);
        const Logged log;
        muster::log(LogLevel::error, "e");
        muster::log(LogLevel::warning, "w");
        muster::log(LogLevel::info, "i");
        return log.lines.size();
    };
    CHECK(logged("off") == 0);
    CHECK(logged("error") == 1);
    CHECK(logged("warning") == 2);
    CHECK(logged("info") == 3);
    CHECK(logged("") == 2);
    CHECK(log_level() == LogLevel::warning);
}

TEST_CASE("a level that is none is an error that names the variable, and refuses the session") {
    const Level set("loud");
    const auto session = Session::open({.fleet = std::make_shared<Fleet>(entries({}))});
    REQUIRE_FALSE(session);
    CHECK(session.error().to_string() ==
          "\"loud\" isn't a level of logging.\n  while reading MUSTER_LOG=\"loud\" from the environment\n"
          "Fix: give one of: off, error, warning, info");
    CHECK(Session::open({.fleet = std::make_shared<Fleet>(entries({})), .use_environment = false}));
}

TEST_CASE("a key is said once, and a sink that throws hurts nobody") {
    const Logged log;
    log_once(LogLevel::warning, "log_test key", "first");
    log_once(LogLevel::warning, "log_test key", "second");
    CHECK(log.lines == std::vector<std::string>{"warning: first"});
    set_log_sink([](LogLevel, std::string_view) { throw std::runtime_error("no"); });
    muster::log(LogLevel::error, "swallowed");
}

TEST_CASE("what failed before what is chosen is told at once, once for each backend, and in the record") {
    const Logged log;
    auto broken = script("broken-first", 1), late = script("broken-late", 9);
    broken->probe = late->probe = Act::fail;
    auto session = session_of({broken, script("sound", 5), late});
    const Route route = session.route(saxpy());
    CHECK(log.lines ==
          std::vector<std::string>{"warning: broken-first failed, and saxpy runs on sound:0 (double 0) "
                                   "instead. The probe of broken-first fails on purpose. Fix: expect that"});
    CHECK(route.decision().candidates.at(0).failed_first);
    session.route(saxpy(128));
    session.explain(saxpy());  // probes the late one, too, which is last in rank
    CHECK(log.lines.size() == 1);
    CHECK(session_of({broken, script("sound", 5)}).route(saxpy()).decision().candidates.at(0).failed_first);
    CHECK(log.lines.size() == 1);
}

TEST_CASE("each way of failing is told; a machine without such a device isn't one") {
    const auto told = [](const std::string& id, auto break_it) {
        const Logged log;
        auto broken = script(id, 1);
        break_it(*broken);
        const bool hangs = broken->probe == Act::hang;
        auto session = session_of({broken, script("sound", 5)}, {}, hangs ? 300ms : 60s);
        const auto kernel = session.prepare(saxpy());
        REQUIRE(kernel);
        CHECK(kernel->backend() == "sound");
        broken->gate.open();
        return log.lines.size();
    };
    CHECK(told("fails-making", [](Script& s) { s.factory = Act::fail; }) == 1);
    CHECK(told("hangs", [](Script& s) { s.probe = Act::hang; }) == 1);
    CHECK(told("fails-opening", [](Script& s) { s.open = Act::fail; }) == 1);
    CHECK(told("none", [](Script& s) { s.devices.clear(); }) == 0);
    CHECK(told("too-small", [](Script& s) { s.devices[0].limits.max_workgroup_invocations = 1; }) == 0);
}

TEST_CASE("backends whose records are wrong are told of, unless they are excluded") {
    FleetEntry wrong{.id = "twice-registered"};
    wrong.fault = Error{ErrorCode::conflict, "Two libraries register it.", "link one of them", {}};
    auto all = entries({script("sound", 5)});
    all.push_back(wrong);
    const auto told = [&](Policy policy) {
        const Logged log;
        auto session = Session::open(
            {.policy = std::move(policy), .fleet = std::make_shared<Fleet>(all), .use_environment = false});
        session->route(saxpy());
        return log.lines.size();
    };
    CHECK(told({.exclude = {"twice-registered"}}) == 0);
    CHECK(told({.backends = {{"sound"}}}) == 0);
    CHECK(told({}) == 1);
}

TEST_CASE("a plugin that is refused is told of only where it would have come first, and had consent") {
    const auto faulty = [](std::uint32_t rank, std::vector<std::string> tags) {
        FleetEntry entry{.id = "refused" + std::to_string(rank),
                         .rank = rank,
                         .dispatches = true,
                         .tags = std::move(tags)};
        entry.fault = Error{ErrorCode::unsupported, "It is refused.", "rebuild it", {}};
        return entry;
    };
    const auto told = [&](FleetEntry entry) {
        auto all = entries({script("good", 50)});
        all.push_back(std::move(entry));
        const Logged log;
        Session session =
            *Session::open({.fleet = std::make_shared<Fleet>(std::move(all)), .use_environment = false});
        CHECK(session.route(saxpy()).execute()->id() == "good:0");
        return log.lines.size();
    };
    CHECK(told(faulty(10, {})) == 1);
    CHECK(told(faulty(90, {})) == 0);
    CHECK(told(faulty(11, {"debug"})) == 0);
    FleetEntry retired = faulty(unranked, {});
    CHECK(told(retired) == 1);  // linked, and of unknown rank
    retired.id = "retired";
    retired.module = "/plugins/libmuster_backend_retired.so";
    CHECK(told(retired) == 0);
}

TEST_CASE("an exclusion that excludes nobody is told of where a name is near") {
    const Logged log;
    session_of({script("nearby", 1)}, {.exclude = {"nearbi"}});
    session_of({script("nearby", 1)}, {.exclude = {"nearbi", "cuda"}});
    REQUIRE(log.lines.size() == 1);
    CHECK(
        log.lines[0] ==
        "warning: The policy excludes nearbi, and no backend is called that. Fix: did you mean \"nearby\"?");
}
