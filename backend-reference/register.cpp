// The records: what linking this backend adds to the process.
#include <muster/backend-reference/backend.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/make_backend.hpp>

namespace muster::reference {
namespace {

// The rank is the last of all, and the tag keeps the interpreter from being chosen unless asked for.
constexpr BackendRegistration registration{.id = "reference",
                                           .factory = make_backend<ReferenceBackend>,
                                           .supported_ops = supported_ops,
                                           .tags = "debug"};
constexpr BackendPrecedence precedence{.id = "reference", .rank = UINT32_MAX - 1};
constexpr BackendCapability capability{.id = "reference", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);

}  // namespace muster::reference
