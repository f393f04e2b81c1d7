#include <fmt/format.h>

#include <muster/cli/report/plugin_listing.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/driver/platform/may_run.hpp>
#include <muster/driver/plugins/plugins.hpp>

namespace muster::cli {
void print_plugins() {
    for (const Plugin& plugin : Plugins::process().list())
        for (const auto& text : {plugin.reason, plugin.caution})
            if (text) say(fmt::format("\n{}\n", text->to_string()));
    for (const PluginFolder& folder : Plugins::process().folders())
        if (folder.error) say(fmt::format("\n{}\n", folder.error->to_string()));
    for (const Error& why : platform::code_passed_over()) say(fmt::format("\n{}\n", why.to_string()));
}

}  // namespace muster::cli
