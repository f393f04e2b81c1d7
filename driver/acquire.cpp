// Constructing backends: what Registry and the process hand out.
#include <exception>
#include <utility>
#include <vector>

#include <muster/driver/fleet.hpp>
#include <muster/driver/freeze.hpp>
#include <muster/driver/isolation.hpp>
#include <muster/driver/plugin_judging.hpp>
#include <muster/driver/plugins.hpp>
#include <muster/driver/preferred.hpp>
#include <muster/driver/project_backends.hpp>
#include <muster/driver/registry.hpp>
#include <muster/driver/session.hpp>
#include <muster/foundation/ir_builder.hpp>
#include <muster/foundation/printable.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

std::string quoted(std::string_view text) { return "\"" + printable(text) + "\""; }

/// Runs a factory so that whatever it does costs its backend, never the process.
Result<std::unique_ptr<Backend>> construct(const RegisteredBackend& backend) {
    const std::string fix =
        "take another backend, or report this to whoever provides " + printable(backend.module) + ".";
    const auto thrown = [&](std::string_view what) {
        return fail(ErrorCode::unavailable,
                    "The factory of backend " + quoted(backend.id) + " throws: " + printable(what) + ".",
                    fix);
    };
    try {
        auto made = backend.factory();
        if (!made) return made;
        if (*made == nullptr)
            return fail(ErrorCode::unavailable,
                        "The factory of backend " + quoted(backend.id) + " returns nothing.", fix);
        if (const std::string_view own = (*made)->id(); own != backend.id)
            return fail(ErrorCode::unavailable,
                        "The factory of backend " + quoted(backend.id) +
                            " constructs one that calls itself " + quoted(own) + ".",
                        fix);
        return made;
    } catch (const std::exception& exception) {
        return thrown(exception.what());
    } catch (...) {
        return thrown("something that isn't a std::exception");
    }
}

}  // namespace

Result<std::unique_ptr<Backend>> Registry::acquire(std::string_view id) const {
    if (const RegisteredBackend* backend = find(id))
        return during("acquiring backend " + quoted(id), construct(*backend));
    if (const RegistryFault* known = fault(id); known != nullptr && !id.empty())
        return std::unexpected(known->error);
    std::vector<std::string> there;
    for (const RegisteredBackend& backend : by_precedence_) there.emplace_back(backend.id);
    return std::unexpected(unknown_backend(id, there));
}

namespace {

/// A plugin that other libraries leave its id to, where this process looks for plugins.
Result<void> provide_plugin(std::string_view id) {
    Plugins& plugins = Plugins::process();
    if (!valid_id(id) || !holder(registry(), id).empty() || !plugins.is_automatic()) return {};
    auto provided = plugins.provide(id);
    // Where no plugin has it, what the registry knows of the id says more.
    if (!provided && provided.error().code == ErrorCode::not_found && registry().fault(id)) return {};
    return provided;
}

}  // namespace

Result<std::unique_ptr<Backend>> acquire(std::string_view id) {
    TRY(during("acquiring backend " + quoted(id), provide_plugin(id)));
    return registry().acquire(id);
}

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

Result<Preferred> Registry::acquire_preferred() const {
    return preferred_to_dispatch(
        {.fleet = std::make_shared<Fleet>(fleet_entries(*this), Fleet::default_probe_budget,
                                          environment_isolation())});
}

Result<Preferred> acquire_preferred(const Policy& policy) {
    return preferred_to_dispatch({.policy = policy});
}

Result<Acquired> acquire_preferred_or_emitter(const Policy& policy) { return preferred({.policy = policy}); }

}  // namespace muster
