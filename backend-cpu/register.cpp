// The records: what linking this backend adds to the process.
#include <muster/backend-cpu/backend.hpp>
#include <muster/backend-cpu/device/device.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/make_backend.hpp>

namespace muster::cpu {
namespace {

constexpr BackendRegistration registration{
    .id = "cpu", .factory = make_backend<CpuBackend>, .supported_ops = supported_ops};
constexpr BackendPrecedence precedence{.id = "cpu", .rank = 100};
constexpr BackendCapability capability{.id = "cpu", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);

}  // namespace muster::cpu
