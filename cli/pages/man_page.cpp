#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/pages/man_page.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::cli {
namespace {

/// The text with what roff would read as its own escaped.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '\'' || c == '.')
            out += (out.empty() || out.back() == '\n') ? std::string("\\&") + c : std::string(1, c);
        else
            out += c;
    }
    return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

/// A line of a paragraph, which ends like a sentence.
std::string sentence(std::string_view text) {
    const bool ends = text.ends_with('.') || text.ends_with(':');
    return escaped(text) + (ends || text.empty() ? "\n" : ".\n");
}

std::string option_text(const OptionHelp& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(bold(name));
    std::string head = fmt::format("{}", fmt::join(names, ", "));
    if (!option.value.empty()) head += (head.empty() ? "" : " ") + italic(option.value);
    return ".TP\n" + head + "\n" + sentence(option.text);
}

/// Lines that stay as they are. Empty ones at either end are left out.
std::string as_it_is(std::string_view text) {
    while (text.starts_with('\n')) text.remove_prefix(1);
    while (text.ends_with('\n')) text.remove_suffix(1);
    return ".PP\n.nf\n" + escaped(text) + "\n.fi\n";
}

/// The tool's footer, "Exit codes: 0 done, 2 usage.", as a list.
std::string exit_status(std::string_view footer) {
    std::string text;
    std::size_t at = footer.find(':');
    while (at < footer.size()) {
        const std::size_t end = std::min(footer.find(',', at + 1), footer.size());
        std::string_view one = footer.substr(at + 1, end - at - 1);
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with('.') || one.ends_with('\n')) one.remove_suffix(1);
        const std::size_t space = one.find(' ');
        text += ".TP\n" + bold(one.substr(0, space)) + "\n" + sentence(one.substr(space + 1));
        at = end;
    }
    return text;
}

std::string command_text(const CommandHelp& command) {
    std::string head = "muster " + command.name;
    for (const OptionHelp& option : command.options)
        if (option.names.empty()) head += " " + option.value;
    std::string text = ".SS " + escaped(head) + "\n" + sentence(command.text);
    for (const OptionHelp& option : command.options) text += option_text(option);
    if (!command.footer.empty()) text += as_it_is(command.footer);
    return text;
}

}  // namespace

std::string man_page(std::span<const CommandHelp> commands, std::string_view date) {
    const CommandHelp& tool = commands.front();
    std::string text = fmt::format(".TH MUSTER 1 {} \"muster {}\" \"User Commands\"\n", date, version);
    text += ".SH NAME\nmuster \\- run compute kernels on the best backend that is there\n";
    text += ".SH SYNOPSIS\n.B muster\n.I COMMAND\n.RI [ ARGUMENT \\|.\\|.\\|.]\n.br\n.B muster\n";
    text += ".RB [ \\-h | \\-V ]\n";
    text += ".SH DESCRIPTION\n" + sentence(tool.text);
    text += "PROGRAM is a kernel in WGSL, in a file or on standard input.\n";
    text += ".SH OPTIONS\n";
    for (const OptionHelp& option : tool.options) text += option_text(option);
    text += ".SH COMMANDS\n";
    for (const CommandHelp& command : commands.subspan(1)) text += command_text(command);
    text += ".SH EXIT STATUS\n" + exit_status(tool.footer);
    text += ".SH ENVIRONMENT\n";
    for (const auto& [name, meaning] : known_variables())
        text += ".TP\n" + bold(name) + "\n" + sentence(meaning);
    return text;
}

}  // namespace muster::cli
