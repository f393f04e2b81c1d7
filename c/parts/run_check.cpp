#include <muster/c/parts/run_check.hpp>
#include <muster/conformance/check.hpp>
#include <muster/conformance/report_json.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::c {
namespace {

using namespace conformance;

/// Tells of each step, and remembers that it shall stop.
struct Told {
    const CheckRequest& request;
    bool is_stopped = false;
    std::uint64_t done = 0, total = 0;

    void tell(const CheckStep& step) { is_stopped = is_stopped || (request.stops && request.stops(step)); }
};

}  // namespace

Result<CheckResult> run_check(const CheckRequest& request) {
    Options options{
        .session = request.session, .reduction = request.reduction, .deviations = request.deviations};
    if (request.timeout.count() > 0) options.timeout = request.timeout;
    if (!request.cases.empty()) options.cases = TRY(select_cases(request.cases));
    options.gaps = TRY(parse_gaps(request.gaps, "gaps"));
    Told told{request};
    const Listener listener{
        .begins =
            [&](const Step& step) {
                told.done = step.done;
                told.total = step.total;
                told.tell({step.device, step.name, {}, step.done, step.total});
            },
        .ended =
            [&](const std::string& device, const CaseResult& result) {
                told.tell({device, result.name, name(result.outcome), told.done + 1, told.total});
            },
        .stops = [&] { return told.is_stopped; }};
    const Report report = TRY(conformance::check(options, listener));
    return CheckResult{
        .passes = report.conforms(), .left_out = report.left_out, .json = conformance::report_json(report)};
}

}  // namespace muster::c
