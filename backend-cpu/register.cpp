// The records: what linking this backend adds to the process.
#include <muster/backend-cpu/backend.hpp>
#include <muster/driver/inventory.hpp>

namespace muster::cpu {
namespace {

Result<std::unique_ptr<Backend>> make_backend() { return std::make_unique<CpuBackend>(); }

constexpr BackendRegistration registration{
    .id = "cpu", .factory = make_backend, .supported_ops = supported_ops};
constexpr BackendPrecedence precedence{.id = "cpu", .rank = 100};
constexpr BackendCapability capability{.id = "cpu", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);

}  // namespace muster::cpu
