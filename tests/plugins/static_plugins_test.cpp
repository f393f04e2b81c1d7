// Plugins of a program with the static driver: they are listed, and none is opened.
#include <support/programs.hpp>

#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/session/session.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::test;

TEST_CASE("with the static driver a plugin is refused with that reason, and not opened") {
    auto plugins = plugins_in({folder_of("alpha")});
    REQUIRE(plugins.list().size() == 1);
    const Plugin plugin = plugins.list()[0];
    CHECK(plugin.state == PluginState::refused);
    CHECK(mentions(*plugin.reason, "linked with the static driver"));
    CHECK(mentions(*plugin.reason, "a process has one driver"));
    for (const std::string& name : {std::string("alpha"), file_of("alpha")}) {
        const auto loaded = plugins.load(name);
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().code == ErrorCode::unsupported);
        CHECK(mentions(loaded.error(), "linked with the static driver"));
        CHECK_FALSE(plugins.is_loaded(name));
    }
    CHECK_FALSE(was_opened("alpha"));

    std::vector<FleetEntry> entries = fleet_entries(registry());
    for (FleetEntry& entry : plugins.entries()) entries.push_back(std::move(entry));
    Session session =
        Session::open({.fleet = std::make_shared<Fleet>(entries), .use_environment = false}).value();
    const Route route = session.route(saxpy());
    CHECK(route.execute()->id() == "linked:0");
    CHECK(mentions(route.explain(), "static driver"));
}
