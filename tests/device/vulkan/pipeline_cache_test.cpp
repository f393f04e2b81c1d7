// The driver's cache of pipelines: kept on disk when it has grown, and given to the driver by the next process.
#include <cstring>
#include <string>

#include <support/scratch_folder.hpp>

#include <muster/backend-vulkan/device/pipeline_cache.hpp>
#include <muster/backend-vulkan/native/instance.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::vulkan;

namespace {

// What a driver's cache holds; the functions that stand in for the driver's have no other state.
std::string held, given_at_first;

VkResult create(VkDevice, const VkPipelineCacheCreateInfo* info, const VkAllocationCallbacks*,
                VkPipelineCache* made) {
    given_at_first.assign(static_cast<const char*>(info->pInitialData), info->initialDataSize);
    held = given_at_first;
    *made = reinterpret_cast<VkPipelineCache>(&held);
    return VK_SUCCESS;
}
VkResult get(VkDevice, VkPipelineCache, std::size_t* bytes, void* to) {
    if (to != nullptr) std::memcpy(to, held.data(), held.size());
    *bytes = held.size();
    return VK_SUCCESS;
}
void destroy(VkDevice, VkPipelineCache, const VkAllocationCallbacks*) {}

/// A device whose driver's cache is `held`.
std::unique_ptr<LogicalDevice> device_with_cache() {
    const auto instance = *Instance::process();
    auto device = *LogicalDevice::open(instance, physical_devices(*instance)->front());
    auto& table = const_cast<VolkDeviceTable&>(device->table());
    table.vkCreatePipelineCache = create;
    table.vkGetPipelineCacheData = get;
    table.vkDestroyPipelineCache = destroy;
    return device;
}

}  // namespace

TEST_CASE("the driver's pipelines are kept when some were added, and given to the next process") {
    const test::ScratchFolder folder;
    const DiskCache disk(folder.path / "cache");
    const auto device = device_with_cache();
    { const auto cache = *PipelineCache::create(*device, disk); }
    CHECK(disk.list()->empty());
    {
        const auto cache = *PipelineCache::create(*device, disk);
        CHECK(given_at_first.empty());
        held = "two pipelines";
    }
    REQUIRE(disk.list()->size() == 1);
    CHECK(disk.list()->front().label.starts_with("pipelines for "));
    {
        const auto cache = *PipelineCache::create(*device, disk);
        CHECK(given_at_first == "two pipelines");
        held = "one";  // it has not grown
    }
    { const auto cache = *PipelineCache::create(*device, disk); }
    CHECK(given_at_first == "two pipelines");
}

TEST_CASE("without a folder the driver isn't asked for its pipelines") {
    const auto device = device_with_cache();
    const DiskCache nowhere("");
    const auto cache = *PipelineCache::create(*device, nowhere);
    CHECK(given_at_first.empty());
    CHECK(cache.get() != VK_NULL_HANDLE);
}
