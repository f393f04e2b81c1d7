// Submits a registration like one of another version of muster.
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/inventory.hpp>

namespace {
muster::Result<std::unique_ptr<muster::Backend>> make_nothing() {
    return muster::fail(muster::ErrorCode::internal, "Nobody calls this.");
}
const muster::OpSet& no_ops() {
    static const muster::OpSet none;
    return none;
}

constexpr muster::BackendRegistration registration = [] {
    muster::BackendRegistration record{.id = "foreign", .factory = make_nothing, .supported_ops = no_ops};
    record.header.abi = "muster 0.0.1 libother";
    return record;
}();
MUSTER_SUBMIT(registration);
}  // namespace
