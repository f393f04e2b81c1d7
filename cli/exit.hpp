// exit.hpp - how the tool ends: its exit codes, and errors that know theirs.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include <muster/foundation/base/result.hpp>

namespace muster::cli {

enum class Exit : int {
    done = 0,
    usage = 2,          // the command line is wrong, or a file that it names can't be read or doesn't fit
    bad_program = 3,    // the program's text is wrong
    refused = 4,        // no backend takes it
    failed = 5,         // compiling, running or writing failed
    only_emission = 6,  // nothing here can run it; there is code to ship
};

struct Failure {
    Exit exit = Exit::failed;
    Error error;
};

template <class T>
using Attempt = std::expected<T, Failure>;

/// The exit code of an error that arises once the command line and the program are known to be good.
Exit exit_of(ErrorCode code);

/// `option` asks for standard output, which --json has.
Failure taken_by_json(const std::string& option);

/// To standard error; where that can't be written, nowhere: the exit code still says what happened. What lines of it aren't
/// printable text (names from files and the environment) is shown as escapes.
void complain(std::string_view text);
/// To standard output, likewise; main() finds out whether it arrived.
void say(std::string_view text);

/// A step's result, its error given an exit code.
template <class T>
Attempt<T> step(Exit exit, Result<T> result) {
    if (!result) return std::unexpected(Failure{exit, std::move(result).error()});
    if constexpr (std::is_void_v<T>) {
        return {};
    } else {
        return *std::move(result);
    }
}
template <class T>
Attempt<T> step(Result<T> result) {
    const Exit exit = result ? Exit::done : exit_of(result.error().code);
    return step(exit, std::move(result));
}

}  // namespace muster::cli
