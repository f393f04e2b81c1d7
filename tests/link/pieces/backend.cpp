// Submits a backend's three records: -DID='"alpha"' -DRANK=1.
#include <muster/driver/contract/inventory.hpp>

namespace muster::link_test {

Result<std::unique_ptr<Backend>> make_nothing();  // defined in kit.cpp
const OpSet& no_ops();

namespace {
constexpr BackendRegistration registration{.id = ID, .factory = make_nothing, .supported_ops = no_ops};
constexpr BackendPrecedence precedence{.id = ID, .rank = RANK};
constexpr BackendCapability capability{.id = ID, .dispatches = RANK % 2 == 1};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);
}  // namespace

}  // namespace muster::link_test
