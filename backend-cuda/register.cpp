// Records that linking this backend adds to the process.
#include <muster/backend-cuda/backend.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/make_backend.hpp>

namespace muster::cuda {
namespace {

constexpr BackendRegistration registration{
    .id = "cuda", .factory = make_backend<CudaBackend>, .supported_ops = supported_ops};
constexpr BackendPrecedence precedence{.id = "cuda", .rank = 10};
constexpr BackendCapability capability{.id = "cuda", .dispatches = true};
constexpr BackendEnvironment environment{.id = "cuda", .hides_devices = "CUDA_VISIBLE_DEVICES"};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);
MUSTER_SUBMIT(environment);

}  // namespace muster::cuda
