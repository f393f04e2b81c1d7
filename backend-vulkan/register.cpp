// The records: what linking this backend adds to the process.
#include <muster/backend-vulkan/backend.hpp>
#include <muster/driver/inventory.hpp>

namespace muster::vulkan {
namespace {

Result<std::unique_ptr<Backend>> make_backend() { return std::make_unique<VulkanBackend>(); }

constexpr BackendRegistration registration{
    .id = "vulkan", .factory = make_backend, .supported_ops = supported_ops};
constexpr BackendPrecedence precedence{.id = "vulkan", .rank = 50};
constexpr BackendCapability capability{.id = "vulkan", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);

}  // namespace muster::vulkan
