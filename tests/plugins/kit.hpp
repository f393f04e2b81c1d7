// kit.hpp - functions shared by the tests of plugins.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/plugin_scratch.hpp>

#include <muster/driver/plugins/plugins.hpp>

namespace muster::test {

/// The folder build/plugins/NAME, which has only the plugin of this name.
inline std::string folder_of(const std::string& name) { return MUSTER_TEST_PLUGINS "/" + name; }
inline std::string file_of(const std::string& name) {
    return std::filesystem::canonical(folder_of(name) + "/libmuster_backend_" + name + ".so").string();
}

inline Plugins plugins_in(std::initializer_list<std::string> folders) {
    std::vector<PluginFolder> all;
    for (const std::string& folder : folders) all.push_back({folder, PluginFolder::From::environment});
    return Plugins(std::move(all));
}

inline Plugin plugin_at(Plugins& plugins, const std::string& path) {
    for (const Plugin& plugin : plugins.list())
        if (plugin.path == path) return plugin;
    FAIL("no plugin " << path);
    return {};
}

inline bool mentions(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
inline bool mentions(const Error& error, std::string_view part) { return mentions(error.to_string(), part); }

/// The number of times that this library's constructors have run in this process.
int times_opened(const std::string& name);
inline bool was_opened(const std::string& name) { return times_opened(name) > 0; }

}  // namespace muster::test

extern "C" void muster_test_opened(const char* name);  // plugins call it
