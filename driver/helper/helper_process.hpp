// helper_process.hpp - runs a program and reads what it writes to its file descriptor 3, within a time budget.
//
// The program is started with posix_spawn, not a fork: nothing of this process runs in it. It has this process's
// environment, no standard input but what it is given, no standard output (its libraries may print there), and none of its open files. It is
// waited for, and killed when its budget ends. Whatever becomes of it is a value. Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster {

struct HelperRun {
    enum class End {
        exited,     // by itself; status is what it gave to exit()
        signalled,  // status is the signal
        overran,    // and was killed
        babbled,    // wrote more than it may, and was killed
        unknown,  // somebody else in this process took its status (SIGCHLD ignored, a waitpid for any child)
    } end = End::exited;
    int status = 0;
    std::string text;
};

/// muster-probe, installed beside libmuster as lib/muster/muster-probe, else beside the executable. Empty: neither.
std::string find_probe_helper();

/// `command`: the program's path, then its arguments. `input`: its standard input. Errors: unavailable (it can't be started).
Result<HelperRun> run_helper(std::span<const std::string> command, std::chrono::nanoseconds budget,
                             std::size_t most_bytes, std::string_view input = {});

/// The exit status of a helper that has run out of memory.
inline constexpr int helper_out_of_memory = 112;
/// That of one that can't open the library that it is to call.
inline constexpr int helper_opens_nothing = 113;

}  // namespace muster
