#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/helper/helper_call.hpp>
#include <muster/driver/helper/helper_process.hpp>
#include <muster/driver/platform/signals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

constexpr std::size_t most_answer_bytes = std::size_t{1} << 30;
constexpr const char* in_this_process = "or leave MUSTER_PROBE unset, which does it in this process";

std::unexpected<Error> ended(const HelperCall& call, const std::string& how) {
    return fail(ErrorCode::compile_failed,
                fmt::format("{} ended the helper process in which it ran: {}.", call.what, how),
                "make the program smaller, or choose another backend; report this with the program");
}

}  // namespace

Result<std::string> call_in_helper(const HelperCall& call, std::string_view request) {
    const auto helper = helper::find_probe_helper();
    if (!helper)
        return fail(
            ErrorCode::unavailable,
            fmt::format("{} has no process of its own to run in: {}", call.what, helper.error().message),
            fmt::format("{}, {}", helper.error().fix, in_this_process));
    helper::HelperRun run = TRY(
        helper::run_helper(std::vector<std::string>{*helper, helper_call_option, call.file, call.function},
                           call.limit, most_answer_bytes, request));
    switch (run.end) {
        case helper::HelperRun::End::timed_out:
            return fail(ErrorCode::compile_timed_out,
                        fmt::format("{} hasn't ended in time, and its process was ended.", call.what));
        case helper::HelperRun::End::too_much_output:
            return ended(call, fmt::format("it wrote over {} bytes", most_answer_bytes));
        case helper::HelperRun::End::signalled: return ended(call, platform::signal_text(run.status));
        case helper::HelperRun::End::unknown:
        case helper::HelperRun::End::exited: break;
    }
    if (run.status == helper::helper_out_of_memory)
        return fail(
            ErrorCode::out_of_memory,
            fmt::format("{} has no memory left; the helper process in which it ran has ended.", call.what),
            "make the program smaller, or let processes have more memory (ulimit -v, or the limit of the "
            "service or batch job)");
    if (run.status == helper::helper_opens_nothing)
        return fail(
            ErrorCode::unavailable,
            fmt::format("{} can't be opened in a helper process; standard error shows what is missing.",
                        call.what),
            fmt::format("install what it needs, and let processes have the memory for it, {}",
                        in_this_process));
    if (run.status != 0) return ended(call, fmt::format("it exited with status {}", run.status));
    return std::move(run.text);
}

}  // namespace muster
