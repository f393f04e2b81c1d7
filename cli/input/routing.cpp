#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/input/routing.hpp>
#include <muster/driver/policy/policy_options.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {

namespace {

/// Parses the options that aren't plain text: kinds, sizes, times.
Result<void> read_values(const RoutingArguments& from, Policy& to) {
    if (!from.kind.empty()) to.kind = TRY(during("reading --kind", parse_device_class(from.kind)));
    if (!from.min_memory.empty())
        to.min_memory_bytes = TRY(during("reading --min-memory", policy::parse_bytes(from.min_memory)));
    if (from.subgroup_size != 0) to.subgroup_size = from.subgroup_size;
    if (!from.compile_budget.empty())
        to.compile_budget =
            TRY(during("reading --compile-budget", parse_compile_budget(from.compile_budget)));
    if (!from.on_failure.empty())
        to.on_failure = TRY(during("reading --on-failure", parse_on_failure(from.on_failure)));
    if (!from.optimize.empty())
        to.optimize = TRY(during("reading --optimize", parse_optimize(from.optimize)));
    return {};
}

}  // namespace

Attempt<Policy> policy_of(const RoutingArguments& arguments) {
    Policy policy;
    if (!arguments.backends.empty()) policy.backends = arguments.backends;
    policy.exclude = arguments.excludes;
    if (!arguments.allow_tags.empty()) policy.allow_tags = arguments.allow_tags;
    policy.exclude_tags = arguments.exclude_tags;
    if (arguments.no_emission) policy.allow_emission = false;
    if (!arguments.require_tags.empty()) policy.require_tags = arguments.require_tags;
    if (!arguments.require_features.empty()) policy.require_features = arguments.require_features;
    const int choices =
        (arguments.only_one ? 1 : 0) + (arguments.measured ? 1 : 0) + (arguments.pin.empty() ? 0 : 1);
    if (choices > 1) return misused("--pin, --only-one and --measured are different choices.", "give one");
    if (arguments.only_one) policy.choice = OnlyOne{};
    if (arguments.measured) policy.choice = muster::Measured{};
    if (!arguments.pin.empty()) policy.choice = Pinned{arguments.pin};
    TRY(step(read_values(arguments, policy)));
    if (!arguments.pack.empty()) policy.pack = arguments.pack;
    if (arguments.no_device_check) policy.check_devices = false;
    if (arguments.inexact_ok) policy.inexact_ok = true;
    if (arguments.validate) policy.validate = Validation::warn;
    return policy;
}

Attempt<void> begin_trace(const RoutingArguments& arguments) {
    if (!arguments.trace.empty() && !trace::is_recording())
        (void)TRY(step(Exit::usage, during("reading --trace", trace::start(arguments.trace))));
    return {};
}

Attempt<Session> open_session(const RoutingArguments& arguments) {
    TRY(begin_trace(arguments));
    return step(Session::open({.policy = TRY(policy_of(arguments))}));
}

CompileOptions compile_options(const RoutingArguments& arguments) {
    return {.precision = arguments.fast ? Precision::fast : Precision::exact, .unchecked = false};
}

namespace {

/// Lists a backend's formats if it has several: " (--format cuda, ptx or cubin)".
std::string formats_of(Session& session, const std::string& id) {
    const auto which = session.fleet().find(id);
    if (!which) return "";
    const auto backend = session.fleet().backend(*which);
    if (!backend || (*backend)->formats().size() < 2) return "";
    const auto formats = (*backend)->formats();
    return fmt::format(" (--format {} or {})", fmt::join(formats.first(formats.size() - 1), ", "),
                       formats.back());
}

}  // namespace

Failure not_executable(Session& session, const Route& route, const ProgramArguments& program) {
    if (const Refused* refused = route.refused()) return {Exit::refused, refused->error};
    const EmitOnly* emit = route.emit_only();
    const std::string target = emit != nullptr ? emit->target.to_string() : "";
    const std::string entry = program.entry.empty() ? "" : " --entry " + program.entry;
    return {Exit::only_emission,
            {ErrorCode::refused,
             fmt::format("Nothing here can run {}; its code can be emitted for {}.\n{}",
                         route.decision().entry, target, route.explain()),
             fmt::format("muster emit {}{} --target {} -o FILE writes that code{}", program.path, entry,
                         target, emit != nullptr ? formats_of(session, emit->backend) : ""),
             {}}};
}

}  // namespace muster::cli
