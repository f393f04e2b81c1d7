// What the build submits beside a backend that it links: -DID='"alpha"'.
#include <muster/driver/contract/inventory.hpp>

namespace {
constexpr muster::BackendExpectation expectation{.id = ID};
MUSTER_SUBMIT(expectation);
}  // namespace
