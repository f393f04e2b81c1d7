#include <utility>

#include <muster/backend-vulkan/check.hpp>
#include <muster/backend-vulkan/compile.hpp>
#include <muster/backend-vulkan/device.hpp>

namespace muster::vulkan {

Result<std::unique_ptr<VulkanDevice>> VulkanDevice::open(std::shared_ptr<const Instance> instance,
                                                         const PhysicalDevice& physical,
                                                         const DeviceInfo& info,
                                                         const VulkanOptions& options) {
    auto device = TRY(LogicalDevice::open(std::move(instance), physical));
    UniquePipelineCache cache(*device);
    const VkPipelineCacheCreateInfo cache_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    TRY(check("vkCreatePipelineCache", [&] {
        return device->table().vkCreatePipelineCache(device->handle(), &cache_info, nullptr, cache.out());
    }));
    auto timeline = TRY(Timeline::create(*device, physical.timeline_semaphores && !options.fences));
    return std::unique_ptr<VulkanDevice>(
        new VulkanDevice(std::move(device), std::move(timeline), std::move(cache), info, options));
}

VulkanDevice::VulkanDevice(std::unique_ptr<LogicalDevice> device, std::unique_ptr<Timeline> timeline,
                           UniquePipelineCache cache, const DeviceInfo& info, const VulkanOptions& options)
    : info_(info),
      device_(std::move(device)),
      cache_(std::move(cache)),
      timeline_(std::move(timeline)),
      memory_(*device_, *timeline_, options.staged),
      queue_(*device_, *timeline_, options.timestamps || !device_->physical().is_processor(),
             options.staged) {}

VulkanDevice::~VulkanDevice() { queue_.close(); }

Result<Artifact> VulkanDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    return compile_spirv(program, lower_target(device_->physical(), options));
}

Result<std::unique_ptr<Executable>> VulkanDevice::load(const Artifact& artifact) {
    return load_pipeline(*device_, cache_.get(), artifact);
}

}  // namespace muster::vulkan
