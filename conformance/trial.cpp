#include <algorithm>
#include <future>
#include <thread>

#include <fmt/format.h>

#include <muster/conformance/trial.hpp>
#include <muster/driver/helper/last_words.hpp>
#include <muster/driver/platform/signals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::conformance {
namespace {

/// The time that a run gets beyond its own limit to end by itself: to abandon its
/// work, and to give its error.
constexpr std::chrono::nanoseconds grace = std::chrono::seconds(1);

std::unexpected<Error> overrun(std::chrono::nanoseconds timeout) {
    return fail(ErrorCode::timed_out,
                fmt::format("It didn't end within {} s.", std::chrono::duration<double>(timeout).count()));
}

/// The record of a device in a route that doesn't execute; null if the route doesn't list it.
const CandidateRecord* record_of(const Route& route, const std::string& device) {
    const auto& candidates = route.decision().candidates;
    const auto found = std::ranges::find(candidates, device, &CandidateRecord::id);
    return found == candidates.end() ? nullptr : &*found;
}

}  // namespace

Trials::Trials(const SessionOptions& options, std::string device, const DeviceInfo& info,
               std::chrono::nanoseconds timeout)
    : options_(options), device_(std::move(device)), info_(info), timeout_(timeout) {
    options_.policy = {.backends = {{device_}},
                       .inexact_ok = true,
                       .compile_budget = timeout,
                       .check_devices = false,
                       .optimize = options.policy.optimize.value_or(Optimize::first)};
    options_.use_environment = false;
    options_.close_timeout = std::chrono::milliseconds(100);
}

Result<Session> Trials::session() {
    if (!session_) session_ = TRY(Session::open(options_));
    return *session_;
}

Result<Outputs> Trials::run(const Case& test, const ValidProgram& program, const CompileOptions& options) {
    const Session here = TRY(session());
    // Copies, because the thread may be left behind.
    std::packaged_task<Result<Outputs>()> work(
        [session = here, test, program, run = RunOptions{options, timeout_}, device = device_]() mutable {
            const platform::HandlerStack stack;
            const helper::LastWords words(fmt::format("running the case {} on {}", test.name, device),
                                          "mend the backend; --case checks the other cases alone");
            return run_in(session, test, program, run);
        });
    std::future<Result<Outputs>> ended = work.get_future();
    std::thread thread(std::move(work));
    if (ended.wait_for(timeout_ + grace) != std::future_status::ready) {
        thread.detach();
        session_.reset();
        return overrun(timeout_);
    }
    thread.join();
    Result<Outputs> outputs = ended.get();
    if (outputs) return outputs;
    session_.reset();  // an error may be the device's, and stay: the next run gets a new one
    const ErrorCode code = outputs.error().code;
    if (code == ErrorCode::timed_out || code == ErrorCode::compile_timed_out) return overrun(timeout_);
    return outputs;
}

Trial Trials::compare(const Case& test, const ValidProgram& program, const Outputs& expected) {
    auto here = session();
    if (!here) return {Fault::error, here.error().code, false, here.error().to_string()};
    const Route route = here->route(program);
    if (route.execute() == nullptr) {
        const CandidateRecord* const record = record_of(route, device_);
        const bool lacks_subgroups = program->needs().subgroups && info_.subgroup_sizes.most == 0;
        const bool asks_too_much = record != nullptr && (record->reason == Reason::limit_exceeded ||
                                                         record->reason == Reason::type_missing);
        return {Fault::refused, ErrorCode::refused, lacks_subgroups || asks_too_much,
                record != nullptr ? record->message : route.explain()};
    }
    const auto actual = run(test, program);
    if (!actual) {
        const bool late = actual.error().code == ErrorCode::timed_out;
        return {late ? Fault::timed_out : Fault::error, actual.error().code, false,
                actual.error().to_string()};
    }
    const std::string wrong =
        first_difference(*program, expected, *actual, info_.exactness.subnormals == Promise::no);
    return {wrong.empty() ? Fault::none : Fault::wrong_result, ErrorCode::internal, false, wrong};
}

}  // namespace muster::conformance
