// helper_process.hpp - runs a program and reads what it writes to its file descriptor 3, within a limit of
// time.
//
// It is waited for (driver/platform/process.hpp says how it runs), and killed when its limit is reached. How it ended is returned as a
// value. Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <muster/driver/support/work_limit.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::helper {
MUSTER_API_BEGIN

struct HelperRun {
    enum class End {
        exited,           // by itself; `status` is its exit status
        signalled,        // ended by a signal; `status` is the signal
        timed_out,        // exceeded its limit, and was killed
        too_much_output,  // wrote more than `most_bytes`, and was killed
        unknown,  // its status was lost: this process ignores SIGCHLD, or other code waits for any child
    } end = End::exited;
    int status = 0;
    std::string text;
};

/// The path of muster-probe: installed with libmuster as lib/muster/muster-probe, else beside the executable.
/// Errors: not_found; refused (others may change the one that is there).
Result<std::string> find_probe_helper();

/// Runs a program. `command`: its path, then its arguments. `input`: its standard input. `most_bytes`: the
/// limit of what it may write. Errors: unavailable (it can't be started).
Result<HelperRun> run_helper(std::span<const std::string> command, const WorkLimit& limit,
                             std::size_t most_bytes, std::string_view input = {});

/// The exit status of a helper that has run out of memory.
inline constexpr int helper_out_of_memory = 112;
/// The exit status of a helper that can't open the library or finds no such function in it.
inline constexpr int helper_opens_nothing = 113;

MUSTER_API_END
}  // namespace muster::helper
