#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <muster/backend-vulkan/compile/compile.hpp>
#include <muster/backend-vulkan/device/device.hpp>
#include <muster/backend-vulkan/native/check.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::vulkan {

Result<std::unique_ptr<VulkanDevice>> VulkanDevice::open(std::shared_ptr<const Instance> instance,
                                                         const PhysicalDevice& physical,
                                                         const DeviceInfo& info,
                                                         const VulkanOptions& options) {
    auto device = TRY(LogicalDevice::open(std::move(instance), physical));
    auto cache = TRY(PipelineCache::create(*device));
    auto timeline = TRY(Timeline::create(*device, physical.timeline_semaphores && !options.fences));
    return std::unique_ptr<VulkanDevice>(
        new VulkanDevice(std::move(device), std::move(timeline), std::move(cache), info, options));
}

VulkanDevice::VulkanDevice(std::unique_ptr<LogicalDevice> device, std::unique_ptr<Timeline> timeline,
                           PipelineCache cache, const DeviceInfo& info, const VulkanOptions& options)
    : info_(info),
      device_(std::move(device)),
      cache_(std::move(cache)),
      timeline_(std::move(timeline)),
      memory_(*device_, *timeline_, options.staged),
      queue_(*device_, *timeline_, options.timestamps || !device_->physical().is_processor(),
             options.staged) {}

VulkanDevice::~VulkanDevice() { queue_.close(); }

Result<Artifact> VulkanDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    const Subgroups& subgroups = device_->physical().subgroups;
    const std::uint64_t invocations = program->workgroup_size().count(), size = options.subgroup_size;
    if (subgroups.is_required && size != 0 && invocations > size * subgroups.most)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("A workgroup of {} has {} subgroups of {}, more than the {} that {} has.",
                                program->entry(), round_up(invocations, size) / size, size, subgroups.most,
                                info_.name),
                    "ask for larger subgroups, or use smaller workgroups");
    return compile_spirv(program, lower_target(device_->physical(), options));
}

Result<std::unique_ptr<Executable>> VulkanDevice::load(const Artifact& artifact) {
    auto executable = TRY(load_pipeline(*device_, cache_.get(), artifact));
    if (device_->physical().is_processor() && queue_.is_idle())
        (void)run_nothing(*executable, artifact.bindings.size());  // the first dispatch reports any error
    return executable;
}

Result<void> VulkanDevice::run_nothing(const Executable& executable, std::size_t binding_count) {
    constexpr std::uint64_t bytes = 256;  // never read or written
    const auto memory = TRY(allocate(bytes));
    const std::vector<BoundMemory> bindings(binding_count, {.memory = memory.get(), .bytes = bytes});
    const Submitted submitted = TRY(
        submit({.executable = &executable, .bindings = bindings, .extent = {0, 1, 1}, .grid = {0, 1, 1}}));
    const auto* const running = std::get_if<std::shared_ptr<Submission>>(&submitted);
    while (running != nullptr) {
        const auto end = (*running)->wait(std::chrono::nanoseconds::max());
        if (end || end.error().code != ErrorCode::timed_out) break;
    }
    return {};
}

}  // namespace muster::vulkan
