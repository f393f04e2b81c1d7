// The functions of textures and rendering: they are there, so that programs link, and fail as
// the standard says: with a validation error of the device, or of the encoder. Objects that
// can't be made are invalid ones.
#include <fmt/format.h>

#include <muster/webgpu/command_encoder.hpp>
#include <muster/webgpu/queue.hpp>

namespace muster::webgpu {
namespace {

Error absent(std::string_view call, std::string_view what) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{} is about {}: muster runs compute shaders, on buffers.", call, what),
                 "use a compute pipeline with storage buffers",
                 {}};
}

void refuse(GpuDevice& device, std::string_view call, std::string_view what) {
    device.attempt(call, [&]() -> Result<void> { return std::unexpected(absent(call, what)); });
}

}  // namespace
}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

// Objects without anything of their own. All are invalid.
#define MUSTER_WEBGPU_ABSENT(Type, kind_of, Method)                                                      \
    struct WGPU##Type##Impl final : muster::webgpu::DeviceObject {                                       \
        WGPU##Type##Impl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device, std::string label)       \
            : DeviceObject(muster::webgpu::Kind::kind_of, std::move(device), std::move(label), false) {} \
    };                                                                                                   \
    void wgpu##Type##AddRef(WGPU##Type Method) { Method->add_ref(); }                                    \
    void wgpu##Type##Release(WGPU##Type Method) { Method->release(); }                                   \
    void wgpu##Type##SetLabel(WGPU##Type Method, WGPUStringView label) { Method->set_label(label_of(label)); }

MUSTER_WEBGPU_ABSENT(TextureView, texture_view, view)
MUSTER_WEBGPU_ABSENT(Sampler, sampler, sampler)
MUSTER_WEBGPU_ABSENT(RenderPipeline, render_pipeline, pipeline)
MUSTER_WEBGPU_ABSENT(RenderBundle, render_bundle, bundle)
MUSTER_WEBGPU_ABSENT(RenderBundleEncoder, render_bundle_encoder, encoder)
MUSTER_WEBGPU_ABSENT(RenderPassEncoder, render_pass, pass)
MUSTER_WEBGPU_ABSENT(ExternalTexture, external_texture, texture)

/// A texture that remembers its descriptor, which programs ask for.
struct WGPUTextureImpl final : muster::webgpu::DeviceObject {
    WGPUTextureImpl(Ref<GpuDevice> device, const WGPUTextureDescriptor& descriptor)
        : DeviceObject(Kind::texture, std::move(device), label_of(descriptor.label), false),
          descriptor(descriptor) {}
    const WGPUTextureDescriptor descriptor;  // its pointers are the program's: never read
};

struct WGPUSurfaceImpl final : muster::webgpu::Object {
    explicit WGPUSurfaceImpl(std::string label) : Object(Kind::surface, std::move(label)) {}
};

// Textures

WGPUTexture wgpuDeviceCreateTexture(WGPUDevice device, WGPUTextureDescriptor const* descriptor) {
    refuse(*device, "wgpuDeviceCreateTexture", "textures");
    return new WGPUTextureImpl(device, *descriptor);
}
void wgpuTextureAddRef(WGPUTexture texture) { texture->add_ref(); }
void wgpuTextureRelease(WGPUTexture texture) { texture->release(); }
void wgpuTextureSetLabel(WGPUTexture texture, WGPUStringView label) { texture->set_label(label_of(label)); }
void wgpuTextureDestroy(WGPUTexture) {}
uint32_t wgpuTextureGetWidth(WGPUTexture texture) { return texture->descriptor.size.width; }
uint32_t wgpuTextureGetHeight(WGPUTexture texture) { return texture->descriptor.size.height; }
uint32_t wgpuTextureGetDepthOrArrayLayers(WGPUTexture texture) {
    return texture->descriptor.size.depthOrArrayLayers;
}
uint32_t wgpuTextureGetMipLevelCount(WGPUTexture texture) { return texture->descriptor.mipLevelCount; }
uint32_t wgpuTextureGetSampleCount(WGPUTexture texture) { return texture->descriptor.sampleCount; }
WGPUTextureDimension wgpuTextureGetDimension(WGPUTexture texture) { return texture->descriptor.dimension; }
WGPUTextureFormat wgpuTextureGetFormat(WGPUTexture texture) { return texture->descriptor.format; }
WGPUTextureUsage wgpuTextureGetUsage(WGPUTexture texture) { return texture->descriptor.usage; }
WGPUTextureViewDimension wgpuTextureGetTextureBindingViewDimension(WGPUTexture) {
    return WGPUTextureViewDimension_Undefined;
}
WGPUTextureView wgpuTextureCreateView(WGPUTexture texture, WGPUTextureViewDescriptor const* descriptor) {
    refuse(*texture->device, "wgpuTextureCreateView", "textures");
    return new WGPUTextureViewImpl(texture->device,
                                   descriptor != nullptr ? label_of(descriptor->label) : std::string());
}
WGPUSampler wgpuDeviceCreateSampler(WGPUDevice device, WGPUSamplerDescriptor const* descriptor) {
    refuse(*device, "wgpuDeviceCreateSampler", "textures");
    return new WGPUSamplerImpl(device, descriptor != nullptr ? label_of(descriptor->label) : std::string());
}
void wgpuCommandEncoderCopyBufferToTexture(WGPUCommandEncoder encoder, WGPUTexelCopyBufferInfo const*,
                                           WGPUTexelCopyTextureInfo const*, WGPUExtent3D const*) {
    constexpr std::string_view call = "wgpuCommandEncoderCopyBufferToTexture";
    encoder->spoil(call, absent(call, "textures"));
}
void wgpuCommandEncoderCopyTextureToBuffer(WGPUCommandEncoder encoder, WGPUTexelCopyTextureInfo const*,
                                           WGPUTexelCopyBufferInfo const*, WGPUExtent3D const*) {
    constexpr std::string_view call = "wgpuCommandEncoderCopyTextureToBuffer";
    encoder->spoil(call, absent(call, "textures"));
}
void wgpuCommandEncoderCopyTextureToTexture(WGPUCommandEncoder encoder, WGPUTexelCopyTextureInfo const*,
                                            WGPUTexelCopyTextureInfo const*, WGPUExtent3D const*) {
    constexpr std::string_view call = "wgpuCommandEncoderCopyTextureToTexture";
    encoder->spoil(call, absent(call, "textures"));
}
void wgpuQueueWriteTexture(WGPUQueue queue, WGPUTexelCopyTextureInfo const*, void const*, size_t,
                           WGPUTexelCopyBufferLayout const*, WGPUExtent3D const*) {
    refuse(queue->device, "wgpuQueueWriteTexture", "textures");
}

// Render pipelines and bundles

WGPURenderPipeline wgpuDeviceCreateRenderPipeline(WGPUDevice device,
                                                  WGPURenderPipelineDescriptor const* descriptor) {
    refuse(*device, "wgpuDeviceCreateRenderPipeline", "rendering");
    return new WGPURenderPipelineImpl(device, label_of(descriptor->label));
}
WGPUFuture wgpuDeviceCreateRenderPipelineAsync(WGPUDevice device, WGPURenderPipelineDescriptor const*,
                                               WGPUCreateRenderPipelineAsyncCallbackInfo info) {
    return done(device->instance(), info.mode, [info](bool is_cancelled) {
        if (info.callback == nullptr) return;
        const std::string message =
            is_cancelled ? "The instance was released."
                         : absent("wgpuDeviceCreateRenderPipelineAsync", "rendering").to_string();
        info.callback(is_cancelled ? WGPUCreatePipelineAsyncStatus_CallbackCancelled
                                   : WGPUCreatePipelineAsyncStatus_ValidationError,
                      nullptr, view_of(message), info.userdata1, info.userdata2);
    });
}
WGPUBindGroupLayout wgpuRenderPipelineGetBindGroupLayout(WGPURenderPipeline pipeline, uint32_t) {
    GpuDevice& device = *pipeline->device;
    refuse(device, "wgpuRenderPipelineGetBindGroupLayout", "rendering");
    return new BindGroupLayout(&device, pipeline->label(), false, device.interned({}));
}
WGPURenderBundleEncoder wgpuDeviceCreateRenderBundleEncoder(
    WGPUDevice device, WGPURenderBundleEncoderDescriptor const* descriptor) {
    refuse(*device, "wgpuDeviceCreateRenderBundleEncoder", "rendering");
    return new WGPURenderBundleEncoderImpl(device, label_of(descriptor->label));
}
WGPURenderBundle wgpuRenderBundleEncoderFinish(WGPURenderBundleEncoder encoder,
                                               WGPURenderBundleDescriptor const* descriptor) {
    refuse(*encoder->device, "wgpuRenderBundleEncoderFinish", "rendering");
    return new WGPURenderBundleImpl(encoder->device,
                                    descriptor != nullptr ? label_of(descriptor->label) : std::string());
}
void wgpuRenderBundleEncoderDraw(WGPURenderBundleEncoder, uint32_t, uint32_t, uint32_t, uint32_t) {}
void wgpuRenderBundleEncoderDrawIndexed(WGPURenderBundleEncoder, uint32_t, uint32_t, uint32_t, int32_t,
                                        uint32_t) {}
void wgpuRenderBundleEncoderDrawIndexedIndirect(WGPURenderBundleEncoder, WGPUBuffer, uint64_t) {}
void wgpuRenderBundleEncoderDrawIndirect(WGPURenderBundleEncoder, WGPUBuffer, uint64_t) {}
void wgpuRenderBundleEncoderInsertDebugMarker(WGPURenderBundleEncoder, WGPUStringView) {}
void wgpuRenderBundleEncoderPopDebugGroup(WGPURenderBundleEncoder) {}
void wgpuRenderBundleEncoderPushDebugGroup(WGPURenderBundleEncoder, WGPUStringView) {}
void wgpuRenderBundleEncoderSetBindGroup(WGPURenderBundleEncoder, uint32_t, WGPUBindGroup, size_t,
                                         uint32_t const*) {}
void wgpuRenderBundleEncoderSetImmediates(WGPURenderBundleEncoder, uint32_t, void const*, size_t) {}
void wgpuRenderBundleEncoderSetIndexBuffer(WGPURenderBundleEncoder, WGPUBuffer, WGPUIndexFormat, uint64_t,
                                           uint64_t) {}
void wgpuRenderBundleEncoderSetPipeline(WGPURenderBundleEncoder, WGPURenderPipeline) {}
void wgpuRenderBundleEncoderSetVertexBuffer(WGPURenderBundleEncoder, uint32_t, WGPUBuffer, uint64_t,
                                            uint64_t) {}

// Render passes: the beginning is the encoder's mistake, and what follows is passed over

WGPURenderPassEncoder wgpuCommandEncoderBeginRenderPass(WGPUCommandEncoder encoder,
                                                        WGPURenderPassDescriptor const* descriptor) {
    constexpr std::string_view call = "wgpuCommandEncoderBeginRenderPass";
    encoder->spoil(call, absent(call, "rendering"));
    return new WGPURenderPassEncoderImpl(encoder->device, label_of(descriptor->label));
}
void wgpuRenderPassEncoderBeginOcclusionQuery(WGPURenderPassEncoder, uint32_t) {}
void wgpuRenderPassEncoderDraw(WGPURenderPassEncoder, uint32_t, uint32_t, uint32_t, uint32_t) {}
void wgpuRenderPassEncoderDrawIndexed(WGPURenderPassEncoder, uint32_t, uint32_t, uint32_t, int32_t,
                                      uint32_t) {}
void wgpuRenderPassEncoderDrawIndexedIndirect(WGPURenderPassEncoder, WGPUBuffer, uint64_t) {}
void wgpuRenderPassEncoderDrawIndirect(WGPURenderPassEncoder, WGPUBuffer, uint64_t) {}
void wgpuRenderPassEncoderEnd(WGPURenderPassEncoder) {}
void wgpuRenderPassEncoderEndOcclusionQuery(WGPURenderPassEncoder) {}
void wgpuRenderPassEncoderExecuteBundles(WGPURenderPassEncoder, size_t, WGPURenderBundle const*) {}
void wgpuRenderPassEncoderInsertDebugMarker(WGPURenderPassEncoder, WGPUStringView) {}
void wgpuRenderPassEncoderPopDebugGroup(WGPURenderPassEncoder) {}
void wgpuRenderPassEncoderPushDebugGroup(WGPURenderPassEncoder, WGPUStringView) {}
void wgpuRenderPassEncoderSetBindGroup(WGPURenderPassEncoder, uint32_t, WGPUBindGroup, size_t,
                                       uint32_t const*) {}
void wgpuRenderPassEncoderSetBlendConstant(WGPURenderPassEncoder, WGPUColor const*) {}
void wgpuRenderPassEncoderSetImmediates(WGPURenderPassEncoder, uint32_t, void const*, size_t) {}
void wgpuRenderPassEncoderSetIndexBuffer(WGPURenderPassEncoder, WGPUBuffer, WGPUIndexFormat, uint64_t,
                                         uint64_t) {}
void wgpuRenderPassEncoderSetPipeline(WGPURenderPassEncoder, WGPURenderPipeline) {}
void wgpuRenderPassEncoderSetScissorRect(WGPURenderPassEncoder, uint32_t, uint32_t, uint32_t, uint32_t) {}
void wgpuRenderPassEncoderSetStencilReference(WGPURenderPassEncoder, uint32_t) {}
void wgpuRenderPassEncoderSetVertexBuffer(WGPURenderPassEncoder, uint32_t, WGPUBuffer, uint64_t, uint64_t) {}
void wgpuRenderPassEncoderSetViewport(WGPURenderPassEncoder, float, float, float, float, float, float) {}

// Surfaces

WGPUSurface wgpuInstanceCreateSurface(WGPUInstance, WGPUSurfaceDescriptor const* descriptor) {
    log_misuse("wgpuInstanceCreateSurface", absent("wgpuInstanceCreateSurface", "surfaces"));
    return new WGPUSurfaceImpl(label_of(descriptor->label));
}
void wgpuSurfaceAddRef(WGPUSurface surface) { surface->add_ref(); }
void wgpuSurfaceRelease(WGPUSurface surface) { surface->release(); }
void wgpuSurfaceSetLabel(WGPUSurface surface, WGPUStringView label) { surface->set_label(label_of(label)); }
void wgpuSurfaceConfigure(WGPUSurface, WGPUSurfaceConfiguration const* configuration) {
    refuse(*configuration->device, "wgpuSurfaceConfigure", "surfaces");
}
void wgpuSurfaceUnconfigure(WGPUSurface) {}
WGPUStatus wgpuSurfaceGetCapabilities(WGPUSurface, WGPUAdapter, WGPUSurfaceCapabilities*) {
    log_misuse("wgpuSurfaceGetCapabilities", absent("wgpuSurfaceGetCapabilities", "surfaces"));
    return WGPUStatus_Error;
}
void wgpuSurfaceCapabilitiesFreeMembers(WGPUSurfaceCapabilities) {}
void wgpuSurfaceGetCurrentTexture(WGPUSurface, WGPUSurfaceTexture* texture) {
    texture->texture = nullptr;
    texture->status = WGPUSurfaceGetCurrentTextureStatus_Error;
}
WGPUStatus wgpuSurfacePresent(WGPUSurface) { return WGPUStatus_Error; }

#ifdef MUSTER_WEBGPU_HAS_WGPU_H

void wgpuCommandEncoderClearTexture(WGPUCommandEncoder encoder, WGPUTexture,
                                    WGPUImageSubresourceRange const*) {
    constexpr std::string_view call = "wgpuCommandEncoderClearTexture";
    encoder->spoil(call, absent(call, "textures"));
}
void wgpuRenderPassEncoderMultiDrawIndirect(WGPURenderPassEncoder, WGPUBuffer, uint64_t, uint32_t) {}
void wgpuRenderPassEncoderMultiDrawIndexedIndirect(WGPURenderPassEncoder, WGPUBuffer, uint64_t, uint32_t) {}
void wgpuRenderPassEncoderMultiDrawIndirectCount(WGPURenderPassEncoder, WGPUBuffer, uint64_t, WGPUBuffer,
                                                 uint64_t, uint32_t) {}
void wgpuRenderPassEncoderMultiDrawIndexedIndirectCount(WGPURenderPassEncoder, WGPUBuffer, uint64_t,
                                                        WGPUBuffer, uint64_t, uint32_t) {}
void wgpuRenderPassEncoderBeginPipelineStatisticsQuery(WGPURenderPassEncoder, WGPUQuerySet, uint32_t) {}
void wgpuRenderPassEncoderEndPipelineStatisticsQuery(WGPURenderPassEncoder) {}
void wgpuRenderPassEncoderWriteTimestamp(WGPURenderPassEncoder, WGPUQuerySet, uint32_t) {}
void* wgpuTextureGetNativeMetalTexture(WGPUTexture) { return nullptr; }

#endif
