// list.hpp - a registry's contents as one line: "alpha:1:dispatches beta:2:emits; dropped_by_linker:gamma".
#pragma once

#include <string>

#include <muster/driver/registry/freeze.hpp>

inline std::string list(muster::BackendList backends) {
    std::string text;
    for (const muster::RegisteredBackend& backend : backends)
        text += (text.empty() ? "" : " ") + std::string(backend.id) + ":" + std::to_string(backend.rank) +
                (backend.dispatches ? ":dispatches" : ":emits");
    return text.empty() ? "none" : text;
}

inline std::string list(const muster::Registry& registry) {
    std::string text = list(registry.by_precedence());
    for (const muster::RegistryFault& fault : registry.faults())
        text += "; " + std::string(name(fault.rule)) + ":" + fault.id;
    return text;
}

/// The file that each backend is in: "alpha in listing".
inline std::string list_modules(const muster::Registry& registry) {
    std::string text;
    for (const muster::RegisteredBackend& backend : registry.by_id())
        text += (text.empty() ? "" : ", ") + std::string(backend.id) + " in " +
                std::string(backend.module.substr(backend.module.rfind('/') + 1));
    return text;
}
