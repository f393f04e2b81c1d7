// man_page.hpp - the tool's manual for `man`, made from what --help shows.
//
//     man_page(command_line_help(), "2026-01-31")   // man(7), as muster.1
//
// Pure. Threads: any.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <muster/cli/command/command_line.hpp>

namespace muster::cli {

/// `date`: the page's, as its first line states it. `commands`: the tool itself first.
std::string man_page(std::span<const CommandHelp> commands, std::string_view date);

}  // namespace muster::cli
