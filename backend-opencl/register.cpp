// Records that linking this backend adds to the process.
#include <muster/backend-opencl/backend.hpp>
#include <muster/backend-opencl/lowering/lower.hpp>

namespace muster::opencl {
namespace {

constexpr BackendRegistration registration{
    .id = "opencl", .factory = make_backend<OpenClBackend>, .supported_ops = supported_ops};
constexpr BackendPrecedence precedence{.id = "opencl", .rank = 60};
constexpr BackendCapability capability{.id = "opencl", .dispatches = true};
constexpr BackendEnvironment environment{
    .id = "opencl", .hides_devices = "OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH POCL_DEVICES"};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);
MUSTER_SUBMIT(environment);

}  // namespace muster::opencl
