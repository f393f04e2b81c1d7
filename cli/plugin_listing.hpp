// plugin_listing.hpp - what `muster backends` says of plugins beside the backends themselves.
#pragma once

#include <muster/cli/json.hpp>

namespace muster::cli {

/// Those that can't be used or aren't taken, and folders that can't be looked through, each with its reason. Those that can be
/// used stand among the backends.
void print_plugins();

/// {"plugins": [...], "plugin_folders": [...]}, every one.
Json plugins_json();

}  // namespace muster::cli
