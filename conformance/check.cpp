#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <muster/conformance/check.hpp>
#include <muster/conformance/deviations.hpp>
#include <muster/conformance/smallest.hpp>
#include <muster/driver/routing/candidate.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// A listener whose members may be empty.
class Told {
  public:
    explicit Told(const Listener& listener) : listener_(listener) {}
    void begins(const Step& step) const {
        if (listener_.begins) listener_.begins(step);
    }
    void ended(const std::string& device, const CaseResult& result) const {
        if (listener_.ended) listener_.ended(device, result);
    }
    bool stops() const { return listener_.stops && listener_.stops(); }

  private:
    const Listener& listener_;
};

/// A case with its program and what the interpreter gives.
struct Prepared {
    Case test;
    ValidProgram program;
    Outputs expected;
};

Result<std::vector<Prepared>> prepared(const std::vector<Case>& cases, const Told& told) {
    std::vector<Prepared> all;
    for (const Case& test : cases) {
        if (told.stops()) return all;
        told.begins({"interpreter", test.name, all.size(), cases.size()});
        ValidProgram program = TRY(test.program());
        Outputs expected = TRY(during("interpreting " + test.name, run_interpreted(test, program, 99)));
        all.push_back({test, std::move(program), std::move(expected)});
    }
    return all;
}

/// The devices that the session allows. Errors: refused, if there is none, or none of a backend
/// or device that it names.
Result<std::vector<Candidate>> devices_of(Session& session, const ValidProgram& any) {
    const Policy& policy = session.policy();
    std::vector<Candidate> all = candidates(session.fleet(), policy);
    Policy one = policy;
    for (const std::string& named : policy.backends.value_or(std::vector<std::string>{})) {
        one.backends = {{named}};
        if (candidates(session.fleet(), one).empty())
            return fail(ErrorCode::refused, fmt::format("\"{}\" has no device to check.\n{}", named,
                                                        session.explain(any).explain()));
    }
    if (all.empty())
        return fail(ErrorCode::refused, "There is no device to check.\n" + session.explain(any).explain());
    return all;
}

/// The results that the device should give. Those of operations of subgroups depend on the subgroups' size.
Result<Outputs> expected_of(const Prepared& one, const DeviceInfo& device) {
    if (!one.program->needs().subgroups || device.subgroup_sizes.most == 0) return one.expected;
    return TRY(run_interpreted(one.test, one.program,
                               InterpretOptions{.seed = 99, .subgroup_size = device.subgroup_size}))
        .outputs;
}

/// Tells what a trial means, given the known gaps.
CaseResult judged(const Trial& trial, const Prepared& one, const Candidate& device,
                  const std::vector<Gap>& gaps) {
    CaseResult result{
        .name = one.test.name, .shows = one.test.shows, .fault = trial.fault, .text = trial.text};
    std::vector<const Gap*> listed;
    for (const Gap& gap : gaps)
        if (concerns(gap, one.test, device.backend, device.device)) listed.push_back(&gap);
    const auto fits = [&](const Gap* gap) { return trial.text.contains(gap->text); };
    const auto fitting = std::ranges::find_if(listed, fits);
    const bool failed = trial.fault != Fault::none && !trial.beyond_limits;
    result.outcome = failed                ? CaseOutcome::failed
                     : trial.beyond_limits ? CaseOutcome::beyond_limits
                                           : CaseOutcome::passed;
    const Gap* gap = nullptr;
    if (failed && fitting != listed.end()) {
        result.outcome = CaseOutcome::known_gap;
        gap = *fitting;
    } else if (!failed && !listed.empty() && !trial.beyond_limits) {
        result.outcome = CaseOutcome::closed_gap;
        gap = listed.front();
    }
    if (gap != nullptr) {
        result.reason = gap->reason;
        result.where = gap->where;
    }
    return result;
}

DeviceReport checked(const Options& options, const Candidate& device, const std::vector<Prepared>& cases,
                     const Told& told) {
    const Clock::time_point start = Clock::now();
    Trials trials(options.session, device.id(), device.device, options.timeout);
    DeviceReport report{.id = device.id(), .backend = device.backend, .info = device.device};
    std::chrono::nanoseconds left = options.reduction;
    for (const Prepared& one : cases) {
        if (told.stops()) break;
        told.begins({report.id, one.test.name, report.cases.size(), cases.size()});
        const Clock::time_point begin = Clock::now();
        const auto expected = expected_of(one, device.device);
        const Trial trial =
            expected ? trials.compare(one.test, one.program, *expected)
                     : Trial{Fault::error, expected.error().code, false, expected.error().to_string()};
        const Clock::time_point end = Clock::now();
        CaseResult& result = report.cases.emplace_back(judged(trial, one, device, options.gaps));
        result.took = end - begin;
        told.ended(report.id, result);
        if (result.outcome != CaseOutcome::failed || left <= std::chrono::nanoseconds(0) || told.stops())
            continue;
        told.begins({report.id, "reducing " + one.test.name, report.cases.size(), cases.size()});
        // A third of what is left, so that several failures get a share.
        SmallKernel small = smallest_kernel(trials, one.test, trial, end + left / 3);
        result.kernel = std::move(small.text);
        result.text_of_kernel = std::move(small.fault);
        left -= Clock::now() - end;
    }
    if (options.deviations && !told.stops()) {
        told.begins({report.id, "measuring arithmetic", cases.size(), cases.size()});
        report.deviations = measure_deviations(trials);
    }
    report.took = Clock::now() - start;
    return report;
}

}  // namespace

Result<Report> check(const Options& options, const Listener& listener) {
    const Told told(listener);
    TRY(check_gaps(options.gaps));
    Session session = TRY(Session::open(options.session));
    const std::vector<Case> all = options.cases.empty() ? TRY(load_cases()) : options.cases;
    const std::vector<Prepared> cases = TRY(prepared(all, told));
    Report report;
    if (cases.size() < all.size()) {  // ended before any device was looked at
        report.left_out = all.size();
        return report;
    }
    for (const Candidate& device : TRY(devices_of(session, cases.front().program))) {
        report.devices.push_back(checked(options, device, cases, told));
        report.left_out += cases.size() - report.devices.back().cases.size();
    }
    return report;
}

}  // namespace muster::conformance
