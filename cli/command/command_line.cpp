#include <algorithm>
#include <cctype>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/command_line.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::cli {
namespace {

/// Refuses empty values: one comes from an unset shell variable, and mustn't mean "any".
void refuse_empty_values(CLI::App& app) {
    const auto is_empty = [](const std::string& text) {
        return std::string(text.empty() ? "its value is empty: give one, or leave the option out" : "");
    };
    for (CLI::App* command : app.get_subcommands({}))
        for (CLI::Option* option : command->get_options())
            if (option->get_type_size() != 0) option->check(CLI::Validator(is_empty, ""));
}

Message misuse(const std::string& what, const std::string& fix) {
    return {fmt::format("muster: {}\nFix: {}\n", what, fix), static_cast<int>(Exit::usage)};
}

Message no_command(const CLI::App& app, const std::string& name) {
    std::vector<std::string> names;
    for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(one->get_name());
    return misuse(fmt::format("There is no command \"{}\".", printable(name)), did_you_mean(name, names));
}

/// `muster help [COMMAND]`: the help of that command, or of the tool.
Message help(CLI::App& app, const std::string& command) {
    app.clear();  // otherwise it shows the help of the parsed command, "help"
    if (command.empty()) return {app.help(), 0};
    for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
        if (one->get_name() == command) return {one->help("muster"), 0};
    return no_command(app, command);
}

/// True if the text has the word, in letters of either case.
bool has_word(const std::string& text, const std::string& word) {
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    for (auto at = text.begin(); at != text.end();) {
        const auto begin = std::find_if(at, text.end(), is_letter);
        at = std::find_if_not(begin, text.end(), is_letter);
        if (std::equal(begin, at, word.begin(), word.end(), same)) return true;
    }
    return false;
}

/// An option that the command doesn't have. Options like it are told, else those whose description has its
/// name: of --precision, --fast.
Message no_option(const CLI::App& command, const std::string& given, const std::string& see_help) {
    const std::string name = given.substr(0, given.find('='));
    const std::string word = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    std::vector<std::string> names, described;
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_name().starts_with("--")) continue;
        names.push_back(option->get_name());
        if (has_word(option->get_description(), word)) described.push_back(option->get_name());
    }
    const std::vector<std::string> near = nearest(name, names);
    const std::vector<std::string>& meant = near.empty() ? described : near;
    return misuse(fmt::format("{} has no option {}.", command.get_name(), printable(name)),
                  meant.empty()
                      ? see_help
                      : fmt::format("did you mean {}? Else {}", fmt::join(meant, " or "), see_help));
}

/// CLI11's message, and how to get help.
Message usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const CLI::App& command = chosen.empty() ? app : *chosen.front();
    const std::string see_help = fmt::format("see muster{}{} --help", chosen.empty() ? "" : " ",
                                             chosen.empty() ? "" : command.get_name());
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const std::vector<std::string> unknown = command.remaining();
        const auto option =
            std::ranges::find_if(unknown, [](const std::string& one) { return one.starts_with('-'); });
        if (option != unknown.end()) return no_option(command, *option, see_help);
        if (chosen.empty() && !unknown.empty()) return no_command(app, unknown.front());
    }
    return misuse(error.what(), see_help);
}

/// The whole command line, as CLI11 defines it, and what parsing fills.
struct CommandLine {
    CLI::App app{"Runs a compute kernel on the best backend that is there.", "muster"};
    Command version;
    std::vector<Command> commands;  // as verbs::all
    std::string helped;

    CommandLine() {
        Options options(app);
        app.set_version_flag("-V,--version");
        version = verbs::version.declare(options);
        app.require_subcommand(0, 1);  // zero are reported later, after CLI11 has reported unknown words
        app.footer(
            "\nExit codes: 0 done, 2 usage, 3 bad program, 4 refused, 5 failed at run time, 6 only emission "
            "is "
            "possible, 7 a device doesn't pass the check or is wrong in bench, 8 sanitize has findings.");
        for (const Verb* verb : verbs::all) {
            CLI::App& command = *app.add_subcommand(verb->name, verb->summary);
            if (verb->is_hidden) command.group("");
            Options of(command);
            commands.push_back(verb->declare(of));
        }
        app.add_subcommand("help", "Explain a command")->add_option("COMMAND", helped, "One of the above");
        refuse_empty_values(app);
    }
};

/// Names the commands that --help shows.
Message no_command_given() {
    std::vector<const char*> names;
    for (const Verb* verb : verbs::all)
        if (!verb->is_hidden) names.push_back(verb->name);
    const char* const last = names.back();
    names.pop_back();
    return misuse("No command is given.",
                  fmt::format("muster {} or {}; see muster --help", fmt::join(names, ", "), last));
}

OptionHelp help_of(const CLI::Option& option) {
    OptionHelp help{.text = option.get_description(),
                    .is_required = option.get_required(),
                    .repeats = option.get_expected_max() > 1};
    for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
    if (help.names.empty())
        help.value = option.get_name();
    else if (option.get_type_size() != 0)
        help.value = option.get_type_name();
    return help;
}

CommandHelp help_of(const CLI::App& command, std::string name) {
    CommandHelp help{std::move(name), command.get_description(), {}, command.get_footer()};
    for (const CLI::Option* option : command.get_options()) help.options.push_back(help_of(*option));
    return help;
}

}  // namespace

std::variant<Message, Command> parse_command_line(int count, const char* const* arguments) {
    CommandLine line;
    try {
        line.app.parse(count, arguments);
    } catch (const CLI::CallForVersion&) {
        if (line.app.count("--json") > 0) line.app.get_option("--json")->run_callback();
        return line.version;
    } catch (const CLI::Success& success) {  // --help
        std::ostringstream text, ignored;
        line.app.exit(success, text, ignored);
        return Message{text.str(), 0};
    } catch (const CLI::ParseError& error) {
        return usage_error(line.app, error);
    }
    if (line.app.count("--json") > 0)
        return misuse("--json stands before the command.", "give it behind the command, or with --version");
    if (line.app.got_subcommand("help")) return help(line.app, line.helped);
    for (std::size_t i = 0; i < verbs::all.size(); ++i)
        if (line.app.got_subcommand(verbs::all[i]->name)) return line.commands[i];
    return no_command_given();
}

std::vector<CommandHelp> command_line_help() {
    const CommandLine line;
    std::vector<CommandHelp> all{help_of(line.app, "")};
    for (const CLI::App* command : line.app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) all.push_back(help_of(*command, command->get_name()));
    return all;
}

}  // namespace muster::cli
