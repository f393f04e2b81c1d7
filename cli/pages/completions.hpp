// completions.hpp - what bash, zsh and fish complete, made from what --help shows.
//
// An option completes by the kind of its value, as --help names it. A FILE or PROGRAM is a file's name; the
// names that the installation decides (an ID, a TARGET, a FORMAT) are asked of the tool when they are needed:
// `muster complete ID`. Pure. Threads: any.
#pragma once

#include <span>
#include <string>

#include <muster/cli/command/command_line.hpp>

namespace muster::cli {

/// `commands`: the tool itself first.
std::string bash_completion(std::span<const CommandHelp> commands);
std::string zsh_completion(std::span<const CommandHelp> commands);
std::string fish_completion(std::span<const CommandHelp> commands);

}  // namespace muster::cli
