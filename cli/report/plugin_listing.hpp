// plugin_listing.hpp - the part of `muster backends` that lists plugins.
#pragma once

namespace muster::cli {

/// Prints plugins that can't be used or that others may change, folders that can't be searched, and other
/// code that isn't run where it is (driver/platform/may_run.hpp), each with its reason. The backends of usable
/// plugins are listed with the others. Call it last: backends look for their code when they are probed.
void print_plugins();

}  // namespace muster::cli
