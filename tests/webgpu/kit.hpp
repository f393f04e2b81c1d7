// kit.hpp - what the tests of libmuster_webgpu share: objects that release themselves, a device with its errors, small kernels.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <webgpu.h>
#include <wgpu.h>

namespace webgpu_test {

template <class T, void (*release)(T)>
class Handle {
  public:
    Handle() = default;
    Handle(T object) : object_(object) {}  // NOLINT: as the functions return them
    Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Handle() { reset(); }
    void reset() {
        if (object_) release(std::exchange(object_, nullptr));
    }
    operator T() const { return object_; }
    T get() const { return object_; }

  private:
    T object_ = nullptr;
};

using Instance = Handle<WGPUInstance, wgpuInstanceRelease>;
using Adapter = Handle<WGPUAdapter, wgpuAdapterRelease>;
using Device = Handle<WGPUDevice, wgpuDeviceRelease>;
using Queue = Handle<WGPUQueue, wgpuQueueRelease>;
using Buffer = Handle<WGPUBuffer, wgpuBufferRelease>;
using ShaderModule = Handle<WGPUShaderModule, wgpuShaderModuleRelease>;
using BindGroupLayout = Handle<WGPUBindGroupLayout, wgpuBindGroupLayoutRelease>;
using PipelineLayout = Handle<WGPUPipelineLayout, wgpuPipelineLayoutRelease>;
using BindGroup = Handle<WGPUBindGroup, wgpuBindGroupRelease>;
using Pipeline = Handle<WGPUComputePipeline, wgpuComputePipelineRelease>;
using Encoder = Handle<WGPUCommandEncoder, wgpuCommandEncoderRelease>;
using Pass = Handle<WGPUComputePassEncoder, wgpuComputePassEncoderRelease>;
using Commands = Handle<WGPUCommandBuffer, wgpuCommandBufferRelease>;
using QuerySet = Handle<WGPUQuerySet, wgpuQuerySetRelease>;

inline WGPUStringView view(std::string_view text) { return {text.data(), text.size()}; }
inline std::string text(WGPUStringView view) {
    return view.data ? std::string(view.data, view.length) : std::string();
}

/// A chained structure of no known type.
struct Strange {
    WGPUChainedStruct chain{nullptr, static_cast<WGPUSType>(0x0004ffff)};
};
/// As Dawn has it: its programs chain it unconditionally.
struct DawnToggles {
    WGPUChainedStruct chain{nullptr, static_cast<WGPUSType>(0x0005000a)};
    size_t enabled_count = 0;
    const char* const* enabled = nullptr;
    size_t disabled_count = 0;
    const char* const* disabled = nullptr;
};

/// The objects of all kinds that live.
std::size_t living();

/// Another value of an environment variable, or none, while this object lives.
class Environment {
  public:
    Environment(const char* name, std::optional<std::string> value);
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    const char* name_;
    std::optional<std::string> before_;
};

/// The features and limits that a device is asked for.
struct Wish {
    std::vector<WGPUFeatureName> features = {};
    std::optional<WGPULimits> limits = {};
    WGPUChainedStruct* chain = nullptr;
    bool with_lost_callback = true;
    WGPUCallbackMode lost_mode = WGPUCallbackMode_AllowProcessEvents;
};

Instance make_instance(bool timed_waits = true);
Adapter request_adapter(WGPUInstance instance, const WGPURequestAdapterOptions* options = nullptr,
                        std::string* message = nullptr);

struct Error {
    WGPUErrorType type = WGPUErrorType_NoError;
    std::string message = {};
};

/// An instance, an adapter, a device, and what they reported. Its end checks that nothing is left.
class Gpu {
  public:
    explicit Gpu(const Wish& wish = {});
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    Instance instance;
    Adapter adapter;
    Device device;
    Queue queue;
    std::vector<Error> uncaptured;
    std::string request_error;  // of a device that couldn't be made
    std::vector<std::pair<WGPUDeviceLostReason, std::string>> losses;
    bool lost_with_device = false;

    /// True for a CPU's own device, which computes in the host's memory.
    bool is_cpu() const;

    /// Waits until the future has completed.
    void wait(WGPUFuture future) const;
    /// The errors of a filter within a step, by an error scope.
    Error scoped(WGPUErrorFilter filter, const std::function<void()>& step) const;
    /// Checks that a step makes one validation error, whose message has all of these texts.
    void refuses(std::vector<std::string> texts, const std::function<void()>& step) const;
    /// Checks that a step makes no error.
    void takes(const std::function<void()>& step) const;

    Buffer buffer(std::uint64_t size, WGPUBufferUsage usage, std::string_view label = "buffer",
                  bool mapped = false) const;
    Buffer buffer_of(std::span<const std::uint32_t> words, WGPUBufferUsage usage,
                     std::string_view label = "buffer") const;
    ShaderModule module(std::string_view source, std::string_view label = "module") const;
    /// With an automatic layout, unless one is given.
    Pipeline pipeline(WGPUShaderModule module, const char* entry = nullptr,
                      WGPUPipelineLayout layout = nullptr,
                      std::vector<WGPUConstantEntry> constants = {}) const;
    BindGroup group(WGPUBindGroupLayout layout, std::vector<WGPUBindGroupEntry> entries,
                    std::string_view label = "group") const;
    BindGroupLayout layout(std::vector<WGPUBindGroupLayoutEntry> entries) const;
    PipelineLayout pipeline_layout(std::vector<WGPUBindGroupLayout> layouts,
                                   std::uint32_t immediates = 0) const;
    Encoder encoder(std::string_view label = "encoder") const;
    /// Finishes and submits.
    void submit(WGPUCommandEncoder encoder) const;
    /// Encodes with `encode`, finishes and submits.
    void run(const std::function<void(WGPUCommandEncoder)>& encode) const;
    /// The words of a buffer with the usage CopySrc, by way of another one.
    std::vector<std::uint32_t> read(WGPUBuffer buffer) const;
    /// Maps a buffer and returns the status.
    WGPUMapAsyncStatus map(WGPUBuffer buffer, WGPUMapMode mode, std::size_t offset = 0,
                           std::size_t size = WGPU_WHOLE_MAP_SIZE, std::string* message = nullptr) const;

  private:
    std::size_t before_;
};

WGPUBindGroupEntry entry(std::uint32_t binding, WGPUBuffer buffer, std::uint64_t offset = 0,
                         std::uint64_t size = WGPU_WHOLE_SIZE);
WGPUBindGroupLayoutEntry layout_entry(std::uint32_t binding, WGPUBufferBindingType type, bool dynamic = false,
                                      std::uint64_t min_bytes = 0);

inline constexpr WGPUBufferUsage storage =
    WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;

/// Doubles each word.
inline constexpr std::string_view doubling = R"(
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&words)) { words[id.x] = words[id.x] * 2u; }
}
)";
/// Writes the sum of two arrays.
inline constexpr std::string_view adding = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> sum: array<u32>;
@compute @workgroup_size(4) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&sum)) { sum[id.x] = a[id.x] + b[id.x]; }
}
)";

}  // namespace webgpu_test
