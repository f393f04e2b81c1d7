// A registration as another version of muster would submit it.
#include <muster/driver/inventory.hpp>

namespace {
constexpr muster::BackendRegistration registration = [] {
    muster::BackendRegistration record{.id = "foreign"};
    record.header.abi = "muster 0.0.1 libother";
    return record;
}();
MUSTER_SUBMIT(registration);
}  // namespace
