#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/driver/session/failures.hpp>
#include <muster/driver/session/placement.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

constexpr std::size_t most_counted = 8;  // kept for a kernel
/// Counts of a kernel's work, after which other values no longer make a new one: counting takes
/// longer than small dispatches.
constexpr std::size_t most_counts = 64;
constexpr double most_correction = 1024;

/// Counts what may change the places: devices that were lost, and routes that were forgotten.
std::uint64_t changes_of(Session::State& session) {
    const std::shared_lock lock(session.routes_mutex);
    return devices_lost() + session.forgotten;
}

}  // namespace

DispatchWork Placement::counted(const DispatchToPlace& dispatch) {
    const auto is_same = [&](const Counted& one) {
        if (one.groups != dispatch.groups) return false;
        std::size_t at = 0;
        for (std::size_t i = 0; i < dispatch.arguments.size(); ++i) {
            if (one.sizes[i] != size_of(dispatch.arguments[i])) return false;
            const auto value = value_of(dispatch.arguments[i]);
            const auto known = std::span(one.values).subspan(at, value.size());
            if (counts_ < most_counts && !std::ranges::equal(value, known)) return false;
            at += value.size();
        }
        return true;
    };
    if (const auto found = std::ranges::find_if(counted_, is_same); found != counted_.end())
        return found->work;
    Counted one{.groups = dispatch.groups, .sizes = {}, .values = {}, .work = work_of(dispatch)};
    for (const BoundArgument& argument : dispatch.arguments) {
        one.sizes.push_back(size_of(argument));
        const auto value = value_of(argument);
        one.values.insert(one.values.end(), value.begin(), value.end());
    }
    if (counted_.size() == most_counted) counted_.erase(counted_.begin());
    ++counts_;
    return counted_.emplace_back(std::move(one)).work;
}

/// The rate at which the device that holds data gives them back; 0 if it isn't measured.
double Placement::from_device_gb_s(const DeviceContext& holder) const {
    for (const Contender& place : places_)
        if (place.id == holder.id()) return place.roof.from_device_gb_s;
    const std::string_view backend = std::string_view(holder.id()).substr(0, holder.id().find(':'));
    const auto roof = kept_roof(backend, holder.info(), options_.precision);
    return roof ? roof->from_device_gb_s : 0;
}

Estimate Placement::estimated(const Contender& place, const DispatchWork& work,
                              const DispatchToPlace& dispatch) const {
    Estimate made = estimate(dispatch, work, place.id, place.where.device, place.roof,
                             [this](const DeviceContext& holder) { return from_device_gb_s(holder); });
    made.run_us = place.roof.launch_us + place.correction * (made.run_us - place.roof.launch_us);
    made.correction = place.correction;
    made.credit_us = place.credit_us;
    return made;
}

void Placement::watch(const DeviceContext& device, double expected_us, const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    if (watched_.ticket && !watched_.ticket->done()) return;  // that one teaches first
    learn();
    watched_ = {device.id(), expected_us, ticket};
}

/// Corrects the estimates for the device of the watched dispatch, if it has ended.
void Placement::learn() {
    if (!watched_.ticket || !watched_.ticket->done()) return;
    const auto timing = watched_.ticket->wait(std::chrono::nanoseconds(0));
    watched_.ticket.reset();
    if (!timing || timing->device_ns.value_or(0) == 0) return;  // unknown, or nothing ran
    for (Contender& place : places_) {
        if (place.id != watched_.device_id) continue;
        // With the launch on both sides: a dispatch that is smaller than it teaches next to nothing.
        const double took_us = static_cast<double>(*timing->device_ns) * 1e-3;
        const double seen =
            std::clamp((place.roof.launch_us + took_us) / (place.roof.launch_us + watched_.expected_us),
                       1 / most_correction, most_correction);
        place.correction = place.correction == 1 ? seen : std::sqrt(place.correction * seen);
    }
}

/// Checks the measured devices among which estimates will choose. Returns true if one hadn't been checked.
bool Placement::check_candidates(Session::State& session, const Route& route) {
    bool is_new = false;
    Fleet& fleet = *session.fleet;
    for (const CandidateRecord& candidate : route.decision().candidates) {
        if (candidate.stage != Stage::order || !candidate.ordinal) continue;
        const std::size_t which = *fleet.find(candidate.backend);
        const std::vector<DeviceInfo>& devices = fleet.probed(which)->devices;
        const auto device = std::ranges::find(devices, *candidate.ordinal, &DeviceInfo::ordinal);
        if (device == devices.end() || !fleet.checks_devices(which) ||
            fleet.checked(which, device->ordinal) || !session.policy.policy.check_devices.value_or(true) ||
            !kept_roof(candidate.backend, *device, options_.precision))
            continue;
        fleet.check(which, *device);
        is_new = true;
    }
    return is_new;
}

/// Lists the measured devices that fit. If the first one by rank isn't measured there is nothing to choose.
void Placement::find_places(Session::State& session, const KernelState& home) {
    std::vector<Contender> before = std::exchange(places_, {});
    const auto decided = [&] {
        routing::RouteOptions options = session.route_options(*home->program, options_, codes_);
        options.ask_all = true;
        return session.decide_route(*home->program, session.policy.policy, std::move(options));
    };
    Route route = decided();
    if (check_candidates(session, route)) route = decided();
    if (!route.execute()) return;
    for (const CandidateRecord& candidate : route.decision().candidates) {
        if (candidate.stage != Stage::order || !candidate.ordinal) continue;
        const ProbeResult& probe = *session.fleet->probed(*session.fleet->find(candidate.backend));
        const auto device = std::ranges::find(probe.devices, *candidate.ordinal, &DeviceInfo::ordinal);
        const bool is_first = candidate.reason == Reason::chosen;
        if (device == probe.devices.end()) {  // one on request
            if (is_first) return places_.clear();
            continue;
        }
        if (failed_.contains(device_id(candidate.backend, *device))) continue;
        const auto roof = kept_roof(candidate.backend, *device, options_.precision);
        if (roof)
            places_.push_back(Contender{.where = {candidate.backend, *device, {}},
                                        .id = device_id(candidate.backend, *device),
                                        .roof = *roof,
                                        .kernel = {}});
        else if (is_first)
            return places_.clear();
    }
    for (Contender& place : places_)
        for (Contender& known : before) {
            if (known.id != place.id) continue;
            place.credit_us = known.credit_us;
            place.correction = known.correction;
            if (known.kernel && !known.kernel->latest().device->is_lost())
                place.kernel = std::move(known.kernel);
        }
}

Route Placement::decided(Session::State& session, const DispatchToPlace& dispatch, bool ask_all) {
    const DispatchWork work = counted(dispatch);
    routing::RouteOptions options = session.route_options(dispatch.program, options_, codes_);
    options.ask_all = ask_all;
    options.current = current_;
    options.estimate = [&](std::string_view backend, const DeviceInfo& device) -> std::optional<Estimate> {
        const std::string id = device_id(backend, device);
        if (failed_.contains(id)) return std::nullopt;
        for (const Contender& place : places_)
            if (place.id == id) return estimated(place, work, dispatch);
        const auto roof = kept_roof(backend, device, options_.precision);
        if (!roof) return std::nullopt;
        return estimate(dispatch, work, id, device, *roof,
                        [this](const DeviceContext& holder) { return from_device_gb_s(holder); });
    };
    return session.decide_route(dispatch.program, session.policy.policy, options);
}

Route Placement::route(Session::State& session, const DispatchToPlace& dispatch, bool ask_all) {
    const std::lock_guard lock(mutex_);
    return decided(session, dispatch, ask_all);
}

/// The kernel on a device; null, with a warning, if it can't be prepared there.
Placement::KernelState Placement::prepared(Session::State& session, const Contender& place,
                                           const KernelState& home, const DispatchToPlace& dispatch) {
    if (place.id == home->latest().device->id()) return home;
    const bool is_there = place.kernel && place.kernel->latest().device->id() == place.id;
    if (is_there) return place.kernel;
    auto made = [&]() -> Result<KernelState> {
        return load_on(session.shared_from_this(), {home->program, options_, codes_},
                       decided(session, dispatch, false), TRY(session.device(place.where)));
    }();
    if (!made)
        log_once(LogLevel::warning, "measured " + place.id,
                 fmt::format("{} is estimated to finish first on {}, and can't be prepared there: {}",
                             dispatch.program.entry(), place.id, made.error().to_string()));
    return made ? *made : nullptr;
}

Placement::Placed Placement::place(Session::State& session, const KernelState& home,
                                   const DispatchToPlace& dispatch) {
    const std::lock_guard lock(mutex_);
    if (home->latest().device->is_lost() && session.on_failure() == OnFailure::fail) return {home};
    if (const std::uint64_t changes = changes_of(session); changes != changes_) {
        find_places(session, home);
        changes_ = changes;
    }
    learn();
    for (;;) {
        if (places_.size() < 2) return {home};
        const DispatchWork work = counted(dispatch);
        InlineVector<Estimate, 4> estimates;
        std::optional<std::size_t> current;
        for (const Contender& place : places_) {
            if (place.id == current_) current = estimates.size();
            estimates.push_back(estimated(place, work, dispatch));
        }
        const std::size_t chosen = first_to_finish(estimates, current);
        const KernelState kernel = prepared(session, places_[chosen], home, dispatch);
        if (!kernel) {
            failed_.insert(places_[chosen].id);
            places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(chosen));
            continue;
        }
        const double takes_us = estimates[chosen].run_us + estimates[chosen].move_us;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const double saved_us = takes_us - estimates[i].run_us;
            places_[i].credit_us =
                i == chosen ? 0 : std::clamp(places_[i].credit_us + saved_us, 0.0, estimates[i].move_us);
        }
        Contender& place = places_[chosen];
        if (kernel != home) place.kernel = kernel;
        current_ = place.id;
        return {kernel, run_us(work, place.roof) - place.roof.launch_us};
    }
}

}  // namespace muster
