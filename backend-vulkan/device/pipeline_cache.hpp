// pipeline_cache.hpp - the driver's cache of compiled pipelines, kept on disk for later processes
// (driver/cache). Threads: get() any.
#pragma once

#include <cstddef>
#include <string>

#include <muster/backend-vulkan/native/handle.hpp>
#include <muster/backend-vulkan/native/logical_device.hpp>
#include <muster/driver/cache/disk_cache.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::vulkan {

class PipelineCache {
  public:
    /// Begins with what an earlier process has kept for this device and driver.
    /// `device` must outlive the cache.
    static Result<PipelineCache> create(const LogicalDevice& device,
                                        const DiskCache& disk = DiskCache::process());
    PipelineCache(PipelineCache&&) = default;
    PipelineCache& operator=(PipelineCache&&) = delete;
    /// Keeps the pipelines if any were added. Failing to isn't an error.
    ~PipelineCache();
    VkPipelineCache get() const { return cache_.get(); }

  private:
    PipelineCache(const LogicalDevice& device, const DiskCache& disk);
    std::string data() const;

    const LogicalDevice* device_;
    const DiskCache* disk_;
    CacheKey key_;
    std::size_t bytes_at_first_ = 0;
    UniquePipelineCache cache_;
};

}  // namespace muster::vulkan
