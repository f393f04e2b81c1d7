// Sixteen threads that load, register, freeze, list, describe and route at once, on the process's own plugins.
#include <atomic>
#include <cstdlib>
#include <thread>

#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/process/backends.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/session/session.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::test;

namespace {

std::string name_of(std::size_t n) { return std::string("thread_") + static_cast<char>('a' + n); }
std::string id_of(std::size_t n) { return std::string("thread-") + static_cast<char>('a' + n); }

/// Creates sixteen plugins for the threads, one more, and one that they retire, on the process's search path.
/// Call it before any thread starts and before any plugin is listed.
const PluginScratch& own_plugins() {
    static const PluginScratch folder;
    [[maybe_unused]] static const int path = [] {
        const std::string bytes = file_bytes(file_of("thread_0"));
        for (std::size_t n = 0; n < 18; ++n)
            folder.add(name_of(n), renamed(renamed(bytes, "thread_0", name_of(n)), "thread-0", id_of(n)));
        return setenv("MUSTER_BACKEND_PATH", folder.path().c_str(), 1);
    }();
    return folder;
}
[[maybe_unused]] const PluginScratch& made_first = own_plugins();

std::string path_of(std::size_t n) {
    return std::filesystem::canonical(own_plugins().file(name_of(n))).string();
}

/// Counts failures: doctest's checks take a lock, which would serialise the threads.
struct Wrong {
    std::atomic<int> sessions{0}, routes{0}, loads{0}, lists{0}, registries{0}, registrations{0}, targets{0},
        policies{0}, retirements{0};
};

/// Retires and loads a plugin while other threads do the same: a thread that has found it in the registry can
/// keep using it.
void retire_and_load(const ValidProgram& program, Wrong& wrong) {
    const std::string id = id_of(17);
    if (!Plugins::process().load(id)) ++wrong.loads;
    auto session =
        Session::open({.policy = {.backends = std::vector<std::string>{id}, .check_devices = false}});
    const Registry& before = registry();
    const bool was_there = before.find(id) != nullptr;
    const auto fleet = process_fleet();
    if (const auto retired = Plugins::process().retire(id); !retired)
        if (retired.error().code != ErrorCode::not_found) ++wrong.retirements;
    if (was_there && !before.acquire(id)) ++wrong.retirements;
    const auto which = fleet->find(id);
    if (!which) return;  // retired since the fleet was made
    if (!fleet->entry(*which).fault && !fleet->backend(*which)) ++wrong.retirements;
    if (!session) ++wrong.sessions;
    const Route route = session->route(program);
    if (route.execute() && route.execute()->backend != id) ++wrong.routes;
}

void load_and_route(std::size_t n, const ValidProgram& program, Wrong& wrong) {
    for (std::size_t turn = 0; turn < 14; ++turn) {
        const std::size_t other = (n + turn * 5) % 16;
        const std::string id = id_of(other);
        switch ((n + turn) % 8) {
            case 0: {
                auto session = Session::open(
                    {.policy = {.backends = std::vector<std::string>{id, "linked"}, .check_devices = false}});
                if (!session) ++wrong.sessions;
                const Route route = session->route(program);
                if (!route.execute() || route.execute()->backend != id) ++wrong.routes;
                break;
            }
            case 1:
                if (!Plugins::process().load(turn % 2 == 0 ? id : path_of(other))) ++wrong.loads;
                if (!Plugins::process().is_loaded(id)) ++wrong.loads;
                break;
            case 2:
                if (Plugins::process().list().size() < 16) ++wrong.lists;
                if (process_fleet()->size() < 17) ++wrong.lists;
                break;
            case 3: {
                const std::string own = "code-" + std::to_string(n) + "-" + std::to_string(turn);
                const auto make = [own] { return std::make_unique<DoubleBackend>(script(own, 900)); };
                if (!register_backend(own, make, {"debug"})) ++wrong.registrations;
                if (register_backend(own, make)) ++wrong.registrations;  // the id is taken
                const std::vector<std::string> all = list_backends({});
                if (std::ranges::find(all, own) == all.end()) ++wrong.registrations;
                break;
            }
            case 4:
                if (!detect_target("linked:0")) ++wrong.targets;
                if (!parse_target(id + ":" + detect_target(id)->arch)) ++wrong.targets;
                break;
            case 5:
                if (!set_default_policy({.exclude = {"nobody"}})) ++wrong.policies;
                if (default_policy().exclude.size() > 1) ++wrong.policies;
                reset_default_policy();
                break;
            case 6: retire_and_load(program, wrong); break;
            default:
                refreeze();
                if (find_backend("linked") == nullptr) ++wrong.registries;
                for (const RegisteredBackend& backend : registered_backends_by_precedence())
                    if (backend.id.empty() || backend.factory == nullptr) ++wrong.registries;
        }
    }
}

}  // namespace

TEST_CASE("sixteen threads load, freeze, list and route at once") {
    Wrong wrong;
    const ValidProgram program = saxpy();
    std::vector<std::thread> threads;
    REQUIRE(Plugins::process().load(id_of(17)));
    for (std::size_t n = 0; n < 16; ++n) threads.emplace_back([&, n] { load_and_route(n, program, wrong); });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong.sessions == 0);
    CHECK(wrong.routes == 0);
    CHECK(wrong.loads == 0);
    CHECK(wrong.lists == 0);
    CHECK(wrong.registries == 0);
    CHECK(wrong.registrations == 0);
    CHECK(wrong.targets == 0);
    CHECK(wrong.policies == 0);
    CHECK(wrong.retirements == 0);
    CHECK(Plugins::process().load(id_of(17)));
    CHECK(Plugins::process().retire(id_of(17)));
    CHECK(find_backend(id_of(17)) == nullptr);
    CHECK(times_opened(name_of(17)) == 1);
    for (std::size_t n = 0; n < 16; ++n) {
        CAPTURE(n);
        CHECK(Plugins::process().load(id_of(n)));
        REQUIRE(find_backend(id_of(n)) != nullptr);
        CHECK(find_backend(id_of(n))->module == path_of(n));
        CHECK(times_opened(name_of(n)) == 1);
    }
    auto session =
        Session::open({.policy = {.backends = std::vector<std::string>{"thread-p"}, .check_devices = false}});
    const Route route = session->route(program);
    REQUIRE_MESSAGE(route.execute() != nullptr, route.explain());
    CHECK(route.execute()->id() == "thread-p:0");
}

TEST_CASE("acquire opens the plugin that has the id, and tells which ids there are") {
    CHECK(times_opened(name_of(16)) == 0);
    REQUIRE(acquire(id_of(16)));
    CHECK(acquire(id_of(16)).value()->id() == id_of(16));
    CHECK(times_opened(name_of(16)) == 1);
    const auto unknown = acquire("thread-");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::not_found);
    CHECK(mentions(unknown.error(), "did you mean \"thread-a\""));
}

TEST_CASE("the process's fleet has a successor where a plugin was opened, and probes nothing again") {
    const auto before = process_fleet();
    const auto thread_a = *before->find("thread-a");
    const DeviceInfo* probed = before->probe(thread_a).devices.data();
    const PluginScratch folder;
    const std::string path =
        folder.add("more", renamed(file_bytes(file_of("thread_0")), "thread-0", "thread-x"));
    CHECK_FALSE(before->find("thread-x"));
    REQUIRE(Plugins::process().load(path));
    const auto after = process_fleet();
    CHECK(after != before);
    CHECK(after == process_fleet());
    REQUIRE(after->find("thread-x"));
    REQUIRE(after->probed(*after->find("thread-a")) != nullptr);
    CHECK(after->probe(*after->find("thread-a")).devices.data() == probed);
}
