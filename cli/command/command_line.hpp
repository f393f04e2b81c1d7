// command_line.hpp - parses the command line by the table of commands (verb.hpp), and
// tells what --help shows.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <muster/cli/command/verb.hpp>

namespace muster::cli {

/// Text to print before exiting: help, or a usage error.
struct Message {
    std::string text;
    int exit = 0;
};

/// The command that is asked for, with its arguments.
std::variant<Message, Command> parse_command_line(int count, const char* const* arguments);

/// An option or argument of a command, as --help shows it.
struct OptionHelp {
    std::vector<std::string> names;  // "-o", "--output"; empty: an argument in its place
    std::string value;               // "FILE", or the argument's name; empty: a flag
    std::string text;
    bool is_required = false;
    bool repeats = false;
};

struct CommandHelp {
    std::string name;  // empty: the tool itself
    std::string text;
    std::vector<OptionHelp> options;
    std::string footer;
};

/// The tool, and each of its commands that --help shows: for the manual and the shells' completions (pages/).
std::vector<CommandHelp> command_line_help();

}  // namespace muster::cli
