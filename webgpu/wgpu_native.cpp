// The functions of wgpu.h, which the Python package wgpu calls beside the standard's. Those about
// rendering are in absent.cpp.
#include <muster/webgpu/header.hpp>

#ifdef MUSTER_WEBGPU_HAS_WGPU_H

#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/chain.hpp>
#include <muster/webgpu/queue.hpp>

using namespace muster;
using namespace muster::webgpu;

namespace {

/// The version of wgpu-native whose wgpu.h this room implements: 29.0.1.1.
constexpr std::uint32_t version = (29u << 24) | (0u << 16) | (1u << 8) | 1u;

std::atomic<WGPULogLevel> log_most{WGPULogLevel_Trace};

WGPULogLevel level_of(LogLevel level) {
    switch (level) {
        case LogLevel::off: return WGPULogLevel_Off;
        case LogLevel::error: return WGPULogLevel_Error;
        case LogLevel::warning: return WGPULogLevel_Warn;
        case LogLevel::info: break;
    }
    return WGPULogLevel_Info;
}

WGPURegistryReport report_of(Kind kind, std::size_t bytes) { return {living(kind), living(kind), 0, bytes}; }

}  // namespace

uint32_t wgpuGetVersion(void) { return version; }

void wgpuSetLogLevel(WGPULogLevel level) { log_most.store(level); }

void wgpuSetLogCallback(WGPULogCallback callback, void* userdata) {
    if (callback == nullptr) return set_log_sink({});
    set_log_sink([callback, userdata](LogLevel level, std::string_view text) {
        if (level_of(level) <= log_most.load()) callback(level_of(level), view_of(text), userdata);
    });
}

void wgpuGenerateReport(WGPUInstance, WGPUGlobalReport* report) {
    *report = {};
    report->surfaces = report_of(Kind::surface, 0);
    WGPUHubReport& hub = report->hub;
    hub.adapters = report_of(Kind::adapter, sizeof(Adapter));
    hub.devices = report_of(Kind::device, sizeof(GpuDevice));
    hub.queues = report_of(Kind::queue, sizeof(Queue));
    hub.pipelineLayouts = report_of(Kind::pipeline_layout, sizeof(PipelineLayout));
    hub.shaderModules = report_of(Kind::shader_module, sizeof(ShaderModule));
    hub.bindGroupLayouts = report_of(Kind::bind_group_layout, sizeof(BindGroupLayout));
    hub.bindGroups = report_of(Kind::bind_group, sizeof(BindGroup));
    // As wgpu-native, which has one object for both.
    hub.commandBuffers = report_of(Kind::command_buffer, sizeof(CommandBuffer));
    hub.commandBuffers.numAllocated += living(Kind::command_encoder) + living(Kind::compute_pass);
    hub.commandBuffers.numKeptFromUser = hub.commandBuffers.numAllocated;
    hub.renderBundles = report_of(Kind::render_bundle, 0);
    hub.renderPipelines = report_of(Kind::render_pipeline, 0);
    hub.computePipelines = report_of(Kind::compute_pipeline, sizeof(ComputePipeline));
    hub.querySets = report_of(Kind::query_set, sizeof(QuerySet));
    hub.buffers = report_of(Kind::buffer, sizeof(GpuBuffer));
    hub.textures = report_of(Kind::texture, 0);
    hub.textureViews = report_of(Kind::texture_view, 0);
    hub.samplers = report_of(Kind::sampler, 0);
}

size_t wgpuInstanceEnumerateAdapters(WGPUInstance instance,
                                     WGPUInstanceEnumerateAdapterOptions const* options,
                                     WGPUAdapter* adapters) {
    // muster's own backends are in no list of another library: they are left out only where one is asked for.
    const bool wants_all = options == nullptr || options->backends == WGPUInstanceBackend_All ||
                           options->backends == WGPUInstanceBackend_Primary;
    if (!wants_all && (options->backends & WGPUInstanceBackend_Vulkan) == 0) return 0;
    auto found = adapters_of(wants_all ? WGPUBackendType_Undefined : WGPUBackendType_Vulkan);
    if (!found) {
        log_misuse("wgpuInstanceEnumerateAdapters", found.error());
        return 0;
    }
    if (adapters != nullptr)
        for (std::size_t i = 0; i < found->size(); ++i)
            adapters[i] = new Adapter(instance, std::move((*found)[i]));
    return found->size();
}

WGPUSubmissionIndex wgpuQueueSubmitForIndex(WGPUQueue queue, size_t count,
                                            WGPUCommandBuffer const* commands) {
    return queue->submit("wgpuQueueSubmitForIndex", {commands, count});
}

float wgpuQueueGetTimestampPeriod(WGPUQueue) { return 1; }  // nanoseconds

WGPUBool wgpuDevicePoll(WGPUDevice device, WGPUBool wait, WGPUSubmissionIndex const* index) {
    const Ref<GpuDevice> own(device);  // a callback may release it
    Queue& queue = device->queue();
    const SubmittedWork work = index != nullptr ? queue.submitted(*index) : queue.submitted();
    if (wait != 0) work.wait(std::chrono::hours(24));
    queue.retire();
    const auto futures = device->instance().futures;
    futures->process();
    return queue.submitted().is_done();
}

WGPUShaderModule wgpuDeviceCreateShaderModuleSpirV(WGPUDevice device,
                                                   WGPUShaderModuleDescriptorSpirV const* descriptor) {
    device->attempt("wgpuDeviceCreateShaderModuleSpirV", []() -> Result<void> {
        return fail(ErrorCode::unsupported, "The shader module is SPIR-V, which muster doesn't take.",
                    "give WGSL (wgpuDeviceCreateShaderModule)");
    });
    return new ShaderModule(device, label_of(descriptor->label), std::nullopt, {});
}

// The checks stay: exact results include those of loads out of bounds.
WGPUShaderModule wgpuDeviceCreateShaderModuleTrusted(WGPUDevice device,
                                                     WGPUShaderModuleDescriptor const* descriptor,
                                                     WGPUShaderRuntimeChecks) {
    return wgpuDeviceCreateShaderModule(device, descriptor);
}

void wgpuComputePassEncoderBeginPipelineStatisticsQuery(WGPUComputePassEncoder pass, WGPUQuerySet, uint32_t) {
    pass->encode("wgpuComputePassEncoderBeginPipelineStatisticsQuery", []() -> Result<void> {
        return fail(ErrorCode::unsupported, "The device counts no pipeline statistics.", "use timestamps");
    });
}
void wgpuComputePassEncoderEndPipelineStatisticsQuery(WGPUComputePassEncoder pass) {
    pass->encode("wgpuComputePassEncoderEndPipelineStatisticsQuery", []() -> Result<void> {
        return fail(ErrorCode::unsupported, "The device counts no pipeline statistics.", "use timestamps");
    });
}

void* wgpuDeviceGetNativeMetalDevice(WGPUDevice) { return nullptr; }
void* wgpuQueueGetNativeMetalCommandQueue(WGPUQueue) { return nullptr; }
WGPUBool wgpuDeviceStartGraphicsDebuggerCapture(WGPUDevice) { return WGPU_FALSE; }
void wgpuDeviceStopGraphicsDebuggerCapture(WGPUDevice) {}

#endif
