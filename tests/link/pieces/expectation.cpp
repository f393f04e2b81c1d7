// Submits the expectation that the build links beside a backend: -DID='"alpha"'.
#include <muster/driver/contract/inventory.hpp>

namespace {
constexpr muster::BackendExpectation expectation{.id = ID};
MUSTER_SUBMIT(expectation);
}  // namespace
