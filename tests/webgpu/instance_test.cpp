// Instances, adapters and devices: features, limits, what is asked for and what is given, and the end of a device.
#include <algorithm>
#include <array>

#include "webgpu/kit.hpp"

namespace webgpu_test {
namespace {

TEST_CASE("an instance tells its features and limits, and refuses others") {
    WGPUSupportedInstanceFeatures features{};
    wgpuGetInstanceFeatures(&features);
    const std::span all(features.features, features.featureCount);
    CHECK(std::ranges::find(all, WGPUInstanceFeatureName_TimedWaitAny) != all.end());
    CHECK(wgpuHasInstanceFeature(WGPUInstanceFeatureName_TimedWaitAny));
    CHECK_FALSE(wgpuHasInstanceFeature(WGPUInstanceFeatureName_ShaderSourceSPIRV));
    wgpuSupportedInstanceFeaturesFreeMembers(features);

    WGPUInstanceLimits limits = WGPU_INSTANCE_LIMITS_INIT;
    CHECK(wgpuGetInstanceLimits(&limits) == WGPUStatus_Success);
    CHECK(limits.timedWaitAnyMaxCount >= 64);
    Strange strange;
    limits.nextInChain = &strange.chain;
    CHECK(wgpuGetInstanceLimits(&limits) == WGPUStatus_Error);

    WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
    descriptor.nextInChain = &strange.chain;
    CHECK(wgpuCreateInstance(&descriptor) == nullptr);
    DawnToggles toggles;
    descriptor.nextInChain = &toggles.chain;
    const Instance with_toggles(wgpuCreateInstance(&descriptor));
    CHECK(with_toggles);
    const std::array spirv{WGPUInstanceFeatureName_ShaderSourceSPIRV};
    descriptor.requiredFeatureCount = 1;
    descriptor.requiredFeatures = spirv.data();
    CHECK(wgpuCreateInstance(&descriptor) == nullptr);
    WGPUInstanceDescriptor greedy = WGPU_INSTANCE_DESCRIPTOR_INIT;
    limits = {nullptr, 1'000'000};
    greedy.requiredLimits = &limits;
    CHECK(wgpuCreateInstance(&greedy) == nullptr);

    const Instance plain(wgpuCreateInstance(nullptr));
    CHECK(wgpuInstanceHasWGSLLanguageFeature(plain, WGPUWGSLLanguageFeatureName_PointerCompositeAccess));
    CHECK_FALSE(wgpuInstanceHasWGSLLanguageFeature(plain, WGPUWGSLLanguageFeatureName_TextureAndSamplerLet));
    WGPUSupportedWGSLLanguageFeatures language{};
    wgpuInstanceGetWGSLLanguageFeatures(plain, &language);
    CHECK(language.featureCount >= 5);
    wgpuSupportedWGSLLanguageFeaturesFreeMembers(language);
}

TEST_CASE("adapters obey the request, and say why they were chosen") {
    const Instance instance = make_instance();
    const Adapter adapter = request_adapter(instance);
    REQUIRE(adapter);
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    REQUIRE(wgpuAdapterGetInfo(adapter, &info) == WGPUStatus_Success);
    CHECK(text(info.description).find("muster ") == 0);
    CHECK(text(info.description).find("MUSTER_BACKEND") != std::string::npos);
    CHECK(text(info.description).find("chosen") != std::string::npos);
    CHECK(text(info.device) != "");
    CHECK(text(info.architecture) != "");
    CHECK(info.subgroupMinSize >= 1);
    CHECK(info.subgroupMaxSize >= info.subgroupMinSize);
    const bool is_vulkan = info.backendType == WGPUBackendType_Vulkan;
    wgpuAdapterInfoFreeMembers(info);
    Strange strange;
    WGPUAdapterInfo chained = WGPU_ADAPTER_INFO_INIT;
    chained.nextInChain = &strange.chain;
    CHECK(wgpuAdapterGetInfo(adapter, &chained) == WGPUStatus_Error);
    WGPULimits limits = WGPU_LIMITS_INIT;
    limits.nextInChain = &strange.chain;
    CHECK(wgpuAdapterGetLimits(adapter, &limits) == WGPUStatus_Error);
    CHECK(limits.maxBindGroups == WGPU_LIMIT_U32_UNDEFINED);  // not touched

    std::string message;
    WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    options.backendType = WGPUBackendType_Metal;
    CHECK_FALSE(request_adapter(instance, &options, &message));
    CHECK(message.find("Metal") != std::string::npos);
    options.backendType = WGPUBackendType_Vulkan;
    const Adapter named = request_adapter(instance, &options);  // what MUSTER_BACKEND names
    REQUIRE(named);
    REQUIRE(wgpuAdapterGetInfo(named, &info) == WGPUStatus_Success);
    CHECK((info.backendType == WGPUBackendType_Vulkan) == is_vulkan);
    CHECK((text(info.description).find("The program asks for Vulkan, and is given") != std::string::npos) !=
          is_vulkan);
    wgpuAdapterInfoFreeMembers(info);
    options.backendType = WGPUBackendType_Undefined;
    options.forceFallbackAdapter = WGPU_TRUE;
    const Adapter fallback = request_adapter(instance, &options);
    REQUIRE(fallback);  // the CPU's, or lavapipe's
    REQUIRE(wgpuAdapterGetInfo(fallback, &info) == WGPUStatus_Success);
    CHECK(info.adapterType == WGPUAdapterType_CPU);
    wgpuAdapterInfoFreeMembers(info);
    for (const auto preference : {WGPUPowerPreference_LowPower, WGPUPowerPreference_HighPerformance}) {
        WGPURequestAdapterOptions preferred = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
        preferred.powerPreference = preference;
        CHECK(request_adapter(instance, &preferred));
    }
    options.nextInChain = &strange.chain;
    CHECK_FALSE(request_adapter(instance, &options, &message));
    CHECK(message.find("0x0004ffff") != std::string::npos);

    // All of them, by wgpu-native's function.
    const std::size_t count = wgpuInstanceEnumerateAdapters(instance, nullptr, nullptr);
    REQUIRE(count >= 1);
    std::vector<WGPUAdapter> all(count);
    CHECK(wgpuInstanceEnumerateAdapters(instance, nullptr, all.data()) == count);
    for (const WGPUAdapter each : all) wgpuAdapterRelease(each);
    WGPUInstanceEnumerateAdapterOptions vulkan{nullptr, WGPUInstanceBackend_Vulkan};
    CHECK(wgpuInstanceEnumerateAdapters(instance, &vulkan, nullptr) == count);
    WGPUInstanceEnumerateAdapterOptions other{nullptr, WGPUInstanceBackend_Metal};
    CHECK(wgpuInstanceEnumerateAdapters(instance, &other, nullptr) == 0);
}

TEST_CASE("a program that asks for Vulkan gets a device that computes, unless the user wants no other type") {
    const Environment backend("MUSTER_BACKEND", std::nullopt);
    const Instance instance = make_instance();
    WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    options.backendType = WGPUBackendType_Vulkan;
    const auto info_of = [](WGPUAdapter adapter) {
        WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
        REQUIRE(adapter);
        REQUIRE(wgpuAdapterGetInfo(adapter, &info) == WGPUStatus_Success);
        const auto types = std::pair{info.backendType, info.adapterType};
        wgpuAdapterInfoFreeMembers(info);
        return types;
    };
    // Without a list of backends: a real device of Vulkan, else any other that is real.
    const auto [type, kind] = info_of(request_adapter(instance, &options));
    CHECK((type == WGPUBackendType_Vulkan || type == WGPUBackendType_Undefined));
    // With one: what it names, which says of itself what it is.
    const Environment named("MUSTER_BACKEND", "reference");
    CHECK(info_of(request_adapter(instance, &options)) ==
          std::pair{WGPUBackendType_Undefined, WGPUAdapterType_CPU});
    const Environment strict("MUSTER_WEBGPU_BACKEND_TYPE", "strict");
    std::string message;
    CHECK_FALSE(request_adapter(instance, &options, &message));
    CHECK(message.find("No adapter is of the backend type Vulkan.") != std::string::npos);
    WGPUInstanceEnumerateAdapterOptions vulkan{nullptr, WGPUInstanceBackend_Vulkan};
    CHECK(wgpuInstanceEnumerateAdapters(instance, &vulkan, nullptr) == 0);
    const Environment wrong("MUSTER_WEBGPU_BACKEND_TYPE", "yes");
    CHECK_FALSE(request_adapter(instance, &options, &message));
    CHECK(message.find("MUSTER_WEBGPU_BACKEND_TYPE is \"yes\"") != std::string::npos);
}

TEST_CASE("a device has the features and limits that it is asked for, and the standard's else") {
    const Gpu plain;
    WGPULimits limits = WGPU_LIMITS_INIT, best = WGPU_LIMITS_INIT;
    REQUIRE(wgpuDeviceGetLimits(plain.device, &limits) == WGPUStatus_Success);
    REQUIRE(wgpuAdapterGetLimits(plain.adapter, &best) == WGPUStatus_Success);
    CHECK(limits.maxBindGroups == 4);
    CHECK(limits.maxStorageBuffersPerShaderStage == 8);
    CHECK(limits.maxStorageBufferBindingSize == 134217728);
    CHECK(limits.maxComputeWorkgroupsPerDimension == 65535);
    CHECK(best.maxBindGroups > 4);
    CHECK(best.maxComputeWorkgroupsPerDimension > 65535);
    CHECK(wgpuDeviceHasFeature(plain.device, WGPUFeatureName_CoreFeaturesAndLimits));
    CHECK_FALSE(wgpuDeviceHasFeature(plain.device, WGPUFeatureName_TimestampQuery));
    CHECK(wgpuAdapterHasFeature(plain.adapter, WGPUFeatureName_TimestampQuery));
    CHECK_FALSE(wgpuAdapterHasFeature(plain.adapter, WGPUFeatureName_DepthClipControl));
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    CHECK(wgpuDeviceGetAdapterInfo(plain.device, &info) == WGPUStatus_Success);
    wgpuAdapterInfoFreeMembers(info);

    WGPULimits asked = WGPU_LIMITS_INIT;
    asked.maxBindGroups = best.maxBindGroups;
    asked.maxStorageBuffersPerShaderStage = 4;  // less than everybody has
    const Gpu more({.features = {WGPUFeatureName_TimestampQuery}, .limits = asked});
    REQUIRE(more.device);
    REQUIRE(wgpuDeviceGetLimits(more.device, &limits) == WGPUStatus_Success);
    CHECK(limits.maxBindGroups == best.maxBindGroups);
    CHECK(limits.maxStorageBuffersPerShaderStage == 8);
    WGPUSupportedFeatures features{};
    wgpuDeviceGetFeatures(more.device, &features);
    const std::span all(features.features, features.featureCount);
    CHECK(std::ranges::find(all, WGPUFeatureName_TimestampQuery) != all.end());
    wgpuSupportedFeaturesFreeMembers(features);
    wgpuAdapterGetFeatures(more.adapter, &features);
    CHECK(features.featureCount >= 3);
    wgpuSupportedFeaturesFreeMembers(features);
}

TEST_CASE("a device that can't be had is refused with the reason, and counts as lost") {
    const auto refused = [](Wish wish, std::string_view reason) {
        Gpu gpu(wish);
        CHECK_FALSE(gpu.device);
        CAPTURE(gpu.request_error);
        CHECK(gpu.request_error.find(reason) != std::string::npos);
        wgpuInstanceProcessEvents(gpu.instance);
        REQUIRE(gpu.losses.size() == 1);
        CHECK(gpu.losses[0].first == WGPUDeviceLostReason_FailedCreation);
        CHECK_FALSE(gpu.lost_with_device);
    };
    refused({.features = {WGPUFeatureName_DepthClipControl}}, "depth-clip-control");
    WGPULimits limits = WGPU_LIMITS_INIT;
    limits.maxBindGroups = 1000;
    refused({.limits = limits}, "The required maxBindGroups is 1000; the adapter's is 8.");
    limits = WGPU_LIMITS_INIT;
    limits.minStorageBufferOffsetAlignment = 16;
    refused({.limits = limits}, "minStorageBufferOffsetAlignment is 16; the adapter's is 256");
    limits.minStorageBufferOffsetAlignment = 300;
    refused({.limits = limits}, "isn't a power of two");
    Strange strange;
    refused({.chain = &strange.chain}, "0x0004ffff");
    limits = WGPU_LIMITS_INIT;
    limits.nextInChain = &strange.chain;
    refused({.limits = limits}, "WGPULimits");
    DawnToggles toggles;
    const Gpu taken({.chain = &toggles.chain});
    CHECK(taken.device);
}

TEST_CASE("a device that is destroyed or let go of is lost, once, and then reports nothing") {
    {
        Gpu gpu;
        const Buffer buffer = gpu.buffer(16, storage);
        wgpuDeviceDestroy(gpu.device);
        wgpuDeviceDestroy(gpu.device);
        CHECK(gpu.losses.empty());
        wgpuInstanceProcessEvents(gpu.instance);
        REQUIRE(gpu.losses.size() == 1);
        CHECK(gpu.losses[0].first == WGPUDeviceLostReason_Destroyed);
        CHECK(gpu.lost_with_device);
        const Buffer invalid = gpu.buffer(16, WGPUBufferUsage_None);
        CHECK(gpu.uncaptured.empty());
        gpu.run([&](WGPUCommandEncoder to) { wgpuCommandEncoderClearBuffer(to, buffer, 0, 16); });
        CHECK(gpu.uncaptured.empty());
        CHECK(gpu.map(buffer, WGPUMapMode_Read) == WGPUMapAsyncStatus_Aborted);
        const ShaderModule module = gpu.module(doubling);
        const Pipeline pipeline = gpu.pipeline(module);
        CHECK(pipeline);
    }
    {
        Gpu gpu;
        const WGPUFuture lost = wgpuDeviceGetLostFuture(gpu.device);
        gpu.queue.reset();
        gpu.device.reset();
        gpu.wait(lost);
        REQUIRE(gpu.losses.size() == 1);
        CHECK_FALSE(gpu.lost_with_device);
    }
    {
        Gpu gpu({.lost_mode = WGPUCallbackMode_AllowSpontaneous});
        wgpuDeviceDestroy(gpu.device);
        CHECK(gpu.losses.size() == 1);
    }
    {  // As in wgpu-native, nobody is told of a device that is let go of.
        Gpu gpu({.lost_mode = WGPUCallbackMode_AllowSpontaneous});
        const WGPUFuture lost = wgpuDeviceGetLostFuture(gpu.device);
        gpu.queue.reset();
        gpu.device.reset();
        wgpuInstanceProcessEvents(gpu.instance);
        gpu.wait(lost);
        gpu.adapter.reset();
        gpu.instance.reset();
        CHECK(gpu.losses.empty());
    }
    {
        const Gpu gpu({.with_lost_callback = false});
        wgpuDeviceDestroy(gpu.device);
    }
}

TEST_CASE("a queue keeps its device, and labels appear in messages") {
    Gpu gpu;
    wgpuQueueSetLabel(gpu.queue, view("the queue"));
    wgpuDeviceSetLabel(gpu.device, view("renamed"));
    const Buffer buffer = gpu.buffer(16, WGPUBufferUsage_CopySrc, "first");
    wgpuBufferSetLabel(buffer, view("second\n"));
    gpu.refuses({"buffer \"second\\n\"", "WGPUBufferUsage_CopyDst"},
                [&] { wgpuQueueWriteBuffer(gpu.queue, buffer, 0, "abcd", 4); });
    wgpuDeviceAddRef(gpu.device);
    wgpuDeviceRelease(gpu.device);
    wgpuQueueAddRef(gpu.queue);
    wgpuQueueRelease(gpu.queue);
    gpu.device.reset();
    wgpuQueueWriteBuffer(gpu.queue, buffer, 0, "abcd", 4);  // lost, and still there
}

TEST_CASE("functions are found by name") {
    CHECK((wgpuGetProcAddress(view("wgpuDeviceCreateBuffer")) ==
           reinterpret_cast<WGPUProc>(&wgpuDeviceCreateBuffer)));
    CHECK(
        (wgpuGetProcAddress({"wgpuGetVersion", WGPU_STRLEN}) == reinterpret_cast<WGPUProc>(&wgpuGetVersion)));
    CHECK((wgpuGetProcAddress(view("wgpuNothing")) == nullptr));
    CHECK((wgpuGetProcAddress(view("malloc")) == nullptr));
    CHECK((wgpuGetVersion() >> 24) == 29);
}

}  // namespace
}  // namespace webgpu_test
