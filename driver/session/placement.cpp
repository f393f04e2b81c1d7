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
/// Counts of a kernel's work, after which other values no longer make a new one: counting takes longer than small dispatches.
constexpr std::size_t most_counts = 64;

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

Estimate Placement::estimated(const Place& place, const DispatchWork& work,
                              const DispatchToPlace& dispatch) const {
    Estimate made = estimate(dispatch, work, place.where.id(), place.where.device, place.roof);
    made.run_us = place.roof.launch_us + place.correction * (made.run_us - place.roof.launch_us);
    made.correction = place.correction;
    made.credit_us = place.credit_us;
    return made;
}

void Placement::watch(const DeviceContext& device, const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    if (watched_.device_id == device.id()) watched_.ticket = ticket;
}

/// Corrects the estimates for the device of the watched dispatch, if it has ended.
void Placement::learn() {
    if (!watched_.ticket || !watched_.ticket->done()) return;
    const auto timing = watched_.ticket->wait(std::chrono::nanoseconds(0));
    watched_.ticket.reset();
    if (!timing || timing->device_ns == 0 || watched_.expected_us <= 0) return;
    const double seen = static_cast<double>(timing->device_ns) * 1e-3 / watched_.expected_us;
    for (Place& place : places_)
        if (place.where.id() == watched_.device_id)
            place.correction = place.correction == 1 ? seen : std::sqrt(place.correction * seen);
}

/// Lists the measured devices that fit. If the first one by rank isn't measured there is nothing to choose.
void Placement::find_places(Session::State& session, const KernelState& home) {
    std::vector<Place> before = std::exchange(places_, {});
    losses_ = devices_lost();
    const Route route = session.decide_route(*home->program, session.policy.policy,
                                             {.compile = session.with_policy(options_), .ask_all = true});
    if (!route.execute()) return;
    for (const CandidateRecord& candidate : route.decision().candidates) {
        if (candidate.stage != Stage::order || !candidate.ordinal) continue;
        const ProbeResult& probe = *session.fleet->probed(*session.fleet->find(candidate.backend));
        const auto device = std::ranges::find(probe.devices, *candidate.ordinal, &DeviceInfo::ordinal);
        if (device == probe.devices.end()) continue;
        const auto roof = kept_roof(candidate.backend, *device, options_.precision);
        if (roof && roof->is_whole())
            places_.push_back(Place{.where = {candidate.backend, *device, {}}, .roof = *roof, .kernel = {}});
        else if (candidate.reason == Reason::chosen)
            return places_.clear();
    }
    for (Place& place : places_) {
        if (place.where.id() == home->latest().device->id()) place.kernel = home;
        for (const Place& known : before)
            if (known.kernel && known.where.id() == place.where.id() &&
                !known.kernel->latest().device->is_lost())
                place = known;
    }
}

Route Placement::decided(Session::State& session, const DispatchToPlace& dispatch, bool ask_all) {
    const DispatchWork work = counted(dispatch);
    RouteOptions options{.compile = session.with_policy(options_), .ask_all = ask_all};
    options.current = current_;
    options.estimate = [&](std::string_view backend, const DeviceInfo& device) -> std::optional<Estimate> {
        const std::string id = device_id(backend, device);
        for (const Place& place : places_)
            if (place.where.id() == id) return estimated(place, work, dispatch);
        const auto roof = kept_roof(backend, device, options_.precision);
        if (!roof || !roof->is_whole()) return std::nullopt;
        return estimate(dispatch, work, id, device, *roof);
    };
    return session.decide_route(dispatch.program, session.policy.policy, options);
}

Route Placement::route(Session::State& session, const DispatchToPlace& dispatch, bool ask_all) {
    const std::lock_guard lock(mutex_);
    return decided(session, dispatch, ask_all);
}

/// The kernel on a device; null, with a warning, if it can't be prepared there.
Placement::KernelState Placement::prepared(Session::State& session, const Place& place,
                                           const KernelState& home, const DispatchToPlace& dispatch) {
    if (place.kernel) return place.kernel;
    auto made = [&]() -> Result<KernelState> {
        return load_on(session.shared_from_this(), {home->program, options_, codes_},
                       decided(session, dispatch, false), TRY(session.device(place.where)));
    }();
    if (!made)
        log_once(LogLevel::warning, "measured " + place.where.id(),
                 fmt::format("{} is estimated to finish first on {}, and can't be prepared there: {}",
                             dispatch.program.entry(), place.where.id(), made.error().to_string()));
    return made ? *made : nullptr;
}

Placement::KernelState Placement::place(Session::State& session, const KernelState& home,
                                        const DispatchToPlace& dispatch) {
    const std::lock_guard lock(mutex_);
    if (losses_ != devices_lost()) find_places(session, home);
    learn();
    for (;;) {
        if (places_.size() < 2) return home;
        const DispatchWork work = counted(dispatch);
        InlineVector<Estimate, 4> estimates;
        std::optional<std::size_t> current;
        for (const Place& place : places_) {
            if (place.where.id() == current_) current = estimates.size();
            estimates.push_back(estimated(place, work, dispatch));
        }
        const std::size_t chosen = first_to_finish(estimates, current);
        const KernelState kernel = prepared(session, places_[chosen], home, dispatch);
        if (!kernel) {
            places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(chosen));
            continue;
        }
        const double takes_us = estimates[chosen].run_us + estimates[chosen].move_us;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const double saved_us = takes_us - estimates[i].run_us;
            places_[i].credit_us =
                i == chosen ? 0 : std::clamp(places_[i].credit_us + saved_us, 0.0, estimates[i].move_us);
        }
        places_[chosen].kernel = kernel;
        watched_ = {places_[chosen].where.id(),
                    run_us(work, places_[chosen].roof) - places_[chosen].roof.launch_us,
                    {}};
        current_ = places_[chosen].where.id();
        return kernel;
    }
}

}  // namespace muster
