#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/pages/completions.hpp>
#include <muster/cli/support/text.hpp>

namespace muster::cli {
namespace {

/// The kinds of value that `muster complete` lists.
constexpr std::array<std::string_view, 8> asked{"ID",        "TAG",  "FORMAT", "TARGET",
                                                "KEY=VALUE", "KIND", "GLOB",   "KERNEL"};
/// Those that are a file's name, or have one behind their "=".
constexpr std::array<std::string_view, 4> files{"FILE", "PROGRAM", "NAME=FILE", "NAME=SPEC"};

bool has(std::span<const std::string_view> kinds, std::string_view kind) {
    return std::ranges::find(kinds, kind) != kinds.end();
}

/// The names of the commands, separated by spaces.
std::string names_of(std::span<const CommandHelp> commands) {
    std::vector<std::string> names;
    for (const CommandHelp& command : commands.subspan(1)) names.push_back(command.name);
    return fmt::format("{}", fmt::join(names, " "));
}

constexpr std::string_view bash_functions = R"~(
# Fills COMPREPLY with the values of a kind that begin with TEXT, each behind PREFIX.
_muster_values() {  # KIND PREFIX TEXT
    local kind=$1 prefix=$2 text=$3
    case $kind in
        NAME=FILE | NAME=SPEC)
            [[ $text == *=* ]] || return
            prefix+=${text%%=*}= text=${text#*=}
            ;;
        ID | TAG)  # several, separated by commas
            prefix+=${text%"${text##*,}"} text=${text##*,}
            ;;
    esac
    local -a found=()
    case $kind in
        FILE | NAME=FILE | NAME=SPEC) mapfile -t found < <(compgen -f -- "$text") ;;
        PROGRAM | GLOB) mapfile -t found < <(compgen -d -- "$text"; compgen -f -X '!*.wgsl' -- "$text") ;;
        COMMAND) mapfile -t found < <(compgen -W "$_muster_commands" -- "$text") ;;
    esac
    [ ${#found[@]} -eq 0 ] || compopt -o filenames 2>/dev/null
    case $kind in
        NAME=SPEC) mapfile -t -O ${#found[@]} found < <(compgen -W 'zeros: random: iota: like: extent:' -- "$text") ;;
        @ASKED@)
            mapfile -t -O ${#found[@]} found < <(compgen -W "$("$tool" complete "$kind" 2>/dev/null)" -- "$text") ;;
    esac
    COMPREPLY=("${found[@]/#/$prefix}")
    [[ ${#found[@]} -ne 1 || ${found[0]} != *[=:] ]] || compopt -o nospace 2>/dev/null
}

_muster() {
    local line=${COMP_LINE:0:COMP_POINT} tool=${COMP_WORDS[0]/#\~/$HOME}
    local command= previous= options= kind= word
    local -a words
    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=('')
    local current=${words[-1]}
    for word in "${words[@]:1:${#words[@]}-2}"; do
        [[ -n $command || $word == -* ]] || command=$word
        previous=$word
    done
    COMPREPLY=()
    if [[ $current == --*=* ]]; then
        _muster_option "$command" "${current%%=*}"
        _muster_values "$kind" "${current%%=*}=" "${current#*=}"
    elif [[ $previous == -* ]] && _muster_option "$command" "$previous" && [ -n "$kind" ]; then
        _muster_values "$kind" '' "$current"
    elif [[ $current == -* ]]; then
        _muster_option "$command" ''
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [ -z "$command" ]; then
        _muster_values COMMAND '' "$current"
    else
        _muster_option "$command" ''
        _muster_values "$kind" '' "$current"
    fi
    # Readline takes a word to begin behind the last of these.
    local end head strip=
    for end in = :; do
        [[ $COMP_WORDBREAKS == *$end* && $current == *$end* ]] || continue
        head=${current%"$end"*}$end
        [ ${#head} -le ${#strip} ] || strip=$head
    done
    COMPREPLY=("${COMPREPLY[@]#"$strip"}")
}
complete -F _muster muster
)~";

constexpr std::string_view zsh_functions = R"~(
# Completes a value of this kind.
_muster_value() {  # KIND
  case $1 in
    FILE) _files ;;
    PROGRAM) _files -g '*.wgsl' ;;
    NAME=FILE) compset -P '*=' && _files ;;
    NAME=SPEC)
      compset -P '*=' || return
      compset -P '*:' || compadd -S '' -- zeros: random: iota: like: extent:
      _files
      ;;
    COMMAND) compadd -- @COMMANDS@ ;;
    ID|TAG) compset -P '*,'; compadd -- ${(f)"$($tool complete $1 2>/dev/null)"} ;;
    KEY=VALUE) compadd -S '' -- ${(f)"$($tool complete $1 2>/dev/null)"} ;;
    @ASKED@) compadd -- ${(f)"$($tool complete $1 2>/dev/null)"} ;;
  esac
}
)~";

constexpr std::string_view fish_functions = R"~(
function __muster_values
    set -l tool (commandline -opc)[1]
    $tool complete $argv[1] 2>/dev/null
end
)~";

std::string with_kinds(std::string_view functions) {
    return replaced(std::string(functions), "@ASKED@", fmt::format("{}", fmt::join(asked, "|")));
}

/// A description within '...[ ]' of zsh's _arguments.
std::string zsh_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out;
}

/// A blank in front of the function keeps _arguments from giving it arguments of its own.
std::string zsh_option(const OptionHelp& option) {
    if (option.names.empty()) return fmt::format("'1:{}: _muster_value {}'", option.value, option.value);
    const std::string value = option.value.empty()
                                  ? std::string()
                                  : fmt::format(":{}: _muster_value {}", option.value, option.value);
    const std::string text = fmt::format("'[{}]{}'", zsh_text(option.text), value);
    std::vector<std::string> names;
    for (const std::string& name : option.names)
        names.push_back(name + (option.value.empty() ? "" : name.starts_with("--") ? "=" : "+"));
    const std::string others = option.repeats ? "'*'" : fmt::format("'({})'", fmt::join(option.names, " "));
    if (names.size() == 1) return others + names.front() + text;
    return fmt::format("{}{{{}}}{}", others, fmt::join(names, ","), text);
}

std::string zsh_arguments(const CommandHelp& command, std::string_view indent) {
    std::string text;
    for (const OptionHelp& option : command.options)
        text += fmt::format(" \\\n{}{}", indent, zsh_option(option));
    return text;
}

std::string fish_text(const std::string& text) { return replaced(replaced(text, "\\", "\\\\"), "'", "\\'"); }

std::string fish_option(const std::string& condition, const OptionHelp& option) {
    std::string line = fmt::format("complete -c muster -n {}", condition);
    for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (has(files, option.value))
        line += option.names.empty() ? " -F" : " -r -F";
    else if (has(asked, option.value))
        line += fmt::format(" -x -a '(__muster_values {})'", option.value);
    else if (!option.value.empty() && !option.names.empty())
        line += " -x";
    return line + fmt::format(" -d '{}'\n", fish_text(option.text));
}

}  // namespace

std::string bash_completion(std::span<const CommandHelp> commands) {
    std::string text = "# Completion of muster's command line for bash, made from its options.\n\n";
    text += fmt::format("_muster_commands='{}'\n\n", names_of(commands));
    text +=
        "# Sets `options` to the command's options, and `kind` to the kind of value of OPTION; '': of its "
        "argument.\n"
        "_muster_option() {  # COMMAND OPTION\n    options= kind=\n    case $1 in\n";
    std::string kinds;
    for (const CommandHelp& command : commands) {
        std::vector<std::string> names;
        for (const OptionHelp& option : command.options) {
            names.insert(names.end(), option.names.begin(), option.names.end());
            if (option.value.empty()) continue;
            std::vector<std::string> patterns;
            for (const std::string& name : option.names) patterns.push_back(command.name + ":" + name);
            if (patterns.empty()) patterns.push_back(command.name + ":");
            kinds += fmt::format("        {}) kind='{}' ;;\n", fmt::join(patterns, " | "), option.value);
        }
        text += fmt::format("        '{}') options='{}' ;;\n", command.name, fmt::join(names, " "));
    }
    text += "    esac\n    case $1:$2 in\n" + kinds + "    esac\n}\n";
    return text + with_kinds(bash_functions);
}

std::string zsh_completion(std::span<const CommandHelp> commands) {
    std::string text =
        "#compdef muster\n# Completion of muster's command line for zsh, made from its options.\n";
    text += replaced(with_kinds(zsh_functions), "@COMMANDS@", names_of(commands));
    text += "\n_muster() {\n  local tool=$words[1] context state state_descr line\n  local -a commands=(\n";
    for (const CommandHelp& command : commands.subspan(1))
        text += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.text));
    text += "  )\n  typeset -A opt_args\n  _arguments -C" + zsh_arguments(commands.front(), "    ");
    text += " \\\n    '1: :->command' \\\n    '*:: :->rest'\n  case $state in\n";
    text += "    command) _describe command commands ;;\n    rest)\n      case $words[1] in\n";
    for (const CommandHelp& command : commands.subspan(1))
        text += fmt::format("        {})\n          _arguments{} ;;\n", command.name,
                            zsh_arguments(command, "            "));
    return text + "      esac ;;\n  esac\n}\n\n_muster \"$@\"\n";
}

std::string fish_completion(std::span<const CommandHelp> commands) {
    std::string text = "# Completion of muster's command line for fish, made from its options.\n";
    text += std::string(fish_functions) + "\ncomplete -c muster -f\n";
    for (const OptionHelp& option : commands.front().options)
        text += fish_option("__fish_use_subcommand", option);
    for (const CommandHelp& command : commands.subspan(1)) {
        text += fmt::format("\ncomplete -c muster -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                            fish_text(command.text));
        const std::string condition = fmt::format("'__fish_seen_subcommand_from {}'", command.name);
        for (const OptionHelp& option : command.options) text += fish_option(condition, option);
    }
    return text;
}

}  // namespace muster::cli
