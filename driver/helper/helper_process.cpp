#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <muster/driver/helper/helper_process.hpp>
#include <muster/driver/platform/clock.hpp>
#include <muster/driver/platform/may_run.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/driver/platform/process.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::helper {

Result<std::string> find_probe_helper() {
    std::error_code ignored;
    std::optional<Error> refused;
    const auto beside = [&](const std::string& file) {
        return std::filesystem::canonical(file, ignored).parent_path();
    };
    for (const std::filesystem::path& place : {beside(platform::driver_module()) / "muster" / "muster-probe",
                                               beside(platform::program_path()) / "muster-probe"}) {
        if (!std::filesystem::is_regular_file(place, ignored)) continue;
        // What is judged is what is started: a link may change at any time.
        const std::string file = std::filesystem::canonical(place, ignored).string();
        auto why = platform::passed_over(file);
        if (!why) return file;
        if (!refused) refused = std::move(why);
    }
    if (refused) return std::unexpected(*std::move(refused));
    return fail(ErrorCode::not_found, "muster-probe isn't installed.",
                "install muster-probe beside libmuster, as muster/muster-probe");
}

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds poll_interval(10);
constexpr milliseconds until_killed(1000);

/// A running program, read until it ends or is killed.
class Helper {
  public:
    Helper(platform::ChildProcess process, std::size_t most_bytes)
        : process_(std::move(process)), most_bytes_(most_bytes) {}

    HelperRun wait(const WorkLimit& limit) {
        while (!has_ended()) {
            if (run_.text.size() > most_bytes_) return kill_for(HelperRun::End::too_much_output);
            const auto left = limit.deadline - Clock::now();
            const auto used = platform::processor_time_of_process(process_.id());
            if (left <= Clock::duration::zero() || used > limit.processor_time)
                return kill_for(HelperRun::End::timed_out);
            process_.wait_for_text(std::min(std::chrono::ceil<milliseconds>(left), poll_interval));
            process_.read_into(run_.text, most_bytes_);
        }
        process_.read_into(run_.text, most_bytes_);  // what it wrote before it ended
        if (run_.text.size() > most_bytes_) run_.end = HelperRun::End::too_much_output;
        return std::move(run_);
    }

  private:
    bool has_ended() {
        switch (process_.state(run_.status)) {
            case platform::ChildProcess::State::running: return false;
            case platform::ChildProcess::State::exited: run_.end = HelperRun::End::exited; break;
            case platform::ChildProcess::State::signalled: run_.end = HelperRun::End::signalled; break;
            case platform::ChildProcess::State::unknown: run_.end = HelperRun::End::unknown; break;
        }
        return true;
    }

    /// Kills the program. One that doesn't end then is left behind.
    HelperRun kill_for(HelperRun::End end) {
        process_.kill();
        for (const auto deadline = Clock::now() + until_killed; !has_ended() && Clock::now() < deadline;)
            std::this_thread::sleep_for(milliseconds(1));
        run_.end = end;
        return std::move(run_);
    }

    platform::ChildProcess process_;
    std::size_t most_bytes_;
    HelperRun run_;
};

}  // namespace

Result<HelperRun> run_helper(std::span<const std::string> command, const WorkLimit& limit,
                             std::size_t most_bytes, std::string_view input) {
    return Helper(TRY(platform::ChildProcess::start(command, input)), most_bytes).wait(limit);
}

}  // namespace muster::helper
