#include <string>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/registry/project_backends.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/driver/support/with_fix.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster {
namespace {

std::string quoted(std::string_view text) { return "\"" + printable(text) + "\""; }

/// Calls a factory and turns exceptions, null and a wrong id into errors. Every error has a fix.
Result<std::unique_ptr<Backend>> constructed(const RegisteredBackend& backend) {
    const std::string where =
        printable(backend.module) + (backend.origin.empty() ? "" : " (" + printable(backend.origin) + ")");
    const std::string fix = "take another backend, or report this to whoever provides " + where;
    const std::string who = "The factory of backend " + quoted(backend.id);
    auto made = with_fix(guarded(who, [&] { return backend.factory(); }, {ErrorCode::unavailable, fix}), fix);
    if (!made) return made;
    if (*made == nullptr) return fail(ErrorCode::unavailable, who + " returns nothing.", fix);
    const auto own = guarded(who, [&]() -> Result<std::string> { return std::string((*made)->id()); },
                             {ErrorCode::unavailable, fix});
    if (!own) return std::unexpected(own.error());
    if (*own != backend.id)
        return fail(ErrorCode::unavailable, who + " constructs one that calls itself " + quoted(*own) + ".",
                    fmt::format("return {} from its id(), or register it as {}, in {}", quoted(backend.id),
                                quoted(*own), where));
    return made;
}

}  // namespace

Result<std::unique_ptr<Backend>> Registry::construct(std::string_view id) const {
    if (const RegisteredBackend* backend = find(id))
        return during("acquiring backend " + quoted(id), constructed(*backend));
    if (const RegistryFault* known = fault(id); known != nullptr && !id.empty())
        return std::unexpected(known->error);
    std::vector<std::string> there;
    for (const RegisteredBackend& backend : by_precedence()) there.emplace_back(backend.id);
    return std::unexpected(unknown_backend(id, there));
}

Result<const graph::Pack*> Registry::acquire_pack(std::string_view id) const {
    if (const RegisteredPack* pack = find_pack(id))
        return guarded("The function of the pack " + quoted(id),
                       [&]() -> Result<const graph::Pack*> { return &pack->pack(); },
                       {ErrorCode::unavailable,
                        "take another pack, or report this to whoever provides " + printable(pack->module)});
    if (const RegistryFault* known = pack_fault(id); known != nullptr && !id.empty())
        return std::unexpected(known->error);
    std::vector<std::string> there;
    for (const RegisteredPack& pack : packs_) there.emplace_back(pack.id);
    return fail(ErrorCode::not_found, fmt::format("No pack of patterns is called {}.", quoted(id)),
                there.empty() ? "link or load a library that contributes it" : did_you_mean(id, there));
}

}  // namespace muster
