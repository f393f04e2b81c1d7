// plugin_listing.hpp - the part of `muster backends` that lists plugins.
#pragma once

#include <muster/cli/json.hpp>

namespace muster::cli {

/// Prints plugins that can't be used, and folders that can't be searched, each with its reason. The backends of
/// usable plugins are listed with the others.
void print_plugins();

/// {"plugins": [...], "plugin_folders": [...]}; lists all, usable or not.
Json plugins_json();

}  // namespace muster::cli
