#include <utility>

#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/probing/isolation.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/proving/check_device.hpp>
#include <muster/driver/session/preferred.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace muster {
namespace {

using Acquired = std::variant<Preferred, PreferredEmitter>;

/// A kernel that any device can run.
Result<ValidProgram> undemanding() { return validate(TRY(IrBuilder("any_kernel", {1, 1, 1}).finish())); }

/// The backend that a session with these options would use.
Result<Acquired> preferred(SessionOptions options) {
    Session session = TRY(Session::open(std::move(options)));
    const Route route = session.route(TRY(undemanding()));
    const auto backend = [&](const std::string& id) {
        return session.fleet().backend(*session.fleet().find(id));
    };
    if (const Execute* execute = route.execute())
        return Preferred{TRY(backend(execute->backend)), execute->device};
    if (const EmitOnly* emit = route.emit_only())
        return PreferredEmitter{TRY(backend(emit->backend)), emit->target};
    Error none = route.refused()->error;
    none.code = ErrorCode::unavailable;
    return std::unexpected(std::move(none));
}

Result<Preferred> preferred_to_dispatch(SessionOptions options) {
    options.policy.allow_emission = false;
    return std::get<Preferred>(TRY(preferred(std::move(options))));
}

}  // namespace

Result<Preferred> acquire_preferred(const Registry& registry) {
    return preferred_to_dispatch(
        {.fleet = std::make_shared<Fleet>(fleet_entries(registry), Fleet::default_probe_budget,
                                          environment_isolation(), process_device_checker())});
}

Result<Preferred> acquire_preferred(const Policy& policy) {
    return preferred_to_dispatch({.policy = policy});
}

Result<Acquired> acquire_preferred_or_emitter(const Policy& policy) { return preferred({.policy = policy}); }

}  // namespace muster
