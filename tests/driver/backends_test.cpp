// Backends of this process by name: listed, registered in code, given to a session. A backend registered here
// stays for the process's other tests: it is tagged, ranked last and only emits, so that no other test chooses
// it.
#include <algorithm>
#include <atomic>
#include <thread>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/process/backends.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;

namespace {

Result<std::unique_ptr<Backend>> named_by_its_function() {
    return fail(ErrorCode::unavailable, "It is only a name.");
}

BackendMaker maker_of(const ScriptPointer& script) { return entry(script).factory; }

bool holds(const std::vector<std::string>& list, std::string_view item) {
    return std::ranges::find(list, item) != list.end();
}

}  // namespace

TEST_CASE("a backend registered in code is listed, acquired and routed to like a linked one") {
    const auto before = process_fleet();
    const auto coded = script("coded", 1);
    REQUIRE(register_backend("coded", maker_of(coded), {"coded-tag", "debug"},
                             {.rank = UINT32_MAX - 2, .dispatches = true}));
    CHECK_FALSE(before->find("coded"));
    CHECK(find_backend("coded")->module == "this program's code");
    CHECK(backend_precedence("coded") == UINT32_MAX - 2);
    CHECK(backend_dispatches("coded"));
    CHECK(holds(list_backends({}), "coded"));
    CHECK(coded->calls.all() == 0);
    REQUIRE(acquire("coded"));
    auto session = Session::open({.policy = {.backends = {{"coded"}}}, .use_environment = false});
    const Route route = session->route(saxpy());
    REQUIRE(route.execute());
    CHECK(route.execute()->backend == "coded");
    refreeze();
    CHECK(find_backend("coded"));
}

TEST_CASE("a backend registered without an id is called like the function that constructs it") {
    static_assert(function_name<named_by_its_function>() == "named_by_its_function");
    REQUIRE(register_backend<named_by_its_function>({"debug"}, {.rank = UINT32_MAX - 3}));
    CHECK(backend_precedence("named_by_its_function") == UINT32_MAX - 3);
    CHECK(acquire("named_by_its_function").error().message == "It is only a name.");
    CHECK_FALSE(acquire("named_by_its_function").error().fix.empty());
    CHECK(register_backend<named_by_its_function>().error().code == ErrorCode::conflict);
}

TEST_CASE("list_backends hides debug and experimental ones unless told otherwise") {
    REQUIRE(register_backend("listed-plain", maker_of(script("listed-plain", 1)), {"listed"}));
    REQUIRE(register_backend("listed-debug", maker_of(script("listed-debug", 1)), {"debug"}));
    REQUIRE(register_backend("listed-new", maker_of(script("listed-new", 1)), {"listed", "experimental"}));
    const auto usual = list_backends(), every = list_backends({}), unlisted = list_backends({"listed"});
    CHECK(holds(usual, "listed-plain"));
    CHECK_FALSE(holds(usual, "listed-debug"));
    CHECK_FALSE(holds(usual, "listed-new"));
    CHECK(holds(every, "listed-debug"));
    CHECK(holds(every, "listed-new"));
    CHECK_FALSE(holds(unlisted, "listed-plain"));
    CHECK(holds(unlisted, "listed-debug"));
}

TEST_CASE("what can't be registered is refused, and leaves no trace") {
    const auto maker = maker_of(script("refused", 1));
    const auto refused = [&](std::string_view id, BackendMaker with, std::vector<std::string> tags) {
        const auto registered = register_backend(id, std::move(with), tags);
        REQUIRE_FALSE(registered);
        CHECK_FALSE(find_backend(id));
        return registered.error().message;
    };
    CHECK(refused("Refused", maker, {}) == "\"Refused\" can't be the id of a backend.");
    CHECK(refused(std::string(40, 'r'), maker, {}).find("more than the 31") != std::string::npos);
    CHECK(refused("refused", maker, {"two words"}) == "\"two words\" can't be a tag of a backend.");
    CHECK(refused("refused", maker, {std::string(60, 't'), std::string(60, 'u')})
              .find("together, more than 95") != std::string::npos);
    CHECK(refused("refused", {}, {}) == "The backend \"refused\" comes without a maker.");
}

TEST_CASE("a duplicate name is refused, whoever has it, and the first one stays") {
    REQUIRE(register_backend("taken-once", maker_of(script("taken-once", 1)), {"debug"}));
    const auto again = register_backend("taken-once", maker_of(script("taken-once", 1)));
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::conflict);
    CHECK(again.error().message == "The id \"taken-once\" is taken: by this program's code.");
    CHECK(find_backend("taken-once"));
    const auto linked =
        register_backend("freeze-test", maker_of(script("freeze-test", 1)));  // taken: freeze_test.cpp
    REQUIRE_FALSE(linked);
    CHECK(linked.error().message.find("driver_test") != std::string::npos);
}

TEST_CASE("of several threads that register one name, one does; readers see the registry before or after") {
    std::atomic<int> registered{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            if (register_backend("by-threads", maker_of(script("by-threads", 1)), {"debug"})) ++registered;
            CHECK(find_backend("by-threads"));
            CHECK_FALSE(list_backends({}).empty());
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(registered == 1);
}

TEST_CASE("a backend object is handed to one session") {
    auto fleet = std::make_shared<Fleet>(entries({script("linked", 5)}));
    const auto own = script("own", 1);
    own->supported_ops = OpSet::all_exact();
    auto session = Session::open({.fleet = fleet,
                                  .backends = {{.backend = std::make_shared<DoubleBackend>(own)}},
                                  .use_environment = false});
    REQUIRE(session);
    CHECK(session->route(saxpy()).execute()->id() == "own:0");
    REQUIRE(session->prepare(saxpy()));
    auto other = Session::open({.fleet = fleet, .use_environment = false});
    CHECK(other->route(saxpy()).execute()->id() == "linked:0");
    CHECK(other->fleet().size() == 1);
}

TEST_CASE("what is known of the other backends is shared with the session that brings its own") {
    const auto linked = script("linked", 1);
    auto fleet = std::make_shared<Fleet>(entries({linked}));
    fleet->probe(0);
    auto session = Session::open(
        {.fleet = fleet,
         .backends = {{.backend = std::make_shared<DoubleBackend>(script("own", 1)), .rank = 9}},
         .use_environment = false});
    CHECK(session->route(saxpy()).execute()->id() == "linked:0");
    CHECK(linked->calls.probe == 1);
}

TEST_CASE("a session's backend that is null, or is called like another one, is refused") {
    auto fleet = std::make_shared<Fleet>(entries({script("linked", 1)}));
    const auto message_of = [&](std::vector<SessionBackend> backends) {
        const auto session =
            Session::open({.fleet = fleet, .backends = std::move(backends), .use_environment = false});
        REQUIRE_FALSE(session);
        return session.error().message;
    };
    CHECK(message_of({{}}) == "A backend for the session is null.");
    CHECK(message_of({{.backend = std::make_shared<DoubleBackend>(script("linked", 1))}}) ==
          "A backend for the session is called \"linked\", like one that there is.");
    CHECK(message_of({{.backend = std::make_shared<DoubleBackend>(script("No Id", 1))}})
              .find("\"No Id\", which can't be one") != std::string::npos);
}
