// Defines the functions that the other pieces' records point to.
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/records.hpp>

namespace muster::link_test {

Result<std::unique_ptr<Backend>> make_nothing();
const OpSet& no_ops();

Result<std::unique_ptr<Backend>> make_nothing() {
    return fail(ErrorCode::unavailable, "It is only a record.");
}
const OpSet& no_ops() {
    static const OpSet none;
    return none;
}

}  // namespace muster::link_test
