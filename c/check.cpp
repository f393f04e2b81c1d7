// Conformance.
#include <muster/c/models.hpp>
#include <muster/c/session_options.hpp>
#include <muster/c/slots.hpp>

namespace muster::c {
namespace {

Answer<CheckRequest> read_request(const muster_check_options* given) {
    const muster_check_options asked = TRY(read(given, "muster_check_options"));
    TRY(check_flags(asked.flags, MUSTER_CHECK_IGNORES_ENVIRONMENT | MUSTER_CHECK_WITHOUT_DEVIATIONS,
                    "check options"));
    CheckRequest request{
        .session = {.policy = TRY(read_policy(asked.options, asked.option_count, nullptr)),
                    .use_environment = (asked.flags & MUSTER_CHECK_IGNORES_ENVIRONMENT) == 0},
        .gaps = std::string(TRY(read_text(asked.gaps, "gaps"))),
        .timeout = timeout_of(asked.timeout_ns),
        .reduction = timeout_of(asked.reduction_ns),
        .deviations = (asked.flags & MUSTER_CHECK_WITHOUT_DEVIATIONS) == 0,
    };
    for (const muster_string& one : TRY(read_values(asked.cases, asked.case_count, "cases")))
        request.cases.emplace_back(TRY(read_text(one, "a case's name")));
    if (asked.progress == nullptr) return request;
    request.stops = [progress = asked.progress, user = asked.user](const CheckStep& step) {
        const muster_progress told{.struct_size = sizeof(muster_progress),
                                   .device = view(step.device),
                                   .what = view(step.what),
                                   .outcome = view(step.outcome),
                                   .done = step.done,
                                   .total = step.total};
        return progress(user, &told) != 0;
    };
    return request;
}

}  // namespace

Answer<Property> ReportObject::ask(std::int32_t property) const {
    switch (property) {
        case MUSTER_PASSES: return number(result.passes ? 1 : 0);
        case MUSTER_LEFT_OUT: return number(result.left_out);
        default: return no_property(property);
    }
}

void add_check(muster_api& api) {
    api.check = [](const muster_check_options* options, muster_report* report) {
        return call([&]() -> Answer<void> {
            if (report == nullptr) return null_pointer("report");
            const CheckRequest request = TRY(read_request(options));
            return give_handle(report,
                               std::make_shared<ReportObject>(TRY(TRY(find_parts())->check(request))));
        });
    };
}

}  // namespace muster::c
