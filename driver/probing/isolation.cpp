#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/helper/helper_process.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/driver/platform/signals.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/probing/isolation.hpp>
#include <muster/driver/probing/probe_answer.hpp>

namespace muster::probing {
namespace {

constexpr std::size_t most_answer_bytes = std::size_t{4} << 20;
constexpr const char* check_or_exclude = "check its driver, or exclude it (MUSTER_EXCLUDE)";

bool is_this_program(const std::string& module) {
    std::error_code ignored;
    return std::filesystem::equivalent(module, platform::program_path(), ignored);
}

ProbeResult not_answered(ProbeState state, ErrorCode code, std::string message, std::string fix) {
    return {state, {}, {code, std::move(message), std::move(fix), {}}, {}};
}

ProbeResult timed_out(const std::string& id, std::chrono::nanoseconds budget) {
    return not_answered(ProbeState::timed_out, ErrorCode::timed_out,
                        fmt::format("The probe of {} hasn't answered after {} ms; its process was ended.", id,
                                    std::chrono::duration_cast<std::chrono::milliseconds>(budget).count()),
                        check_or_exclude);
}

ProbeResult unreadable(const std::string& id, const std::string& why) {
    return not_answered(ProbeState::unreadable, ErrorCode::unavailable,
                        fmt::format("The probe of {} answers what can't be read: {}", id, why),
                        "report this to who wrote the backend, or exclude it (MUSTER_EXCLUDE)");
}

/// True for the states that the helper can report about itself.
bool is_own_answer(ProbeState state) {
    switch (state) {
        case ProbeState::answered:
        case ProbeState::factory_failed:
        case ProbeState::failed: return true;
        case ProbeState::timed_out:
        case ProbeState::crashed:
        case ProbeState::unreadable:
        case ProbeState::no_helper:
        case ProbeState::not_isolated: break;
    }
    return false;
}

/// Reads the helper's answer and checks it.
ProbeResult answer(const std::string& id, const helper::HelperRun& run) {
    auto read = read_probe_answer(run.text);
    if (!read) return unreadable(id, read.error().message);
    if (!is_own_answer(read->state)) return unreadable(id, fmt::format("\"{}\".", name(read->state)));
    for (const auto* devices : {&read->devices, &read->on_request})
        if (auto believed = check_device_info(id, *devices); !believed)
            return {ProbeState::failed, {}, std::move(believed).error(), {}};
    return *std::move(read);
}

ProbeResult outcome(const std::string& id, const helper::HelperRun& run, std::chrono::nanoseconds budget) {
    switch (run.end) {
        case helper::HelperRun::End::timed_out: return timed_out(id, budget);
        case helper::HelperRun::End::too_much_output:
            return unreadable(id, fmt::format("more than {} bytes.", most_answer_bytes));
        case helper::HelperRun::End::signalled:
            return not_answered(
                ProbeState::crashed, ErrorCode::unavailable,
                fmt::format("The probe of {} crashed: {}.", id, platform::signal_text(run.status)),
                check_or_exclude);
        case helper::HelperRun::End::exited:
            if (run.status == 0) break;
            return not_answered(
                ProbeState::crashed, ErrorCode::unavailable,
                fmt::format("The probe of {} ended its process, with status {}.", id, run.status),
                check_or_exclude);
        case helper::HelperRun::End::unknown: break;
    }
    return answer(id, run);
}

}  // namespace

ProbeResult Isolation::probe(const std::string& id, const std::string& module,
                             std::chrono::nanoseconds budget) const {
    const auto start = std::chrono::steady_clock::now();
    ProbeResult result = [&] {
        if (module.empty() || is_this_program(module))
            return not_answered(
                ProbeState::not_isolated, ErrorCode::refused,
                fmt::format("{} is part of this program: no other process can load it to probe it.", id),
                "link it as a shared library or load it as a plugin, or leave MUSTER_PROBE unset");
        if (!helper_)
            return not_answered(ProbeState::no_helper, helper_.error().code,
                                fmt::format("{} isn't probed: {}", id, helper_.error().message),
                                helper_.error().fix + ", or leave MUSTER_PROBE unset");
        return try_in_helper(id, module, budget);
    }();
    result.took = std::chrono::steady_clock::now() - start;
    return result;
}

ProbeResult Isolation::try_in_helper(const std::string& id, const std::string& module,
                                     std::chrono::nanoseconds budget) const {
    const auto run = helper::run_helper(std::vector<std::string>{*helper_, module, id},
                                        {.deadline = deadline_after(budget)}, most_answer_bytes);
    if (!run)
        return not_answered(ProbeState::no_helper, run.error().code,
                            fmt::format("{} isn't probed: {}", id, run.error().message),
                            "install muster-probe of the same build, or leave MUSTER_PROBE unset");
    return outcome(id, *run, budget);
}

DeviceCheck Isolation::check(const std::string& id, const std::string& module, const DeviceInfo& device,
                             std::chrono::nanoseconds budget) const {
    const std::string name = device_id(id, device);
    if (!helper_) return {.not_done = fmt::format("{} isn't checked: {}", name, helper_.error().message)};
    const auto run = helper::run_helper(
        std::vector<std::string>{*helper_, helper_check_option, module, id, std::to_string(device.ordinal)},
        {.deadline = deadline_after(budget)}, most_answer_bytes);
    if (!run) return {.not_done = fmt::format("{} isn't checked: {}", name, run.error().message)};
    switch (run->end) {
        case helper::HelperRun::End::timed_out:
            return {.failure =
                        fmt::format("The check of {} hasn't ended after {} ms; its process was ended.", name,
                                    std::chrono::duration_cast<std::chrono::milliseconds>(budget).count())};
        case helper::HelperRun::End::signalled:
            return {.failure = fmt::format("The check of {} crashed: {}.", name,
                                           platform::signal_text(run->status))};
        case helper::HelperRun::End::exited:
            if (run->status == 0) break;
            return {.failure =
                        fmt::format("The check of {} ended its process, with status {}.", name, run->status)};
        case helper::HelperRun::End::too_much_output:
        case helper::HelperRun::End::unknown: break;
    }
    auto check = read_device_check(run->text);
    if (!check)
        return {.failure = fmt::format("The check of {} answers what can't be read: {}", name,
                                       check.error().message)};
    return *std::move(check);
}

std::shared_ptr<const Isolation> environment_isolation() {
    if (const auto probing = environment_probing(); probing && *probing == Probing::in_process)
        return nullptr;
    return std::make_shared<const Isolation>(helper::find_probe_helper());
}

}  // namespace muster::probing
