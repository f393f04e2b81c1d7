// The records: what linking this backend adds to the process.
#include <muster/backend-cuda/backend.hpp>
#include <muster/driver/inventory.hpp>

namespace muster::cuda {
namespace {

Result<std::unique_ptr<Backend>> make_backend() { return std::make_unique<CudaBackend>(); }

constexpr BackendRegistration registration{
    .id = "cuda", .factory = make_backend, .supported_ops = supported_ops};
constexpr BackendPrecedence precedence{.id = "cuda", .rank = 10};
constexpr BackendCapability capability{.id = "cuda", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);

}  // namespace muster::cuda
