// The search path of plugins, and the names of plugin files.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/plugin_scratch.hpp>

#include <muster/driver/plugins/plugin_path.hpp>

using namespace muster;

namespace {

std::vector<std::string> paths(const std::vector<PluginFolder>& folders) {
    std::vector<std::string> all;
    for (const PluginFolder& folder : folders) all.push_back(folder.path);
    return all;
}
using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("the search path is the environment's folders, the installation's, and the executable's") {
    const PluginEnvironment environment{.folders = {"/first", "/second/", "/first"}};
    const auto folders = plugin_folders(environment, "/p/lib/libmuster.so.0.1", "/p/bin/tool");
    CHECK(paths(folders) == Paths{"/first", "/second", "/p/lib/muster/backends", "/p/bin"});
    CHECK(folders[0].from == PluginFolder::From::environment);
    CHECK(folders[2].from == PluginFolder::From::installation);
    CHECK(folders[3].from == PluginFolder::From::executable);
    CHECK(paths(plugin_folders({}, "/q/lib64/libmuster.so", "/p/bin/tool")) ==
          Paths{"/q/lib64/muster/backends", "/p/lib/muster/backends", "/p/bin"});
    CHECK(paths(plugin_folders({}, "", "/p/bin/tool")) == Paths{"/p/lib/muster/backends", "/p/bin"});
    CHECK(plugin_folders({}, "", "").empty());
}

TEST_CASE("../lib is searched from a folder called bin alone: beside another one anybody may make it") {
    CHECK(paths(plugin_folders({}, "", "/tmp/x/program")) == Paths{"/tmp/x"});
    CHECK(paths(plugin_folders({}, "", "/program")) == Paths{"/"});
    CHECK(paths(plugin_folders({}, "", "/p/sbin/program")) == Paths{"/p/sbin"});
}

TEST_CASE("a relative folder is the one that it was when the search began") {
    const auto here = std::filesystem::canonical(std::filesystem::current_path());
    CHECK(paths(plugin_folders({.folders = {".", "nowhere/../here"}}, "", "")) ==
          Paths{here.string(), (here / "here").string()});
}

TEST_CASE("a plugin is called libmuster_backend_NAME.so") {
    CHECK(is_plugin_name("libmuster_backend_cuda.so"));
    CHECK(is_plugin_name("libmuster_backend_x.so"));
    for (const char* name :
         {"libmuster_backend_.so", "libmuster_backend_cuda.so.0.1", "libmuster.so", "backend_cuda.so",
          "libmuster_backend_cuda.a", "libmuster_backend_cuda.so~", "xlibmuster_backend_cuda.so", ""})
        CHECK_FALSE(is_plugin_name(name));
}

TEST_CASE("plugins of a folder come in the order of their names; folders below aren't looked into") {
    const test::PluginScratch scratch;
    for (const char* name : {"b", "a", "c"}) scratch.add(name, "");
    std::filesystem::create_directories(scratch.path() / "below");
    std::ofstream(scratch.path() / "below" / "libmuster_backend_d.so") << "";
    std::ofstream(scratch.path() / "libother.so") << "";
    PluginFolder folder{scratch.path().string()};
    CHECK(plugin_names(folder) == std::vector<std::string>{"libmuster_backend_a.so", "libmuster_backend_b.so",
                                                           "libmuster_backend_c.so"});
    CHECK_FALSE(folder.error);
}

TEST_CASE(
    "that the installation has no folder of plugins is no error, that the environment's isn't there is") {
    PluginFolder installation{"/nonexistent/muster/backends", PluginFolder::From::installation};
    CHECK(plugin_names(installation).empty());
    CHECK_FALSE(installation.error);
    PluginFolder environment{"/nonexistent/muster/backends"};
    CHECK(plugin_names(environment).empty());
    REQUIRE(environment.error);
    CHECK(environment.error->code == ErrorCode::not_found);
    CHECK(environment.error->fix.find("MUSTER_BACKEND_PATH") != std::string::npos);
}

TEST_CASE("this process knows where its driver is") { CHECK_FALSE(driver_home().path.empty()); }
