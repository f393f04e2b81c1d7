#include <utility>

#include <muster/driver/grid_barriers/splitting_backend.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/probing/isolation.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/proving/check_device.hpp>
#include <muster/driver/proving/kept_probes.hpp>
#include <muster/driver/session/preferred.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/driver/session/session_state.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace muster {
namespace {

using Acquired = std::variant<Preferred, PreferredEmitter>;

/// A kernel that any device can run.
Result<ValidProgram> undemanding() { return validate(TRY(IrBuilder("any_kernel", {1, 1, 1}).finish())); }

Error none_of(const Route& route) {
    Error none = route.refused()->error;
    none.code = ErrorCode::unavailable;
    return none;
}

/// The backend, wrapped like every acquired one (splitting_backend.hpp).
Result<std::shared_ptr<Backend>> wrapped(Session& session, const std::string& id) {
    return std::make_shared<grid_barriers::SplittingBackend>(
        TRY(session.fleet().backend(*session.fleet().find(id))));
}

Result<Preferred> preferred_to_dispatch(SessionOptions options) {
    Session session = TRY(Session::open(std::move(options)));
    Session::State& state = Session::State::of(session);
    const Route route = state.decide_route(*TRY(undemanding()), state.policy.policy,
                                           {.compile = state.with_policy({}), .execution_only = true});
    const Execute* const execute = route.execute();
    if (execute == nullptr) return std::unexpected(none_of(route));
    return Preferred{TRY(wrapped(session, execute->backend)),
                     grid_barriers::with_grid_barriers(execute->device)};
}

Result<Acquired> preferred(SessionOptions options) {
    Session session = TRY(Session::open(std::move(options)));
    const Route route = session.route(TRY(undemanding()));
    if (const Execute* execute = route.execute())
        return Preferred{TRY(wrapped(session, execute->backend)),
                         grid_barriers::with_grid_barriers(execute->device)};
    if (const EmitOnly* emit = route.emit_only())
        return PreferredEmitter{TRY(wrapped(session, emit->backend)), emit->target};
    return std::unexpected(none_of(route));
}

}  // namespace

Result<Preferred> acquire_preferred(const Registry& registry) {
    return preferred_to_dispatch(
        {.fleet = std::make_shared<Fleet>(fleet_entries(registry), Fleet::default_probe_budget,
                                          probing::environment_isolation(), proving::process_device_checker(),
                                          proving::process_kept_probes())});
}

Result<Preferred> acquire_preferred(const Policy& policy) {
    return preferred_to_dispatch({.policy = policy});
}

Result<Acquired> acquire_preferred_or_emitter(const Policy& policy) { return preferred({.policy = policy}); }

}  // namespace muster
