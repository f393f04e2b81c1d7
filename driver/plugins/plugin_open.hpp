// plugin_open.hpp - opens a plugin's library; no other file does. Internal to driver/.
#pragma once

#include <optional>
#include <string>

#include <muster/driver/platform/driver_library.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::plugins {

/// The reason why this process can't open any plugin; none if it can.
std::optional<Error> cannot_open_plugins();

/// Opens the library for good and publishes its records; succeeds again if it is open already. If the loader
/// fails or the records are refused, the library is closed and nothing is published. `path`: absolute,
/// without symbolic links. Errors: unsupported, if no plugin can be opened; refused, if others may change the
/// file and the user didn't name its place; unavailable, from the loader; the faults that first_fault()
/// finds; conflict, if the process has a backend of one of its ids from another module.
Result<void> open_plugin(const std::string& path, CodePlace place);

}  // namespace muster::plugins
