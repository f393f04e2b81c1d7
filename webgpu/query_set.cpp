#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/chain.hpp>
#include <muster/webgpu/query_set.hpp>

namespace muster::webgpu {
namespace {

constexpr std::uint32_t most_queries = 4096;

Result<void> check_feature(const GpuDevice& device) {
    if (device.has(WGPUFeatureName_TimestampQuery)) return {};
    return fail(ErrorCode::unsupported,
                fmt::format("Timestamps need the feature timestamp-query, and the {} was made without it.",
                            device.shown()),
                "require that feature of the device (WGPUDeviceDescriptor::requiredFeatures)");
}

Result<void> check(const GpuDevice& device, const WGPUQuerySetDescriptor& descriptor) {
#ifdef MUSTER_WEBGPU_HAS_WGPU_H
    if (static_cast<unsigned>(descriptor.type) ==
        static_cast<unsigned>(WGPUNativeQueryType_PipelineStatistics))
        return fail(ErrorCode::unsupported,
                    "The query set is of pipeline statistics, which the device doesn't count.",
                    "use WGPUQueryType_Timestamp");
#endif
    TRY(check_chain(descriptor.nextInChain, "WGPUQuerySetDescriptor"));
    if (descriptor.type != WGPUQueryType_Occlusion && descriptor.type != WGPUQueryType_Timestamp)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The query set's type is {}, which is none.", static_cast<unsigned>(descriptor.type)),
            "use WGPUQueryType_Timestamp");
    if (descriptor.type == WGPUQueryType_Timestamp) TRY(check_feature(device));
    if (descriptor.count > most_queries)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("The query set has {} queries; the limit is {}.", descriptor.count, most_queries),
            "use several query sets");
    return {};
}

}  // namespace

Result<void> check_timestamp(const GpuDevice& device, const QuerySet* set, std::uint32_t index) {
    TRY(check_feature(device));
    if (set == nullptr) return fail(ErrorCode::invalid_argument, "No query set is given.", "set querySet");
    TRY(set->usable_by(device));
    if (set->type != WGPUQueryType_Timestamp)
        return fail(ErrorCode::invalid_argument, fmt::format("The {} isn't one of timestamps.", set->shown()),
                    "create it with WGPUQueryType_Timestamp");
    if (index >= set->count)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Query {} is written; the {} has {}.", index, set->shown(), set->count),
                    "use a smaller index");
    return {};
}

}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

void WGPUQuerySetImpl::write(std::uint32_t index, std::uint64_t value) {
    const std::lock_guard lock(mutex_);
    values_[index] = value;
}

std::vector<std::uint64_t> WGPUQuerySetImpl::read(std::uint32_t first, std::uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return {values_.begin() + first, values_.begin() + first + number};
}

void WGPUQuerySetImpl::destroy() {
    const std::lock_guard lock(mutex_);
    is_destroyed_ = true;
}

Result<void> WGPUQuerySetImpl::free_for_work() const {
    const std::lock_guard lock(mutex_);
    if (!is_destroyed_) return {};
    return fail(ErrorCode::invalid_argument, fmt::format("The {} is used after it was destroyed.", shown()),
                "destroy it once all work that uses it has been submitted");
}

WGPUQuerySet wgpuDeviceCreateQuerySet(WGPUDevice device, WGPUQuerySetDescriptor const* descriptor) {
    const bool is_valid =
        device->attempt("wgpuDeviceCreateQuerySet", [&] { return check(*device, *descriptor); });
    return new QuerySet(device, *descriptor, is_valid);
}
MUSTER_WEBGPU_OBJECT(QuerySet)
void wgpuQuerySetDestroy(WGPUQuerySet set) { set->destroy(); }
uint32_t wgpuQuerySetGetCount(WGPUQuerySet set) { return set->count; }
WGPUQueryType wgpuQuerySetGetType(WGPUQuerySet set) { return set->type; }
