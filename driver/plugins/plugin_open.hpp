// plugin_open.hpp - opens a plugin's library: the one place that does. Internal to driver/.
#pragma once

#include <optional>
#include <string>

#include <muster/foundation/base/result.hpp>

namespace muster {

/// Why this process can't open any plugin; none where it can.
std::optional<Error> cannot_open_plugins();

/// Opens the library for good and publishes its records; the same again where it is open. Where the loader or the
/// records say no, it is closed again and nobody has seen it. `path`: absolute, without symbolic links.
/// Errors: unsupported where no plugin can be opened; unavailable, the loader's; what objection() finds; conflict,
/// where the process has a backend of one of its ids from elsewhere.
Result<void> open_plugin(const std::string& path);

}  // namespace muster
