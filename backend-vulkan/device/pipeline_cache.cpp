#include <string_view>

#include <fmt/format.h>

#include <muster/backend-vulkan/device/pipeline_cache.hpp>
#include <muster/backend-vulkan/native/check.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {
namespace {

/// The driver takes data of this device, driver and version of the driver alone.
CacheKey key_of(const PhysicalDevice& device) {
    const VkPhysicalDeviceProperties& of = device.properties;
    return digest_of(fmt::format(
        "vulkan pipelines\n{} {} {} {}\n{}", of.vendorID, of.deviceID, of.driverVersion, device.driver,
        std::string_view(reinterpret_cast<const char*>(of.pipelineCacheUUID), VK_UUID_SIZE)));
}

}  // namespace

PipelineCache::PipelineCache(const LogicalDevice& device, const DiskCache& disk)
    : device_(&device), disk_(&disk), key_(key_of(device.physical())), cache_(device) {}

Result<PipelineCache> PipelineCache::create(const LogicalDevice& device, const DiskCache& disk) {
    PipelineCache made(device, disk);
    const std::string kept = disk.find(made.key_).value_or("");
    const VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                         .initialDataSize = kept.size(),
                                         .pInitialData = kept.data()};
    TRY(check("vkCreatePipelineCache", [&] {
        return device.table().vkCreatePipelineCache(device.handle(), &info, nullptr, made.cache_.out());
    }));
    made.bytes_at_first_ = made.data().size();
    return made;
}

/// The cache as the driver stores it; empty if it can't be had.
std::string PipelineCache::data() const {
    const auto get = [&](std::size_t& bytes, char* to) {
        return device_->table().vkGetPipelineCacheData(device_->handle(), cache_.get(), &bytes, to) ==
               VK_SUCCESS;
    };
    std::size_t bytes = 0;
    std::string text;
    if (disk_->folder().empty() || !get(bytes, nullptr) || bytes > disk_->most_bytes() / 4) return {};
    text.resize(bytes);
    if (!get(bytes, text.data())) return {};
    text.resize(bytes);
    return text;
}

PipelineCache::~PipelineCache() {
    if (cache_.get() == VK_NULL_HANDLE) return;
    try {
        const std::string now = data();
        if (now.size() > bytes_at_first_)
            disk_->keep(key_, fmt::format("pipelines for {}", device_->physical().properties.deviceName),
                        now);
    } catch (...) {  // out of memory
    }
}

}  // namespace muster::vulkan
