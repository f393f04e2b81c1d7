// A session's routing: decides, answers the router's questions until it has a route, and caches the route.
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/platform/probe_points.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/routing/given_code.hpp>
#include <muster/driver/session/session_state.hpp>
#include <muster/driver/trace/recorder.hpp>

namespace muster {
namespace {

constexpr std::size_t most_routes = 4096;  // in the cache; it is cleared when full

/// Warns of each better backend that failed, so that a slower device is never used silently; once
/// per backend and process.
void tell_failures(const Route& route) {
    for (const CandidateRecord& record : route.decision().candidates) {
        if (!record.failed_first) continue;
        const Execute* execute = route.execute();
        log_once(LogLevel::warning, "failed " + record.backend,
                 fmt::format("{} {}, and {} {} instead. {}{}{}", record.id(),
                             record.reason == Reason::no_compiler ? "compiles nothing" : "failed",
                             route.decision().entry,
                             execute ? fmt::format("runs on {} ({})", execute->id(), execute->device.name)
                                     : "can only be emitted",
                             record.message, record.fix.empty() ? "" : " Fix: ", record.fix));
    }
}

/// Warns of a device that is used though it fails its check, once per device and process.
void tell_failed_check(const Route& route) {
    const Execute* const execute = route.execute();
    if (!execute) return;
    for (const CandidateRecord& record : route.decision().candidates)
        if (record.reason == Reason::chosen && record.check && record.check->fails())
            log_once(LogLevel::warning, "fails its check " + record.id(),
                     fmt::format(
                         "{} runs on {} ({}), which doesn't compute right ({}). {} Fix: update its driver; "
                         "muster check --backend {} shows more",
                         route.decision().entry, execute->id(), execute->device.name,
                         record.check->to_string(), record.check->failure, execute->id()));
}

/// The verdicts that are known of a backend's devices.
std::vector<std::pair<std::uint32_t, const DeviceCheck*>> checks_of(const Fleet& fleet, std::size_t which) {
    std::vector<std::pair<std::uint32_t, const DeviceCheck*>> checks;
    const ProbeResult* const probe = fleet.probed(which);
    if (!probe || !fleet.checks_devices(which)) return checks;
    for (const auto* devices : {&probe->devices, &probe->on_request})
        for (const DeviceInfo& device : *devices)
            if (const DeviceCheck* check = fleet.checked(which, device.ordinal))
                checks.emplace_back(device.ordinal, check);
    return checks;
}

}  // namespace

std::vector<routing::BackendFacts> Session::State::facts(const Fingerprint& program) {
    std::vector<routing::BackendFacts> all(fleet->size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = {.entry = &fleet->entry(i),
                  .probe = fleet->probed(i),
                  .target = fleet->described(i),
                  .more_targets = fleet->more_targets(i),
                  .unusable = {},
                  .loaded = fleet->loaded(i),
                  .checks_devices = fleet->checks_devices(i),
                  .checks = checks_of(*fleet, i),
                  .hidden_by = variables_set(fleet->entry(i).hides_devices),
                  .found_no_native = [this, i] { return fleet->found_no_native(i); }};
    const std::lock_guard lock(devices_mutex);
    for (const auto& [key, error] : unopened)
        all[key.backend].unusable.push_back({key.ordinal, Reason::open_failed, error});
    for (const auto& [key, device] : devices)
        if (auto why = device->lost(); why && on_failure() != OnFailure::retry)
            all[key.backend].unusable.push_back({key.ordinal, Reason::device_lost, *std::move(why)});
    for (const PassedOver& one : passed_over)
        if (!one.program || *one.program == program)
            all[one.device.backend].unusable.push_back({one.device.ordinal, one.reason, one.error});
    return all;
}

Route Session::State::decide_route(const Program& program, const Policy& with,
                                   routing::RouteOptions options) {
    if (auto here = check_own_process(); !here)
        return {Refused{std::move(here).error()},
                Decision{std::string(program.entry()), program.fingerprint(), {}, {}, policy.settings}};
    options.settings = policy.settings;
    const trace::Span span(trace::Stage::route, program.entry());
    for (;;) {
        auto step = routing::decide(program, with, facts(program.fingerprint()), options);
        if (auto* route = std::get_if<Route>(&step)) {
            tell_failures(*route);
            tell_failed_check(*route);
            const Execute* const execute = route->execute();
            probe_points::route(route->decision().entry, execute != nullptr ? execute->id() : "");
            return std::move(*route);
        }
        answer(std::get<routing::Question>(step));
    }
}

void Session::State::answer(const routing::Question& question) {
    switch (question.kind) {
        case routing::Question::Kind::load: fleet->load(question.backend); return;
        case routing::Question::Kind::probe: fleet->probe(question.backend); return;
        case routing::Question::Kind::target: fleet->default_target(question.backend); return;
        case routing::Question::Kind::check: fleet->check(question.backend, *question.device); return;
    }
}

routing::RouteOptions Session::State::route_options(const Program& program, const CompileOptions& options,
                                                    std::span<const Artifact> codes) {
    routing::RouteOptions made{.compile = with_policy(options)};
    if (codes.empty()) return made;
    made.no_code = [this, &program, codes, asked = made.compile](
                       std::string_view id, const DeviceInfo& device) -> std::optional<std::string> {
        const auto backend = fleet->backend(*fleet->find(id));
        if (!backend) return backend.error().message;
        routing::FittingCodes fitting = routing::fitting_codes(**backend, device, codes);
        if (routing::is_covered(fitting.codes, device, program, asked)) return std::nullopt;
        return std::move(fitting.objections);
    };
    return made;
}

Route Session::State::cached_route(const Program& program, const routing::RouteOptions& options) {
    // A session of the parent process takes no lock here.
    if (options.no_code || made.is_from_parent()) return decide_route(program, policy.policy, options);
    if (losses.load(std::memory_order_relaxed) != devices_lost()) forget_routes();
    const RouteKey key{program.fingerprint(), options.compile, options.emission_only};
    std::uint64_t before = 0;
    {
        const std::shared_lock lock(routes_mutex);
        if (const auto found = routes.find(key); found != routes.end()) return found->second;
        before = forgotten;
    }
    Route route = decide_route(program, policy.policy, options);
    const std::unique_lock lock(routes_mutex);
    if (forgotten != before) return route;
    if (routes.size() >= most_routes) routes.clear();
    return routes.insert_or_assign(key, std::move(route)).first->second;
}

void Session::State::forget_routes() {
    const std::unique_lock lock(routes_mutex);
    losses.store(devices_lost(), std::memory_order_relaxed);
    routes.clear();
    ++forgotten;
}

Route Session::route(const ValidProgram& program, const CompileOptions& options) try {
    return state_->cached_route(program, {.compile = state_->with_policy(options)});
} catch (const std::bad_alloc&) {
    return state_->unroutable;
}

Route Session::route(const ArtifactFile& file, const CompileOptions& options) try {
    return state_->cached_route(*file.program, state_->route_options(*file.program, options, file.codes));
} catch (const std::bad_alloc&) {
    return state_->unroutable;
}

Route Session::route_emission(const ValidProgram& program) try {
    return state_->cached_route(program, {.compile = state_->with_policy({}), .emission_only = true});
} catch (const std::bad_alloc&) {
    return state_->unroutable;
}

Route Session::explain(const ValidProgram& program, const CompileOptions& options) try {
    return state_->decide_route(program, state_->policy.policy,
                                {.compile = state_->with_policy(options), .ask_all = true});
} catch (const std::bad_alloc&) {
    return state_->unroutable;
}

Route Session::explain(const ArtifactFile& file, const CompileOptions& options) try {
    routing::RouteOptions asked = state_->route_options(*file.program, options, file.codes);
    asked.ask_all = true;
    return state_->decide_route(*file.program, state_->policy.policy, std::move(asked));
} catch (const std::bad_alloc&) {
    return state_->unroutable;
}

}  // namespace muster
