// Constructing backends: what Registry and the process hand out.
#include <exception>
#include <utility>

#include <muster/driver/freeze.hpp>
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

Result<std::unique_ptr<Backend>> Registry::acquire_preferred() const {
    std::string reasons;
    for (const RegisteredBackend& backend : by_precedence_) {
        reasons += "\n  " + std::string(backend.id) + ": ";
        if (!backend.dispatches) {
            reasons += "It only emits; it doesn't claim to dispatch.";
            continue;
        }
        auto made = construct(backend);
        if (made) return made;
        reasons += made.error().message;
    }
    if (reasons.empty())
        return fail(ErrorCode::unavailable, "No backend is linked or loaded.",
                    "link a backend, for instance muster::backend_reference.");
    return fail(ErrorCode::unavailable, "No backend that claims to dispatch can be constructed:" + reasons,
                "link another backend, or repair one of these.");
}

Result<std::unique_ptr<Backend>> acquire(std::string_view id) {
    const auto is_known = [&] { return find_backend(id) != nullptr || registry().fault(id) != nullptr; };
    if (valid_id(id) && !is_known() && Plugins::process().is_automatic())
        TRY(during("acquiring backend " + quoted(id), Plugins::process().load(id)));
    return registry().acquire(id);
}

Result<std::unique_ptr<Backend>> acquire_preferred() { return registry().acquire_preferred(); }

}  // namespace muster
