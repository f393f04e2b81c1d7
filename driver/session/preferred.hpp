// preferred.hpp - the preferred backend and device of this machine, without a session.
//
//     auto preferred = acquire_preferred();      // or an error that lists every candidate with its reason
//     auto device = preferred->backend->open(preferred->device.ordinal);
//
// The choice is a session's, under the same policy (docs/choosing.md), for a kernel that any device can run:
// the backend of the lowest rank that can be constructed, answers its probe in time and has a device;
// software-emulated devices come last. Plugins are opened in that order. If a better backend failed, one
// warning is logged. Threads: any.
#pragma once

#include <memory>
#include <variant>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/driver/policy/policy.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A backend that can dispatch here, and its chosen device. The process's sessions use the same backend,
/// which is wrapped here as acquire() wraps it (backends.hpp).
struct Preferred {
    std::shared_ptr<Backend> backend;
    DeviceInfo device;
};

/// A backend that emits, and its default target; the result if no backend can dispatch here.
struct PreferredEmitter {
    std::shared_ptr<Backend> backend;
    Target target;
};

/// Returns the preferred backend. `policy` takes precedence over the environment and the process
/// default, as in a session. Errors: unavailable, with every candidate and its reason; invalid_argument
/// (policy or environment).
Result<Preferred> acquire_preferred(const Policy& policy = {});

/// Chooses among this registry's backends only, and constructs and probes them anew. The
/// registry must outlive them.
Result<Preferred> acquire_preferred(const Registry& registry);

/// Like acquire_preferred(), but returns the preferred emitter if no backend can
/// dispatch here. Errors: as there.
Result<std::variant<Preferred, PreferredEmitter>> acquire_preferred_or_emitter(const Policy& policy = {});

MUSTER_API_END
}  // namespace muster
