// Sixteen threads that load, freeze, list and route at once, on the process's own plugins.
#include <atomic>
#include <cstdlib>
#include <thread>

#include <support/programs.hpp>

#include <muster/driver/freeze.hpp>
#include <muster/driver/session.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::test;

namespace {

std::string name_of(std::size_t n) { return "thread_" + std::to_string(n); }
std::string id_of(std::size_t n) { return "thread-" + std::to_string(n); }

// Before any thread is there, and before anyone asks for the process's plugins.
const int search_path = [] {
    std::string path;
    for (std::size_t n = 0; n < 16; ++n) path += (n == 0 ? "" : ":") + folder_of(name_of(n));
    return setenv("MUSTER_BACKEND_PATH", path.c_str(), 1);
}();

/// Counts what went wrong: doctest's checks take a lock, which would put the threads in line.
struct Wrong {
    std::atomic<int> sessions{0}, routes{0}, loads{0}, lists{0}, registries{0};
};

void load_and_route(std::size_t n, const ValidProgram& program, Wrong& wrong) {
    for (std::size_t turn = 0; turn < 8; ++turn) {
        const std::size_t other = (n + turn * 5) % 16;
        const std::string id = id_of(other);
        switch ((n + turn) % 4) {
            case 0: {
                auto session =
                    Session::open({.policy = {.backends = std::vector<std::string>{id, "linked"}}});
                if (!session) ++wrong.sessions;
                const Route route = session->route(program);
                if (!route.execute() || route.execute()->backend != id) ++wrong.routes;
                break;
            }
            case 1:
                if (!Plugins::process().load(turn % 2 == 0 ? id : file_of(name_of(other)))) ++wrong.loads;
                if (!Plugins::process().is_loaded(id)) ++wrong.loads;
                break;
            case 2:
                if (Plugins::process().list().size() < 16) ++wrong.lists;
                if (Fleet::process()->size() < 17) ++wrong.lists;
                break;
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
    REQUIRE(search_path == 0);
    Wrong wrong;
    const ValidProgram program = saxpy();
    std::vector<std::thread> threads;
    for (std::size_t n = 0; n < 16; ++n) threads.emplace_back([&, n] { load_and_route(n, program, wrong); });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong.sessions == 0);
    CHECK(wrong.routes == 0);
    CHECK(wrong.loads == 0);
    CHECK(wrong.lists == 0);
    CHECK(wrong.registries == 0);
    for (std::size_t n = 0; n < 16; ++n) {
        CAPTURE(n);
        CHECK(Plugins::process().load(id_of(n)));
        REQUIRE(find_backend(id_of(n)) != nullptr);
        CHECK(find_backend(id_of(n))->module == file_of(name_of(n)));
        CHECK(times_opened(name_of(n)) == 1);
    }
    auto session = Session::open({.policy = {.backends = std::vector<std::string>{"thread-15"}}});
    const Route route = session->route(program);
    REQUIRE_MESSAGE(route.execute() != nullptr, route.explain());
    CHECK(route.execute()->id() == "thread-15:0");
}

TEST_CASE("the process's fleet has a successor where a plugin was opened, and probes nothing again") {
    const auto before = Fleet::process();
    const auto thread_0 = *before->find("thread-0");
    const DeviceInfo* probed = before->probe(thread_0).devices.data();
    const PluginScratch folder;
    const std::string path =
        folder.add("more", renamed(file_bytes(file_of("thread_0")), "thread-0", "thread-x"));
    CHECK_FALSE(before->find("thread-x"));
    REQUIRE(Plugins::process().load(path));
    const auto after = Fleet::process();
    CHECK(after != before);
    CHECK(after == Fleet::process());
    REQUIRE(after->find("thread-x"));
    REQUIRE(after->probed(*after->find("thread-0")) != nullptr);
    CHECK(after->probe(*after->find("thread-0")).devices.data() == probed);
}
