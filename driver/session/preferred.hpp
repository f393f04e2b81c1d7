// preferred.hpp - the backend to dispatch on here, without a session.
//
//     auto preferred = acquire_preferred();      // or an error that lists every candidate with its reason
//     auto device = preferred->backend->open(preferred->device.ordinal);
//
// A session's picker chooses, under a session's policy (docs/choosing.md), for a kernel that asks nothing of its device:
// the lowest rank that is constructed, answers its probe in time and has a device; devices emulated in software last.
// Plugins are opened in that order. A better one that failed is warned of, once. Threads: any.
#pragma once

#include <memory>
#include <variant>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/driver/policy/policy.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace MUSTER_API muster {

/// A backend that dispatches here, and the device that was chosen. Sessions of the process use the same object.
struct Preferred {
    std::shared_ptr<Backend> backend;
    DeviceInfo device;
};

/// A backend that emits, and its default target: nothing here dispatches.
struct PreferredEmitter {
    std::shared_ptr<Backend> backend;
    Target target;
};

/// `policy` stands over the environment's and the process's default, as a session's does.
/// Errors: unavailable, with every candidate and its reason; invalid_argument (policy or environment).
Result<Preferred> acquire_preferred(const Policy& policy = {});

/// The same of this registry's backends alone, which are constructed and probed anew. The registry must outlive them.
Result<Preferred> acquire_preferred(const Registry& registry);

/// As acquire_preferred(); if no backend dispatches here, the preferred one to emit. Errors: the same, if there is neither.
Result<std::variant<Preferred, PreferredEmitter>> acquire_preferred_or_emitter(const Policy& policy = {});

}  // namespace muster
