// backend-vulkan in each configuration that a machine may need, as backends of their own, so that conformance
// cases and random programs run in each, on every machine. They run only if they are named.
#include <support/variant.hpp>

#include <muster/backend-vulkan/backend.hpp>

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

}  // namespace

MUSTER_VARIANT(staged_one, "vulkan-staged", staged, test::variant_tags);
MUSTER_VARIANT(fenced_one, "vulkan-fenced", fenced, test::variant_tags);

}  // namespace muster::vulkan
