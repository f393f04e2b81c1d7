// verb.hpp - the tool's commands. Each is a row, in a file of its own: its name, what --help says of it, its
// options, and what runs. Parsing, --help, the manual and the shells' completions are made of the rows.
//
//     struct CacheArguments { std::string action; bool json = false; };
//     void declare(Options& options, CacheArguments& to) { options.argument(to.action, "ACTION", "list, size or clear"); }
//     Attempt<Exit> perform(const CacheArguments& arguments) { ... }
//     const Verb verbs::cache{"cache", "Show or clear what is kept on disk", command<CacheArguments, declare, perform>};
//
// A row whose name isn't in `verbs` doesn't compile, a name without a row doesn't link, and a test compares
// `all` with the rows of this folder (tests/cli/verbs_test.cpp).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <type_traits>

#include <muster/cli/command/options.hpp>
#include <muster/cli/support/exit.hpp>

namespace muster::cli {

/// A command with its arguments, which parsing fills.
struct Command {
    /// Prints to standard output; main() prints a Failure.
    std::function<Attempt<Exit>()> run;
    /// True if standard output is to be JSON, which errors then are, too.
    std::function<bool()> prints_json;
};

struct Verb {
    const char* name;
    const char* summary;
    Command (*declare)(Options& options);
    bool is_hidden = false;  // from --help
};

/// True if --json is given: as a flag, or with "-" as its file.
template <class Arguments>
bool prints_json(const Arguments& arguments) {
    if constexpr (!requires { arguments.json; })
        return false;
    else if constexpr (std::is_same_v<decltype(arguments.json), bool>)
        return arguments.json;
    else
        return arguments.json == "-";
}

/// What a row declares: the options that fill its arguments, and what runs with them.
template <class Arguments, void (*declare)(Options&, Arguments&), Attempt<Exit> (*perform)(const Arguments&)>
Command command(Options& options) {
    const auto arguments = std::make_shared<Arguments>();
    declare(options, *arguments);
    return {[arguments] { return perform(*arguments); }, [arguments] { return prints_json(*arguments); }};
}

namespace verbs {

extern const Verb backends, route, run, pipeline, emit, inspect, check, bench, cache, sanitize, quantize,
    trace, new_backend, complete;

/// `muster --version`: its options stand before any command.
extern const Verb version;

/// In the order of --help.
inline constexpr std::array all{&backends, &route, &run,   &pipeline, &emit,     &inspect,     &check,
                                &bench,    &trace, &cache, &sanitize, &quantize, &new_backend, &complete};

}  // namespace verbs

}  // namespace muster::cli
