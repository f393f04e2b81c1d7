// plugin_file.hpp - what a plugin's file says, and whether it would be taken: nothing of it runs.
//
// The records are read from the file and held to the registry's own rules (registry.hpp), so that what is wrong with
// a plugin is known before it is opened, in the same words. The one thing that a file can't tell is whether functions
// are set: pointers are relocations there.
//
// Internal to driver/; plugins.hpp is the door. Threads: any.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/registry/modules.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// A file, whatever path led to it.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
    auto operator<=>(const FileIdentity&) const = default;
};
/// What tells whether a file has changed since it was read. `changed_ns`: its status, which no one can set back, so that
/// permissions count, too.
struct FileStatus {
    FileIdentity identity;
    std::uint64_t bytes = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const FileStatus&) const = default;
};
/// None: there is no such file.
std::optional<FileIdentity> file_identity(const std::string& path);
std::optional<FileStatus> file_status(const std::string& path);

/// A backend as a plugin's records describe it.
struct PluginBackend {
    std::string id;
    std::uint32_t rank = unranked;
    bool dispatches = false;
    std::vector<std::string> tags;
    std::vector<std::string> hides_devices;  // environment variables
    std::string origin;                      // source file that registers it
};

struct PluginFile {
    std::vector<PluginBackend> backends;  // by id; where it is refused, what is known of them
    std::string abi;                      // of its first registration
    std::optional<Error> refused;
};

/// Errors are in `refused`: whatever the file is, there is an answer.
PluginFile read_plugin_file(const std::string& path);

/// The first rule that a plugin's records break by themselves. `said`: what they are.
std::optional<Error> objection(Inventory inventory, std::vector<PluginBackend>& said);

/// The words of a text separated by spaces.
std::vector<std::string> words(std::string_view text);

}  // namespace muster
