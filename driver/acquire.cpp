// Constructing backends: what Registry and the process hand out.
#include <exception>
#include <utility>
#include <vector>

#include <muster/driver/fleet.hpp>
#include <muster/driver/freeze.hpp>
#include <muster/driver/log.hpp>
#include <muster/driver/plugin_judging.hpp>
#include <muster/driver/plugins.hpp>
#include <muster/driver/project_backends.hpp>
#include <muster/driver/registry.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

/// Runs a factory so that whatever it does costs its backend, never the process.
Result<std::unique_ptr<Backend>> construct(const RegisteredBackend& backend) {
    const std::string fix =
        "take another backend, or report this to whoever provides " + std::string(backend.module) + ".";
    const auto thrown = [&](std::string_view what) {
        return fail(ErrorCode::unavailable,
                    "The factory of backend " + quoted(backend.id) + " throws: " + std::string(what) + ".",
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

/// What comes first and can't be had.
struct Failed {
    std::string id;
    Error why;
};

Error only_emits() {
    return {ErrorCode::unsupported, "It only emits; it doesn't claim to dispatch.", {}, {}};
}

Error none_of(const std::vector<Failed>& failed) {
    if (failed.empty())
        return {ErrorCode::unavailable,
                "No backend is linked or loaded.",
                "link a backend, for instance muster::backend_reference.",
                {}};
    std::string reasons;
    for (const Failed& one : failed) reasons += "\n  " + one.id + ": " + one.why.message;
    return {ErrorCode::unavailable,
            "No backend that claims to dispatch can be constructed:" + reasons,
            "link another backend, or repair one of these.",
            {}};
}

/// Of the process's fleet: opens the plugin that the backend is in.
Result<std::unique_ptr<Backend>> acquire_entry(Fleet& fleet, std::size_t which) {
    const FleetEntry& entry = fleet.entry(which);
    if (entry.fault) return std::unexpected(*entry.fault);
    if (!entry.dispatches) return std::unexpected(only_emits());
    if (const auto& loaded = fleet.load(which); !loaded) return std::unexpected(loaded.error());
    return registry().acquire(entry.id);
}

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

Result<std::unique_ptr<Backend>> Registry::acquire_preferred() const {
    std::vector<Failed> failed;
    for (const RegisteredBackend& backend : by_precedence_) {
        auto made = backend.dispatches ? construct(backend) : std::unexpected(only_emits());
        if (made) return made;
        failed.push_back({std::string(backend.id), std::move(made).error()});
    }
    return std::unexpected(none_of(failed));
}

Result<std::unique_ptr<Backend>> acquire(std::string_view id) {
    TRY(during("acquiring backend " + quoted(id), provide_plugin(id)));
    return registry().acquire(id);
}

Result<std::unique_ptr<Backend>> acquire_preferred() {
    const std::shared_ptr<Fleet> fleet = Fleet::process();
    std::vector<Failed> failed;
    for (std::size_t i = 0; i < fleet->size(); ++i) {
        auto made = acquire_entry(*fleet, i);
        const FleetEntry& entry = fleet->entry(i);
        if (!made) {
            failed.push_back({entry.id, std::move(made).error()});
            continue;
        }
        for (const Failed& one : failed)
            if (fleet->entry(*fleet->find(one.id)).dispatches)
                log_once(LogLevel::warning, "not preferred " + one.id,
                         one.id + " can't be had, and " + entry.id + " is the preferred backend instead. " +
                             one.why.to_string());
        return made;
    }
    return std::unexpected(none_of(failed));
}

}  // namespace muster
