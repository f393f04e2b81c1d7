// Backends in C: they compile what they run, which this library doesn't.
#include <muster/driver/c_table/backend.hpp>

namespace muster {

Result<std::unique_ptr<Backend>> make_table_backend(const muster_backend_table*, std::string_view id) {
    return fail(
        ErrorCode::unsupported,
        std::string(id) +
            " is a backend in C, and this program is linked with muster::runtime, which compiles nothing.",
        "link muster::muster");
}

const OpSet& table_operations(const muster_backend_table*) {
    static const OpSet none;
    return none;
}

}  // namespace muster
