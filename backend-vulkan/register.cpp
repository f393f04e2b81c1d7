// The records: what linking this backend adds to the process.
#include <muster/backend-vulkan/backend.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/make_backend.hpp>

namespace muster::vulkan {
namespace {

constexpr BackendRegistration registration{
    .id = "vulkan", .factory = make_backend<VulkanBackend>, .supported_ops = supported_ops};
constexpr BackendPrecedence precedence{.id = "vulkan", .rank = 50};
constexpr BackendCapability capability{.id = "vulkan", .dispatches = true};
constexpr BackendEnvironment environment{
    .id = "vulkan",
    .hides_devices =
        "VK_DRIVER_FILES VK_ICD_FILENAMES VK_LOADER_DRIVERS_SELECT VK_LOADER_DRIVERS_DISABLE "
        "VK_LOADER_DEVICE_SELECT MESA_VK_DEVICE_SELECT"};

}  // namespace

MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);
MUSTER_SUBMIT(environment);

}  // namespace muster::vulkan
