// plugin_file.hpp - reads and checks the records in a plugin's file, without running any of its code.
//
// The records are checked by the registry's own rules (registry.hpp), so that a plugin's faults are known
// before it is opened, with the same messages. Only missing functions can't be detected, because in a file
// pointers are relocations.
//
// Installed because plugins.hpp, the public interface, includes it. Threads: any.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/registry/modules.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A backend as a plugin's records describe it.
struct PluginBackend {
    std::string id;
    std::uint32_t rank = unranked;
    bool dispatches = false;
    std::vector<std::string> tags;
    std::vector<std::string> hides_devices;  // environment variables
    std::string origin;                      // source file that registers it
};

/// A pack of patterns as a plugin's records describe it.
struct PluginPack {
    std::string id;
    std::string origin;  // source file that submits it
};

struct PluginFile {
    std::vector<PluginBackend> backends;  // sorted by id; possibly incomplete if the plugin is refused
    std::vector<PluginPack> packs;        // the same
    std::string abi;                      // of its first registration or pack
    std::optional<Error> refused;
};

/// Reads a plugin's file. Never fails: errors are in `refused`.
PluginFile read_plugin_file(const std::string& path);

/// Checks a plugin's records by themselves and returns the first fault. Appends the backends and packs that
/// they describe to those of `described`.
std::optional<Error> first_fault(Inventory inventory, PluginFile& described);

/// The words of a text separated by spaces.
std::vector<std::string> words(std::string_view text);

MUSTER_API_END
}  // namespace muster
