#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/webgpu/chain.hpp>
#include <muster/webgpu/instance.hpp>

using namespace muster;
using namespace muster::webgpu;

namespace {

constexpr std::array instance_features{WGPUInstanceFeatureName_TimedWaitAny,
                                       WGPUInstanceFeatureName_MultipleDevicesPerAdapter};

// Each is understood by the front end, and isn't about textures.
constexpr std::array language_features{WGPUWGSLLanguageFeatureName_Packed4x8IntegerDotProduct,
                                       WGPUWGSLLanguageFeatureName_UnrestrictedPointerParameters,
                                       WGPUWGSLLanguageFeatureName_PointerCompositeAccess,
                                       WGPUWGSLLanguageFeatureName_UniformBufferStandardLayout,
                                       WGPUWGSLLanguageFeatureName_SubgroupId,
                                       WGPUWGSLLanguageFeatureName_SubgroupUniformity,
                                       WGPUWGSLLanguageFeatureName_LinearIndexing};

constexpr std::size_t most_futures = 64;

#ifdef MUSTER_WEBGPU_HAS_WGPU_H
constexpr std::array extras{static_cast<WGPUSType>(WGPUSType_InstanceExtras)};
#else
constexpr std::array<WGPUSType, 0> extras{};
#endif

Result<void> check(const WGPUInstanceDescriptor& descriptor) {
    if (auto chain = check_chain(descriptor.nextInChain, "WGPUInstanceDescriptor", extras); !chain)
        return chain;
    for (std::size_t i = 0; i < descriptor.requiredFeatureCount; ++i)
        if (std::ranges::find(instance_features, descriptor.requiredFeatures[i]) == instance_features.end())
            return fail(
                ErrorCode::unsupported,
                fmt::format(
                    "The required feature of the instance {} isn't there.",
                    descriptor.requiredFeatures[i] == WGPUInstanceFeatureName_ShaderSourceSPIRV
                        ? std::string("ShaderSourceSPIRV")
                        : fmt::format("0x{:x}", static_cast<unsigned>(descriptor.requiredFeatures[i]))),
                "ask for TimedWaitAny and MultipleDevicesPerAdapter only");
    const WGPUInstanceLimits* limits = descriptor.requiredLimits;
    if (limits != nullptr && limits->timedWaitAnyMaxCount > most_futures)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The required timedWaitAnyMaxCount is {}; the limit is {}.",
                                limits->timedWaitAnyMaxCount, most_futures),
                    fmt::format("ask for at most {}", most_futures));
    return {};
}

/// An array that the program frees with its FreeMembers function.
template <class T>
const T* copied(std::span<const T> values) {
    T* made = new T[values.size()];
    std::ranges::copy(values, made);
    return made;
}

}  // namespace

void WGPUInstanceImpl::last_release() {
    futures->cancel_all();
    Object::last_release();
}

WGPUCallbackMode muster::webgpu::mode_of(WGPUCallbackMode given) {
    return given == WGPUCallbackMode{} ? WGPUCallbackMode_AllowSpontaneous : given;
}

WGPUFuture muster::webgpu::done(Instance& instance, WGPUCallbackMode mode,
                                std::function<void(bool)> callback) {
    return instance.futures->add(std::make_shared<DoneEvent>(mode_of(mode), std::move(callback)));
}

void muster::webgpu::log_misuse(std::string_view call, const Error& error) {
    log(LogLevel::error, Error(error).during(fmt::format("calling {}", call)).to_string());
}

WGPUInstance wgpuCreateInstance(WGPUInstanceDescriptor const* descriptor) {
    bool has_timed_waits = false;
    if (descriptor != nullptr) {
        if (const auto valid = check(*descriptor); !valid) {
            log_misuse("wgpuCreateInstance", valid.error());
            return nullptr;
        }
        for (std::size_t i = 0; i < descriptor->requiredFeatureCount; ++i)
            has_timed_waits |= descriptor->requiredFeatures[i] == WGPUInstanceFeatureName_TimedWaitAny;
    }
    return new Instance(has_timed_waits, most_futures);
}

void wgpuInstanceAddRef(WGPUInstance instance) { instance->add_ref(); }
void wgpuInstanceRelease(WGPUInstance instance) { instance->release(); }

void wgpuGetInstanceFeatures(WGPUSupportedInstanceFeatures* features) {
    *features = {instance_features.size(), copied<WGPUInstanceFeatureName>(instance_features)};
}
void wgpuSupportedInstanceFeaturesFreeMembers(WGPUSupportedInstanceFeatures features) {
    delete[] features.features;
}

WGPUBool wgpuHasInstanceFeature(WGPUInstanceFeatureName feature) {
    return std::ranges::find(instance_features, feature) != instance_features.end();
}

WGPUStatus wgpuGetInstanceLimits(WGPUInstanceLimits* limits) {
    if (const auto valid = check_chain(limits->nextInChain, "WGPUInstanceLimits"); !valid) {
        log_misuse("wgpuGetInstanceLimits", valid.error());
        return WGPUStatus_Error;
    }
    limits->timedWaitAnyMaxCount = most_futures;
    return WGPUStatus_Success;
}

void wgpuInstanceGetWGSLLanguageFeatures(WGPUInstance, WGPUSupportedWGSLLanguageFeatures* features) {
    *features = {language_features.size(), copied<WGPUWGSLLanguageFeatureName>(language_features)};
}
void wgpuSupportedWGSLLanguageFeaturesFreeMembers(WGPUSupportedWGSLLanguageFeatures features) {
    delete[] features.features;
}
WGPUBool wgpuInstanceHasWGSLLanguageFeature(WGPUInstance, WGPUWGSLLanguageFeatureName feature) {
    return std::ranges::find(language_features, feature) != language_features.end();
}

void wgpuInstanceProcessEvents(WGPUInstance instance) {
    const auto futures = instance->futures;  // a callback may release the instance
    futures->process();
}

WGPUWaitStatus wgpuInstanceWaitAny(WGPUInstance instance, size_t count, WGPUFutureWaitInfo* infos,
                                   uint64_t timeout_ns) {
    const auto refuse = [](ErrorCode code, std::string what, std::string fix) {
        log_misuse("wgpuInstanceWaitAny", Error{code, std::move(what), std::move(fix), {}});
        return WGPUWaitStatus_Error;
    };
    if (timeout_ns > 0 && !instance->has_timed_waits)
        return refuse(ErrorCode::invalid_argument,
                      "The wait has a time-out, and the instance was made without TimedWaitAny.",
                      "require that feature of the instance, or wait with a time-out of 0");
    if (timeout_ns > 0 && count > instance->most_waited)
        return refuse(
            ErrorCode::limit_exceeded,
            fmt::format("The wait is for {} futures; the limit is {}.", count, instance->most_waited),
            "wait for fewer at a time");
    const auto futures = instance->futures;
    constexpr auto longest = static_cast<std::uint64_t>(INT64_MAX / 4);
    return futures->wait_any(
        {infos, count}, std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(timeout_ns, longest))));
}
