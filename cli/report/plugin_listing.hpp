// plugin_listing.hpp - the part of `muster backends` that lists plugins.
#pragma once

#include <muster/cli/support/json.hpp>

namespace muster::cli {

/// Prints plugins that can't be used or that others may change, folders that can't be searched, and other
/// code that isn't run where it is (driver/support/may_run.hpp), each with its reason. The backends of usable
/// plugins are listed with the others. Call it last: backends look for their code when they are probed.
void print_plugins();

/// {"plugins": [...], "plugin_folders": [...]}; lists all, usable or not.
Json plugins_json();

/// The other code that isn't run where it is, as errors. Call it last, too.
Json passed_over_json();

}  // namespace muster::cli
