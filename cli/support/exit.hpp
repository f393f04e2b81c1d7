// exit.hpp - the tool's exit codes, and errors that carry one.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include <muster/foundation/base/result.hpp>

namespace muster::cli {

enum class Exit : int {
    done = 0,
    usage = 2,          // the command line is wrong, or a file that it names can't be read or doesn't fit
    bad_program = 3,    // the program's text is wrong
    refused = 4,        // no backend accepts the program
    failed = 5,         // compiling, running or writing failed
    only_emission = 6,  // nothing here can run it, but code for it can be emitted
    check_failed =
        7,  // a device doesn't pass `muster check`, a known gap no longer fails, or `muster bench` finds a wrong result
    findings = 8,  // `muster sanitize` has found something
};

struct Failure {
    Exit exit = Exit::failed;
    Error error;
};

template <class T>
using Attempt = std::expected<T, Failure>;

/// The exit code of an error that arises once the command line and the program are known to be good.
Exit exit_of(ErrorCode code);

/// A command line that is wrong, and how to mend it.
std::unexpected<Failure> misused(std::string what, std::string fix = {});
/// The same if `option` asks for standard output, which --json uses.
std::unexpected<Failure> taken_by_json(const std::string& option);

/// Prints to standard error; a failure to print is ignored, since the exit code still tells the outcome.
/// Characters that aren't printable text (in names from files and the environment) are shown as escapes.
/// Allocates nothing, as the next two.
void complain(std::string_view text);
/// Prints the error as Error::to_string() has it, and a line break.
void complain(const Error& error);
/// Prints that no memory is left.
void complain_of_memory();
/// Prints to standard output in the same way; main() checks whether it could be written.
void say(std::string_view text);

/// Attaches an exit code to a result's error; without one, that of the error's code.
template <class T>
Attempt<T> step(Exit exit, Result<T>&& result) {
    if (!result) return std::unexpected(Failure{exit, std::move(result).error()});
    if constexpr (std::is_void_v<T>)
        return {};
    else
        return *std::move(result);
}
template <class T>
Attempt<T> step(Result<T>&& result) {
    const Exit exit = result ? Exit::done : exit_of(result.error().code);
    return step(exit, std::move(result));
}

}  // namespace muster::cli
