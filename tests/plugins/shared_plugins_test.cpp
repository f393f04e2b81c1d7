// Plugins of a program with the shared driver: found, listed from their files, opened when they are needed,
// refused.
#include <support/doubles.hpp>
#include <support/programs.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/policy/log.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/session/session.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::test;

namespace {

std::shared_ptr<Fleet> fleet_of(Plugins& plugins) {
    std::vector<FleetEntry> entries = fleet_entries(registry());
    for (FleetEntry& entry : plugins.entries())
        if (std::ranges::find(entries, entry.id, &FleetEntry::id) == entries.end())
            entries.push_back(std::move(entry));
    return std::make_shared<Fleet>(std::move(entries));
}

Session session_of(Plugins& plugins, Policy policy = {}) {
    return Session::open({.policy = std::move(policy), .fleet = fleet_of(plugins), .use_environment = false})
        .value();
}

const CandidateRecord& record(const Route& route, const std::string& backend) {
    for (const CandidateRecord& candidate : route.decision().candidates)
        if (candidate.backend == backend) return candidate;
    FAIL("no record of " << backend << " in\n" << route.explain());
    return route.decision().candidates.front();
}

/// Checks that the plugin is refused for this reason, that the process has nothing of it, and that its neighbour
/// works.
void check_refused(const std::string& name, std::string_view reason) {
    CAPTURE(name);
    auto plugins = plugins_in({folder_of(name), folder_of("beta")});
    const auto modules = registry().modules().size(), faults = registry().faults().size();
    const auto loaded = plugins.load(file_of(name));
    REQUIRE_FALSE(loaded);
    CHECK_MESSAGE(mentions(loaded.error(), reason), loaded.error().to_string());
    CHECK(mentions(loaded.error(), "The plugin " + file_of(name) + " is refused: "));
    const Plugin plugin = plugin_at(plugins, file_of(name));
    CHECK(plugin.state == PluginState::refused);
    CHECK(plugin.reason->message == loaded.error().message);
    CHECK_FALSE(plugin.reason->fix.empty());
    CHECK_FALSE(plugins.is_loaded(name));
    CHECK_FALSE(plugins.is_loaded(file_of(name)));
    CHECK(find_backend(name) == nullptr);
    refreeze();
    CHECK(registry().faults().size() == faults);
    CHECK(registry().modules().size() == modules);
    const Route route =
        session_of(plugins, {.backends = std::vector<std::string>{name, "beta"}}).route(saxpy());
    CHECK(route.execute()->id() == "beta:0");
    CHECK(record(route, name).reason == Reason::registration_fault);
    CHECK(mentions(record(route, name).message, reason));
}

}  // namespace

TEST_CASE("a plugin is listed from its file, unopened") {
    auto plugins = plugins_in({folder_of("alpha")});
    REQUIRE(plugins.list().size() == 1);
    const Plugin plugin = plugins.list()[0];
    CHECK(plugin.path == file_of("alpha"));
    CHECK(plugin.state == PluginState::not_opened);
    CHECK(plugin.abi == abi_fingerprint().view());
    CHECK_FALSE(plugin.reason);
    REQUIRE(plugin.backends.size() == 1);
    CHECK(plugin.backends[0].id == "alpha");
    CHECK(plugin.backends[0].rank == 11);
    CHECK(plugin.backends[0].dispatches);
    CHECK(plugin.backends[0].tags == std::vector<std::string>{"alone", "first"});
    CHECK(plugin.backends[0].hides_devices == std::vector<std::string>{"MUSTER_TEST_HIDES_ALPHA"});
    CHECK(plugin.backends[0].origin == "pieces/plugin.cpp");
    CHECK_FALSE(plugins.is_loaded("alpha"));
    CHECK_FALSE(plugins.is_loaded(file_of("alpha")));
    CHECK_FALSE(was_opened("alpha"));
}

TEST_CASE("routing opens a plugin when it gets to it, and not before") {
    auto plugins = plugins_in({folder_of("alpha")});
    const Route passed =
        session_of(plugins, {.backends = std::vector<std::string>{"linked", "alpha"}}).route(saxpy());
    CHECK(passed.execute()->id() == "linked:0");
    CHECK(record(passed, "alpha").reason == Reason::not_asked);
    CHECK_FALSE(was_opened("alpha"));

    Session session = session_of(plugins);
    CHECK_FALSE(was_opened("alpha"));
    CHECK(session.route(saxpy()).execute()->id() == "alpha:0");
    CHECK(was_opened("alpha"));
    CHECK(plugin_at(plugins, file_of("alpha")).state == PluginState::loaded);
    CHECK(plugins.is_loaded("alpha"));
    REQUIRE(find_backend("alpha") != nullptr);
    CHECK(find_backend("alpha")->module == file_of("alpha"));
    CHECK(acquire("alpha").value()->id() == "alpha");
    CHECK(plugins.load("alpha"));
    CHECK(plugins.load(file_of("alpha")));
    CHECK(times_opened("alpha") == 1);
    auto others = plugins_in({folder_of("alpha")});  // later callers find it in the registry
    CHECK(others.list().empty());
    CHECK(others.load("alpha"));
}

TEST_CASE("one library by several paths is one plugin") {
    const PluginScratch folder;
    const std::string bytes = renamed(file_bytes(file_of("beta")), "beta", "hard");
    const std::string original = folder.add("original", bytes);
    std::filesystem::create_hard_link(original, folder.file("linked_hard"));
    std::filesystem::create_symlink(original, folder.file("linked_soft"));
    const PluginScratch second;
    std::filesystem::create_symlink(original, second.file("elsewhere"));
    auto plugins = plugins_in({folder.path().string(), second.path().string()});
    REQUIRE(plugins.list().size() == 1);
    REQUIRE(plugins.load(second.file("elsewhere")));
    CHECK(plugins.list().size() == 1);
    CHECK(plugins.list()[0].state == PluginState::loaded);
    for (const std::string& path : {original, folder.file("linked_hard"), folder.file("linked_soft")}) {
        CAPTURE(path);
        CHECK(plugins.is_loaded(path));
        CHECK(plugins.load(path));
    }
    CHECK(find_backend("hard") != nullptr);
    CHECK(std::ranges::none_of(registry().faults(), [](const RegistryFault& f) { return f.id == "hard"; }));
}

TEST_CASE("a plugin whose records are wrong is refused by its file, and never opened") {
    check_refused("twice", "2 records are each the registration of \"twice\"");
    check_refused("foreign", "compiled against \"muster 0.0.1 libother\"");
    check_refused("later", "is of schema 9");
    for (const char* name : {"twice", "foreign", "later"}) CHECK_FALSE(was_opened(name));
}

TEST_CASE("a plugin that doesn't open, or turns out to be wrong, is closed again and leaves its reason") {
    check_refused("hollow", "has no factory");
    CHECK(was_opened("hollow"));
    check_refused("undefined", "It doesn't open: undefined symbol: ");
    CHECK_FALSE(was_opened("undefined"));
    check_refused("apart", "linked to another copy of muster");
    CHECK(find_backend("apart") == nullptr);
}

TEST_CASE("routing tells why a plugin didn't open, and takes the next backend") {
    auto plugins = plugins_in({folder_of("undefined")});
    Session session = session_of(plugins, {.backends = std::vector<std::string>{"undefined", "linked"}});
    const Route route = session.route(saxpy());
    CHECK(route.execute()->id() == "linked:0");
    CHECK(record(route, "undefined").reason == Reason::plugin_failed);
    CHECK(mentions(record(route, "undefined").message, "undefined symbol"));
}

TEST_CASE("a factory that throws costs its backend alone") {
    auto plugins = plugins_in({folder_of("throwing"), folder_of("beta")});
    Session session = session_of(plugins, {.backends = std::vector<std::string>{"throwing", "beta"}});
    const Route route = session.route(saxpy());
    CHECK(route.execute()->id() == "beta:0");
    CHECK(record(route, "throwing").reason == Reason::factory_failed);
    CHECK(mentions(record(route, "throwing").message, "throws on purpose"));
    CHECK(plugins.load("throwing"));
}

TEST_CASE(
    "a backend that calls itself otherwise than its plugin's file costs itself alone, and both ids are "
    "told") {
    auto plugins = plugins_in({folder_of("impostor"), folder_of("beta")});
    Session session = session_of(plugins, {.backends = std::vector<std::string>{"impostor", "beta"}});
    const Route route = session.route(saxpy());
    CHECK(route.execute()->id() == "beta:0");
    const CandidateRecord& impostor = record(route, "impostor");
    CHECK(impostor.reason == Reason::factory_failed);
    CHECK(impostor.message ==
          "The factory of backend \"impostor\" constructs one that calls itself \"somebody\".");
    CHECK(impostor.fix == "return \"impostor\" from its id(), or register it as \"somebody\", in " +
                              file_of("impostor") + " (pieces/plugin.cpp)");
}

TEST_CASE("two plugins of one id: in one folder neither is usable, in two the first folder's is taken") {
    const PluginScratch together, first, second;
    const std::string bytes = file_bytes(file_of("beta"));
    for (const char* name : {"one", "two"}) together.add(name, renamed(bytes, "beta", "same"));
    together.add("other", renamed(bytes, "beta", "good"));
    auto conflict = plugins_in({together.path().string()});
    for (const char* name : {"one", "two"}) {
        const Plugin plugin = plugin_at(conflict, std::filesystem::canonical(together.file(name)).string());
        CHECK(plugin.state == PluginState::refused);
        CHECK(mentions(*plugin.reason, "libmuster_backend_one.so and in "));
        CHECK(mentions(*plugin.reason, "neither is usable"));
    }
    CHECK(conflict.load("same").error().code == ErrorCode::conflict);
    CHECK(conflict.load("good"));

    const auto early = first.add("one", renamed(bytes, "beta", "path")),
               late = second.add("one", renamed(bytes, "beta", "path"));
    auto ordered = plugins_in({first.path().string(), second.path().string()});
    REQUIRE(ordered.list().size() == 2);
    CHECK(ordered.list()[0].state == PluginState::not_opened);
    CHECK(ordered.list()[1].state == PluginState::passed_over);
    CHECK(mentions(*ordered.list()[1].reason, "comes first on the search path"));
    REQUIRE(ordered.load("path"));
    CHECK(ordered.is_loaded(early));
    CHECK_FALSE(ordered.is_loaded(late));
    CHECK(ordered.list()[1].state == PluginState::passed_over);
}

TEST_CASE("a broken plugin on the path doesn't hide a whole one behind it") {
    const PluginScratch first, second;
    const std::string whole = renamed(file_bytes(file_of("beta")), "beta", "next");
    first.add("one", whole.substr(0, whole.size() / 2));
    second.add("one", whole);
    auto plugins = plugins_in({first.path().string(), second.path().string()});
    CHECK(plugins.list()[0].state == PluginState::refused);
    CHECK(plugins.list()[1].state == PluginState::not_opened);
    CHECK(plugins.load("next"));
}

TEST_CASE(
    "what the program links stays: a plugin of the same id is passed over, and refused where it is asked "
    "for") {
    auto plugins = plugins_in({folder_of("linked")});
    REQUIRE(plugins.list().size() == 1);
    CHECK(plugins.list()[0].state == PluginState::passed_over);
    CHECK(mentions(*plugins.list()[0].reason, "The process has the backend \"linked\" already, from "));
    CHECK(plugins.load("linked"));
    const auto loaded = plugins.load(file_of("linked"));
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::conflict);
    CHECK_FALSE(was_opened("linked"));
    CHECK(find_backend("linked")->rank == 500);
}

TEST_CASE("a library without backends is no plugin, and no error") {
    auto plugins = plugins_in({folder_of("empty")});
    REQUIRE(plugins.list().size() == 1);
    CHECK(plugins.list()[0].state == PluginState::empty);
    CHECK(plugins.entries().empty());
    CHECK(mentions(plugins.load(file_of("empty")).error(), "registers no backend"));
}

TEST_CASE(
    "a pack of patterns in a plugin without backends is listed from the file, and opened when it is wanted") {
    auto plugins = plugins_in({folder_of("packed"), folder_of("alpha")});
    const Plugin plugin = plugin_at(plugins, file_of("packed"));
    CHECK(plugin.state == PluginState::not_opened);
    CHECK(plugin.abi == abi_fingerprint().view());
    CHECK(plugin.backends.empty());
    REQUIRE(plugin.packs.size() == 1);
    CHECK(plugin.packs[0].id == "packed");
    CHECK(plugin.packs[0].origin == "pieces/patterns.cpp");
    CHECK(plugins.provide_pack("unpacked").error().message == "No plugin has a pack called \"unpacked\".");
    CHECK_FALSE(was_opened("packed"));
    REQUIRE(plugins.provide_pack("packed"));
    CHECK(was_opened("packed"));
    REQUIRE(registry().find_pack("packed") != nullptr);
    CHECK(registry().find_pack("packed")->module == file_of("packed"));
    CHECK(registry().acquire_pack("packed"));
    CHECK(plugin_at(plugins, file_of("packed")).state == PluginState::loaded);
    CHECK(plugins.provide_pack("packed"));
    CHECK(times_opened("packed") == 1);
    REQUIRE(plugins.retire(file_of("packed")));
    CHECK(registry().find_pack("packed") == nullptr);
    CHECK(mentions(plugins.provide_pack("packed").error(), "is retired"));
    CHECK(plugins.load(file_of("packed")));
}

TEST_CASE("two plugins with one pack: in one folder neither is usable, and what the process has stays") {
    const PluginScratch together, later;
    const std::string bytes = file_bytes(file_of("packaged"));
    together.add("one", renamed(bytes, "packaged", "doubleds"));
    together.add("two", renamed(bytes, "packaged", "doubleds"));
    auto conflict = plugins_in({together.path().string()});
    for (const Plugin& plugin : conflict.list()) CHECK(plugin.state == PluginState::refused);
    CHECK(mentions(conflict.provide_pack("doubleds").error(), "neither is usable"));
    auto first = plugins_in({folder_of("packaged")});
    REQUIRE(first.provide_pack("packaged"));
    const std::string copy = later.add("again", bytes);
    auto second = plugins_in({later.path().string()});
    REQUIRE(second.list().size() == 1);
    CHECK(second.list()[0].state == PluginState::passed_over);
    CHECK(mentions(*second.list()[0].reason,
                   "The process has the pack \"packaged\" already, from " + file_of("packaged")));
    CHECK(mentions(second.load(copy).error(), "The process has the pack \"packaged\" already"));
}

TEST_CASE("files that are no plugins, whatever they are, are refused by name and cost nothing else") {
    const PluginScratch folder;
    const std::string whole = renamed(file_bytes(file_of("beta")), "beta", "kept");
    folder.add("good", whole);
    folder.add("text", "This isn't a library.\n");
    folder.add("nothing", "");
    std::string other = whole;
    other[18] = static_cast<char>(183);  // e_machine
    folder.add("aarch64", renamed(other, "kept", "arch"));
    std::string object = whole;
    object[16] = 1;  // e_type
    folder.add("object", renamed(object, "kept", "objt"));
    std::filesystem::create_directory(folder.file("folder"));
    std::filesystem::create_symlink(folder.file("nowhere"), folder.file("dangling"));
    REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    auto plugins = plugins_in({folder.path().string()});
    const auto reason = [&](const std::string& name) -> std::string {
        for (const Plugin& plugin : plugins.list())
            if (plugin.path.ends_with("/libmuster_backend_" + name + ".so"))
                return plugin.state == PluginState::refused ? plugin.reason->to_string() : "";
        return "";
    };
    CHECK(mentions(reason("text"), "not an ELF file"));
    CHECK(mentions(reason("nothing"), "not an ELF file"));
    CHECK(mentions(reason("aarch64"), "It is built for aarch64; this program runs on "));
    CHECK(mentions(reason("object"), "It isn't a shared library"));
    CHECK(mentions(reason("folder"), "isn't a regular file"));
    CHECK(mentions(reason("dangling"), "There is no file"));
    CHECK(mentions(reason("pipe"), "isn't a regular file"));
    CHECK(plugins.load("kept"));
}

TEST_CASE("a plugin cut short anywhere is refused, and never opened") {
    const std::string whole = renamed(file_bytes(file_of("beta")), "beta", "cut1");
    const PluginScratch folder;
    for (int n = 0; n < 40; ++n) {
        const auto size = whole.size() * static_cast<std::size_t>(n) / 40;
        folder.add("cut", whole.substr(0, size));
        auto plugins = plugins_in({folder.path().string()});
        REQUIRE(plugins.list().size() == 1);
        CHECK(plugins.list()[0].state == PluginState::refused);
        CHECK_FALSE(plugins.load(folder.file("cut")));
    }
}

TEST_CASE("a refused plugin is tried again, and taken where it was mended") {
    const PluginScratch folder;
    const std::string whole = renamed(file_bytes(file_of("beta")), "beta", "mend");
    const std::string path = folder.add("mended", whole.substr(0, 1000));
    auto plugins = plugins_in({folder.path().string()});
    const auto before = plugins.generation();
    CHECK_FALSE(plugins.load(path));
    std::ofstream(path, std::ios::binary) << whole;
    CHECK(plugins.load(path));
    CHECK(plugins.list()[0].state == PluginState::loaded);
    CHECK(find_backend("mend") != nullptr);
    CHECK(plugins.generation() > before);
}

TEST_CASE("a file that replaced another, removed or not, is known by what it is now") {
    const PluginScratch folder;
    const std::string whole = renamed(file_bytes(file_of("beta")), "beta", "anew");
    const auto removed = folder.add("removed", "not a library");
    auto plugins = plugins_in({folder.path().string()});
    CHECK(plugins.list().size() == 1);
    std::filesystem::remove(removed);
    const std::string added =
        folder.add("added", whole);  // many file systems give it the removed file's inode
    REQUIRE(plugins.load(added));
    CHECK(find_backend("anew") != nullptr);
    REQUIRE(plugins.list().size() == 2);
    CHECK(mentions(*plugins.list()[0].reason, "There is no file"));
    CHECK(plugins.list()[1].state == PluginState::loaded);
}

TEST_CASE("a refused plugin whose file is replaced is one plugin, and shows what the new file says") {
    const PluginScratch folder;
    const std::string path = folder.add("replaced", file_bytes(file_of("foreign")));
    auto plugins = plugins_in({folder.path().string()});
    CHECK(plugins.list()[0].abi == "muster 0.0.1 libother");
    const auto before = plugins.generation();
    std::ofstream(folder.path() / "new", std::ios::binary)
        << renamed(file_bytes(file_of("beta")), "beta", "newd");
    std::filesystem::rename(folder.path() / "new", path);
    REQUIRE(plugins.list().size() == 1);
    CHECK(plugins.list()[0].state == PluginState::not_opened);
    CHECK(plugins.generation() > before);
    REQUIRE(plugins.load(path));
    REQUIRE(plugins.list().size() == 1);
    CHECK(plugins.list()[0].state == PluginState::loaded);
    CHECK(plugins.list()[0].abi == abi_fingerprint().view());
    CHECK(plugins.list()[0].backends[0].id == "newd");
    CHECK(plugins.is_loaded(path));
    // Replacing the file of an open library changes nothing.
    std::ofstream(folder.path() / "new", std::ios::binary) << "not a library";
    std::filesystem::rename(folder.path() / "new", path);
    CHECK(plugins.load(path));
    REQUIRE(plugins.list().size() == 1);
    CHECK(plugins.list()[0].state == PluginState::loaded);
}

TEST_CASE("a plugin that couldn't be read when it was found is there for load() by id once it can") {
    const PluginScratch folder;
    const std::string whole = renamed(file_bytes(file_of("beta")), "beta", "idme");
    const std::string path = folder.add("mended", "not a library");
    auto plugins = plugins_in({folder.path().string()});
    CHECK(plugins.load("idme").error().code == ErrorCode::not_found);
    std::ofstream(path, std::ios::binary) << whole;
    CHECK(plugins.load("idme"));
    CHECK(find_backend("idme") != nullptr);
}

TEST_CASE("a plugin that doesn't open hides nothing: the next folder's is taken, by load() and by routing") {
    for (const bool by_routing : {false, true}) {
        CAPTURE(by_routing);
        const std::string id =
            by_routing ? "by_route" : "by_load_";  // eight characters, like the plugins' own ids
        const PluginScratch first, second;
        first.add("one", renamed(file_bytes(file_of("lacking_")), "lacking_", id));
        const std::string whole = second.add("one", renamed(file_bytes(file_of("complete")), "complete", id));
        auto plugins = plugins_in({first.path().string(), second.path().string()});
        CHECK(plugins.list()[1].state == PluginState::passed_over);
        if (by_routing) {
            Session session = session_of(plugins, {.backends = std::vector<std::string>{id}});
            const Route route = session.route(saxpy());
            REQUIRE_MESSAGE(route.execute() != nullptr, route.explain());
            CHECK(route.execute()->id() == id + ":0");
        } else {
            CHECK(plugins.load(id));
        }
        CHECK(plugins.list()[0].state == PluginState::refused);
        CHECK(plugins.list()[1].state == PluginState::loaded);
        REQUIRE(find_backend(id) != nullptr);
        CHECK(find_backend(id)->module == std::filesystem::canonical(whole).string());
        CHECK(plugins.entries().empty());
    }
}

TEST_CASE("routing doesn't take another plugin for one that doesn't open, where its file says other things") {
    const PluginScratch first, second;
    first.add("one", renamed(file_bytes(file_of("lacking_")), "lacking_", "differs_"));
    second.add("one", renamed(file_bytes(file_of("of_its_o")), "of_its_o", "differs_"));
    auto plugins = plugins_in({first.path().string(), second.path().string()});
    Session session = session_of(plugins, {.backends = std::vector<std::string>{"differs_", "linked"}});
    CHECK(session.route(saxpy()).execute()->id() == "linked:0");
    // The registry lists it for later callers, in its new state.
    const auto entries = plugins.entries();
    REQUIRE(entries.size() == 1);
    CHECK_FALSE(entries[0].fault);
    CHECK(entries[0].rank == 25);
    CHECK(plugins.load("differs_"));
}

TEST_CASE("a retired plugin is out of the next registry; what has it keeps it, and load() takes it back") {
    const PluginScratch folder;
    const std::string path = std::filesystem::canonical(
        folder.add("retiring", renamed(file_bytes(file_of("thread_0")), "thread-0", "retiring")));
    for (const std::string& name : {std::string("retiring"), path}) {
        CAPTURE(name);
        auto plugins = plugins_in({folder.path().string()});
        CHECK(plugins.retire(name).error().code == ErrorCode::not_found);
        REQUIRE(plugins.load(name));
        Session session = session_of(plugins, {.backends = std::vector<std::string>{"retiring", "linked"}});
        const auto before = registered_backends();
        const auto generation = plugins.generation();
        REQUIRE(plugins.retire(name));
        CHECK(plugins.generation() > generation);
        CHECK(find_backend("retiring") == nullptr);
        CHECK_FALSE(plugins.is_loaded(name));
        CHECK(registered_backends().size() + 1 == before.size());
        CHECK(plugins.retire(name).error().code == ErrorCode::not_found);
        // Sessions and registries from before still have it.
        const auto old = std::ranges::find(before, "retiring", &RegisteredBackend::id);
        REQUIRE(old != before.end());
        CHECK((*old).module == path);
        CHECK((*old).factory().value()->id() == "retiring");
        CHECK(session.route(saxpy()).execute()->id() == "retiring:0");
        // New ones don't have it, and errors for its id say why.
        const Plugin plugin = plugin_at(plugins, path);
        CHECK(plugin.state == PluginState::retired);
        CHECK(muster::name(plugin.state) == "retired");
        CHECK(mentions(*plugin.reason, "The plugin " + path + " is retired: "));
        CHECK(plugins.provide("retiring").error().message == plugin.reason->message);
        Session later = session_of(plugins, {.backends = std::vector<std::string>{"retiring", "linked"}});
        const Route route = later.route(saxpy());
        CHECK(route.execute()->id() == "linked:0");
        CHECK(mentions(record(route, "retiring").message, "is retired"));
        refreeze();
        CHECK(find_backend("retiring") == nullptr);
        REQUIRE(plugins.load(name));
        CHECK(plugins.is_loaded(name));
        CHECK(plugin_at(plugins, path).state == PluginState::loaded);
        CHECK(find_backend("retiring")->module == path);
        CHECK(times_opened("thread_0") <= 1);
        REQUIRE(plugins.retire(name));  // the next turn's plugins must not meet it
        REQUIRE(plugins.load(name));
        REQUIRE(plugins.retire(name));
    }
}

TEST_CASE("folders that can't be looked through are named, and the others are") {
    const PluginScratch folder;
    const std::string file = folder.add("plain", "text");
    auto plugins = plugins_in({"/nonexistent/plugins", file, folder_of("foreign")});
    CHECK(plugins.list().size() == 1);
    const auto folders = plugins.folders();
    REQUIRE(folders.size() == 3);
    CHECK(mentions(*folders[0].error, "/nonexistent/plugins isn't there"));
    CHECK(mentions(*folders[1].error, "isn't a folder"));
    CHECK_FALSE(folders[2].error);
}

TEST_CASE("a folder that can't be read is named, with why") {
    const PluginScratch folder;
    folder.add("good", file_bytes(file_of("beta")));
    std::filesystem::permissions(folder.path(), std::filesystem::perms::none);
    const uid_t user = geteuid();
    if (user == 0) REQUIRE(seteuid(65534) == 0);  // root can read every file
    auto plugins = plugins_in({folder.path().string()});
    const auto folders = plugins.folders();
    if (user == 0) REQUIRE(seteuid(user) == 0);
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    REQUIRE(folders.size() == 1);
    REQUIRE(folders[0].error);
    CHECK(mentions(*folders[0].error, "can't be looked through: Permission denied"));
    CHECK(plugins.list().empty());
}

TEST_CASE("a folder of 1,000 files is looked through, and each file has its answer") {
    const PluginScratch folder;
    const std::string whole = file_bytes(file_of("thread_0"));
    for (int n = 0; n < 1000; ++n) {
        const std::string id = "many-" + std::to_string(100 + n / 2);  // eight characters, like "thread-0"
        folder.add(std::to_string(n), n % 2 == 0 ? renamed(whole, "thread-0", id) : "text");
        std::ofstream(folder.path() / ("other" + std::to_string(n) + ".so")) << "no plugin's name";
    }
    auto plugins = plugins_in({folder.path().string()});
    const auto all = plugins.list();
    CHECK(all.size() == 1000);
    CHECK(std::ranges::count(all, PluginState::not_opened, &Plugin::state) == 500);
    CHECK(std::ranges::count(all, PluginState::refused, &Plugin::state) == 500);
    CHECK(plugins.entries().size() == 500);
}

TEST_CASE("an id that no plugin has is an error that names those that there are") {
    auto plugins = plugins_in({folder_of("foreign")});
    const auto loaded = plugins.load("nobody");
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::not_found);
    CHECK(mentions(loaded.error(), "No plugin has a backend called \"nobody\""));
    CHECK(mentions(loaded.error(), "foreign"));
    CHECK(mentions(loaded.error(), "linked"));
    CHECK(plugins.load("/nowhere/at/all.so").error().code == ErrorCode::not_found);
    CHECK(mentions(plugins.load("foreign").error(), "libother"));
}

TEST_CASE("without automatic search nothing is looked for until an id is asked for") {
    const PluginScratch folder;
    folder.add("later", renamed(file_bytes(file_of("beta")), "beta", "late"));
    Plugins plugins({{folder.path().string(), PluginFolder::From::environment, {}}}, false);
    CHECK(plugins.list().empty());
    CHECK(plugins.entries().empty());
    CHECK(plugins.load("late"));
    CHECK(plugins.is_loaded("late"));
}

TEST_CASE("a plugin that belongs to another user is refused where it was found, and listed with a fix") {
    if (geteuid() != 0) return;  // others can't give files away
    const PluginScratch scratch;
    const std::string path = scratch.add("planted", renamed(file_bytes(file_of("beta")), "beta", "evil"));
    REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
    Plugins plugins({{scratch.path().string(), PluginFolder::From::executable}});
    const Plugin found = plugin_at(plugins, path);
    CHECK(found.state == PluginState::refused);
    REQUIRE(found.reason);
    CHECK(found.reason->code == ErrorCode::refused);
    CHECK(found.reason->message == "The plugin " + path + " is refused: " + path +
                                       " belongs to user 65534, whose code would run as user 0.");
    CHECK(mentions(found.reason->fix, "MUSTER_BACKEND_PATH"));
    CHECK_FALSE(found.caution);
    const auto by_id = plugins.load("evil");
    REQUIRE_FALSE(by_id);
    CHECK(by_id.error().message == found.reason->message);
    CHECK(find_backend("evil") == nullptr);
    const auto entries = plugins.entries();
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].fault);

    REQUIRE(chown(path.c_str(), 0, 0) == 0);  // the fix
    CHECK(plugin_at(plugins, path).state == PluginState::not_opened);
    CHECK(plugins.load("evil"));
}

TEST_CASE("a plugin below a folder of another user's is refused, however it is reached") {
    if (geteuid() != 0) return;
    const PluginScratch scratch;
    const auto folder = scratch.path() / "lib";
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(scratch.add("planted", renamed(file_bytes(file_of("beta")), "beta", "ev11")),
                               folder / "libmuster_backend_planted.so");
    REQUIRE(chown(folder.c_str(), 65534, 65534) == 0);
    std::filesystem::create_symlink(folder, scratch.path() / "link");
    for (const char* way : {"lib", "link"}) {
        Plugins plugins({{(scratch.path() / way).string(), PluginFolder::From::installation}});
        const Plugin found = plugin_at(plugins, (folder / "libmuster_backend_planted.so").string());
        CHECK(found.state == PluginState::refused);
        REQUIRE(found.reason);
        CHECK(mentions(found.reason->message, folder.string() + " belongs to user 65534"));
    }
}

TEST_CASE("a plugin of another user's is opened with a warning where its place is named") {
    if (geteuid() != 0) return;
    const PluginScratch scratch;
    const std::string in_folder = scratch.add("named", renamed(file_bytes(file_of("beta")), "beta", "namd")),
                      by_path = scratch.add("by_path", renamed(file_bytes(file_of("beta")), "beta", "bypa"));
    for (const std::string& path : {in_folder, by_path}) REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
    std::vector<std::string> logged;
    set_log_sink([&](LogLevel level, std::string_view text) {
        if (level == LogLevel::warning) logged.emplace_back(text);
    });
    Plugins environment({{scratch.path().string(), PluginFolder::From::environment}});
    const Plugin found = plugin_at(environment, in_folder);
    CHECK(found.state == PluginState::not_opened);
    REQUIRE(found.caution);
    CHECK(mentions(found.caution->message, in_folder + " belongs to user 65534"));
    CHECK(logged.empty());  // nothing of it has run
    CHECK(environment.load("namd"));
    CHECK(logged.size() == 1);

    Plugins executable({{scratch.path().string(), PluginFolder::From::executable}});
    CHECK(plugin_at(executable, by_path).state == PluginState::refused);
    CHECK(executable.load(by_path));
    set_log_sink({});
    REQUIRE(logged.size() == 2);
    CHECK(mentions(logged[1], "The plugin " + by_path +
                                  " is used because its place was named, though others may change it. "));
}
