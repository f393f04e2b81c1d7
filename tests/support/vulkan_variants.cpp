// backend-vulkan in each configuration that a machine may need, as backends of their own, so that conformance
// cases and random programs run in each, on every machine. They run only if they are named.
#include <muster/backend-vulkan/backend.hpp>
#include <muster/driver/contract/inventory.hpp>

namespace muster::vulkan {
namespace {

/// Like on a GPU with memory of its own: copies, and timestamps of the device.
Result<std::unique_ptr<Backend>> staged() {
    return std::make_unique<VulkanBackend>(
        VulkanOptions{.id = "vulkan-staged", .staged = true, .timestamps = true});
}
/// Like on a device of Vulkan 1.1.
Result<std::unique_ptr<Backend>> fenced() {
    return std::make_unique<VulkanBackend>(VulkanOptions{.id = "vulkan-fenced", .fences = true});
}

constexpr Tags test_tags = "debug test";
constexpr BackendRegistration staged_one{
    .id = "vulkan-staged", .factory = staged, .supported_ops = supported_ops, .tags = test_tags};
constexpr BackendRegistration fenced_one{
    .id = "vulkan-fenced", .factory = fenced, .supported_ops = supported_ops, .tags = test_tags};
constexpr BackendCapability staged_runs{.id = "vulkan-staged", .dispatches = true};
constexpr BackendCapability fenced_runs{.id = "vulkan-fenced", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(staged_one);
MUSTER_SUBMIT(fenced_one);
MUSTER_SUBMIT(staged_runs);
MUSTER_SUBMIT(fenced_runs);

}  // namespace muster::vulkan
