// Calls of webgpu.h in any order, on two adapters: right ones, wrong ones, with objects that are invalid, destroyed, of another device,
// or mapped, with sizes that nothing has. No call crashes; every callback is called once; ranges of what is mapped can be read and
// written; and when the program has let go of everything nothing is left.
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <webgpu.h>
#include <wgpu.h>

#include "script.hpp"
#include "target.hpp"

namespace muster::fuzz {
namespace {

constexpr std::size_t most_objects = 24;  // of a kind
constexpr int most_steps = 400;

constexpr std::array<std::string_view, 6> sources{
    R"(@group(0) @binding(0) var<storage, read_write> x: array<u32>;
       @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
           if (id.x < arrayLength(&x)) { x[id.x] = (x[id.x] * 5u + 1u) & 7u; } })",
    R"(@group(0) @binding(0) var<storage, read> x: array<u32>;
       @group(0) @binding(1) var<storage, read_write> y: array<u32>;
       @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
           y[id.x] = (x[id.x] + y[id.x]) & 7u; })",
    R"(@group(0) @binding(0) var<storage, read_write> x: array<u32>;
       @group(1) @binding(3) var<uniform> add: vec4<u32>;
       override bias: u32 = 1u;
       @compute @workgroup_size(2) fn main(@builtin(workgroup_id) id: vec3<u32>) { x[id.x] = (add.x + bias) & 7u; })",
    R"(@compute @workgroup_size(1) fn main() {})",
    R"(@group(0) @binding(0) var<storage, read_write> x: array<u32>;
       @compute @workgroup_size(1) fn main() { x[0] = true; })",
    R"(@group(0) @binding(0) var<storage, read_write> x: array<vec4<u32>, 100>;
       @compute @workgroup_size(1) fn main() { x[99].x = x[0].x & 7u; })",
};

WGPUStringView view(std::string_view text) { return {text.data(), text.size()}; }

/// The objects of a kind that the program holds, each with one reference.
template <class T, void (*add_ref)(T), void (*drop)(T)>
class Objects {
  public:
    Objects() = default;
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;
    ~Objects() {
        while (!held_.empty()) release(held_.size() - 1);
    }
    void add(T object) {
        if (object == nullptr) return;
        held_.push_back(object);
        if (held_.size() > most_objects) release(0);
    }
    /// One of them; null if there is none.
    T pick(Script& script) const { return held_.empty() ? nullptr : held_[script.below(held_.size())]; }
    void release(Script& script) {
        if (!held_.empty()) release(script.below(held_.size()));
    }
    /// A reference more, and less.
    void touch(Script& script) const {
        const T object = pick(script);
        if (object == nullptr) return;
        add_ref(object);
        drop(object);
    }

  private:
    void release(std::size_t at) {
        const T object = held_[at];
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
        drop(object);
    }
    std::vector<T> held_;
};

/// The calls of a callback that are due, and those that were made.
struct Callbacks {
    int due = 0, made = 0;
};
void called(void* callbacks) { ++static_cast<Callbacks*>(callbacks)->made; }

std::size_t living() {
    WGPUGlobalReport report;
    wgpuGenerateReport(nullptr, &report);
    const auto* rows = reinterpret_cast<const WGPURegistryReport*>(&report.hub);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < sizeof(report.hub) / sizeof(*rows); ++i) sum += rows[i].numKeptFromUser;
    return sum;
}

class World {
  public:
    explicit World(Callbacks& callbacks) : callbacks_(callbacks) {
        WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
        const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
        descriptor.requiredFeatureCount = 1;
        descriptor.requiredFeatures = &timed;
        instance_ = wgpuCreateInstance(&descriptor);
        adapters_.resize(wgpuInstanceEnumerateAdapters(instance_, nullptr, nullptr));
        wgpuInstanceEnumerateAdapters(instance_, nullptr, adapters_.data());
        expect(!adapters_.empty(), "there is an adapter");
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() {
        for (const WGPUAdapter each : adapters_) wgpuAdapterRelease(each);
        for (const Gpu& each : gpus_)
            if (each.is_held) wgpuDeviceRelease(each.device);
        for (const Gpu& each : gpus_) wgpuQueueRelease(each.queue);
        wgpuInstanceRelease(instance_);
    }

    struct Call {
        std::string_view name;
        void (World::*run)(Script&);
    };
    static std::span<const Call> calls();

  private:
    struct Gpu {
        WGPUDevice device = nullptr;
        WGPUQueue queue = nullptr;  // keeps the device, also when the program has let go of it
        bool is_held = true;
    };

    void device(Script& script) {
        if (gpus_.size() == 4) return;
        const WGPUAdapter adapter = adapters_[script.below(adapters_.size())];
        WGPULimits best = WGPU_LIMITS_INIT;
        wgpuAdapterGetLimits(adapter, &best);
        WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
        const WGPUFeatureName timestamps = WGPUFeatureName_TimestampQuery;
        descriptor.requiredFeatureCount = script.below(2);
        descriptor.requiredFeatures = &timestamps;
        if (script.below(2) == 1) descriptor.requiredLimits = &best;
        descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowProcessEvents;
        descriptor.deviceLostCallbackInfo.userdata1 = &callbacks_;
        descriptor.deviceLostCallbackInfo.callback = [](WGPUDevice const*, WGPUDeviceLostReason,
                                                        WGPUStringView, void* to, void*) { called(to); };
        descriptor.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType type,
                                                             WGPUStringView said, void*, void*) {
            expect(type != WGPUErrorType_NoError && said.length > 0, "an error has a type and a message");
        };
        ++callbacks_.due;
        WGPURequestDeviceCallbackInfo info = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
        info.mode = WGPUCallbackMode_AllowSpontaneous;
        Gpu made;
        info.userdata1 = &made.device;
        info.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView, void* to, void*) {
            *static_cast<WGPUDevice*>(to) = device;
        };
        wgpuAdapterRequestDevice(adapter, &descriptor, info);
        expect(made.device != nullptr, "a device is made");
        made.queue = wgpuDeviceGetQueue(made.device);
        gpus_.push_back(made);
    }
    Gpu* gpu(Script& script) {
        if (gpus_.empty()) device(script);
        return &gpus_[script.below(gpus_.size())];
    }
    void destroy_device(Script& script) { wgpuDeviceDestroy(gpu(script)->device); }
    /// Also a second time, which muster notices as long as something keeps the device.
    void release_device(Script& script) {
        Gpu* one = gpu(script);
        one->is_held = false;
        wgpuDeviceRelease(one->device);
    }
    void ask_device(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        WGPULimits limits = WGPU_LIMITS_INIT;
        wgpuDeviceGetLimits(device, &limits);
        WGPUSupportedFeatures features{};
        wgpuDeviceGetFeatures(device, &features);
        wgpuSupportedFeaturesFreeMembers(features);
        wgpuDeviceSetLabel(device, view("renamed"));
    }

    void buffer(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
        // Small, so that it is soon computed with, or more than there is.
        descriptor.size = script.number();
        if (descriptor.size < std::uint64_t{1} << 40) descriptor.size %= 1 << 20;
        descriptor.usage = script.number();
        descriptor.mappedAtCreation = script.below(2) == 1;
        const WGPUBuffer made = wgpuDeviceCreateBuffer(device, &descriptor);
        expect(made != nullptr || descriptor.mappedAtCreation, "a buffer is made, if only an invalid one");
        buffers_.add(made);
    }
    void destroy_buffer(Script& script) {
        if (const WGPUBuffer one = buffers_.pick(script)) wgpuBufferDestroy(one);
    }
    void unmap(Script& script) {
        if (const WGPUBuffer one = buffers_.pick(script)) wgpuBufferUnmap(one);
    }
    void map(Script& script) {
        const WGPUBuffer one = buffers_.pick(script);
        if (one == nullptr) return;
        const auto mode = static_cast<WGPUMapMode>(script.number());
        const auto offset = script.number(), size = script.number();
        constexpr std::array modes{WGPUCallbackMode_AllowSpontaneous, WGPUCallbackMode_AllowProcessEvents,
                                   WGPUCallbackMode_WaitAnyOnly};
        WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
        info.mode = modes[script.below(modes.size())];
        info.userdata1 = &callbacks_;
        info.callback = [](WGPUMapAsyncStatus, WGPUStringView, void* to, void*) { called(to); };
        ++callbacks_.due;
        wait_for(wgpuBufferMapAsync(one, mode, offset, size, info), script);
    }
    /// Waits a little, or not at all.
    void wait_for(WGPUFuture future, Script& script) {
        WGPUFutureWaitInfo wait{future, WGPU_FALSE};
        if (const std::size_t how = script.below(3))
            (void)wgpuInstanceWaitAny(instance_, 1, &wait, how == 1 ? 0 : 1'000'000);
    }
    /// Reads and writes all bytes of a mapped range that is given.
    void range(Script& script) {
        const WGPUBuffer one = buffers_.pick(script);
        if (one == nullptr) return;
        const std::uint64_t offset = script.number();
        std::uint64_t size = script.number();
        const bool is_const = script.below(2) == 1;
        const bool is_mapped = wgpuBufferGetMapState(one) == WGPUBufferMapState_Mapped;
        const void* const found = is_const ? wgpuBufferGetConstMappedRange(one, offset, size)
                                           : wgpuBufferGetMappedRange(one, offset, size);
        if (found == nullptr) return;
        expect(is_mapped, "a range is of a mapped buffer");
        if (size == WGPU_WHOLE_MAP_SIZE) size = wgpuBufferGetSize(one) - offset;
        const std::uint64_t touched = std::min<std::uint64_t>(size, 1 << 16);
        for (const std::uint64_t from : {std::uint64_t{0}, size - touched}) {
            std::array<std::uint32_t, 4> words{};
            for (std::uint64_t at = 0; at + 16 <= touched; at += 16) {
                std::memcpy(words.data(), static_cast<const std::byte*>(found) + from + at, 16);
                for (std::uint32_t& word : words) word &= 7;
                if (!is_const)
                    std::memcpy(static_cast<std::byte*>(const_cast<void*>(found)) + from + at, words.data(),
                                16);
            }
        }
    }
    void range_copy(Script& script) {
        const WGPUBuffer one = buffers_.pick(script);
        if (one == nullptr) return;
        const std::uint64_t offset = script.number();
        std::array<std::uint32_t, 64> words{1, 2, 3, 4, 5, 6, 7};
        const std::size_t size = script.below(sizeof(words) + 1);
        if (script.below(2) == 1)
            (void)wgpuBufferReadMappedRange(one, offset, words.data(), size);
        else
            (void)wgpuBufferWriteMappedRange(one, offset, words.data(), size);
    }
    void ask_buffer(Script& script) {
        const WGPUBuffer one = buffers_.pick(script);
        if (one == nullptr) return;
        (void)wgpuBufferGetSize(one);
        (void)wgpuBufferGetUsage(one);
        wgpuBufferSetLabel(one, view("named\n"));
    }
    void write(Script& script) {
        const Gpu* one = gpu(script);
        const std::array<std::uint32_t, 64> words{1, 2, 3, 4, 5, 6, 7};
        const WGPUBuffer to = buffers_.pick(script);
        const std::uint64_t offset = script.number();
        wgpuQueueWriteBuffer(one->queue, to, offset, words.data(), script.below(sizeof(words) + 1));
    }

    void layout(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        std::array<WGPUBindGroupLayoutEntry, 4> entries{};
        WGPUBindGroupLayoutDescriptor descriptor = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
        descriptor.entryCount = script.below(entries.size() + 1);
        descriptor.entries = entries.data();
        for (std::size_t i = 0; i < descriptor.entryCount; ++i) {
            entries[i] = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
            entries[i].binding = static_cast<std::uint32_t>(script.number());
            entries[i].visibility = WGPUShaderStage_Compute;
            entries[i].buffer.type = static_cast<WGPUBufferBindingType>(script.below(6));
            entries[i].buffer.hasDynamicOffset = script.below(2) == 1;
            entries[i].buffer.minBindingSize = script.number();
        }
        layouts_.add(wgpuDeviceCreateBindGroupLayout(device, &descriptor));
    }
    void module(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
        wgsl.code = view(sources[script.below(sources.size())]);
        WGPUShaderModuleDescriptor descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
        if (script.below(8) != 7) descriptor.nextInChain = &wgsl.chain;
        modules_.add(wgpuDeviceCreateShaderModule(device, &descriptor));
    }
    void pipeline_layout(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        std::array<WGPUBindGroupLayout, 10> chosen{};
        WGPUPipelineLayoutDescriptor descriptor = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
        descriptor.bindGroupLayoutCount = script.below(chosen.size() + 1);
        descriptor.bindGroupLayouts = chosen.data();
        for (std::size_t i = 0; i < descriptor.bindGroupLayoutCount; ++i) chosen[i] = layouts_.pick(script);
        descriptor.immediateSize = static_cast<std::uint32_t>(script.number());
        pipeline_layouts_.add(wgpuDeviceCreatePipelineLayout(device, &descriptor));
    }
    void pipeline(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
        descriptor.compute.module = modules_.pick(script);
        if (descriptor.compute.module == nullptr) return;
        if (script.below(2) == 1) descriptor.layout = pipeline_layouts_.pick(script);
        WGPUConstantEntry constant = WGPU_CONSTANT_ENTRY_INIT;
        constant.key = view("bias");
        constant.value = static_cast<double>(script.number());
        descriptor.compute.constantCount = script.below(2);
        descriptor.compute.constants = &constant;
        pipelines_.add(wgpuDeviceCreateComputePipeline(device, &descriptor));
    }
    void group_layout(Script& script) {
        const WGPUComputePipeline one = pipelines_.pick(script);
        if (one == nullptr) return;
        layouts_.add(wgpuComputePipelineGetBindGroupLayout(one, static_cast<std::uint32_t>(script.number())));
    }
    void group(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        std::array<WGPUBindGroupEntry, 4> entries{};
        WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
        descriptor.layout = layouts_.pick(script);
        descriptor.entryCount = script.below(entries.size() + 1);
        descriptor.entries = entries.data();
        for (std::size_t i = 0; i < descriptor.entryCount; ++i) {
            entries[i] = WGPU_BIND_GROUP_ENTRY_INIT;
            entries[i].binding = static_cast<std::uint32_t>(script.number());
            entries[i].buffer = buffers_.pick(script);
            entries[i].offset = script.number();
            entries[i].size = script.number();
        }
        groups_.add(wgpuDeviceCreateBindGroup(device, &descriptor));
    }

    void encoder(Script& script) {
        encoders_.add(wgpuDeviceCreateCommandEncoder(gpu(script)->device, nullptr));
    }
    void pass(Script& script) {
        const WGPUCommandEncoder one = encoders_.pick(script);
        if (one == nullptr) return;
        WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
        WGPUPassTimestampWrites writes = WGPU_PASS_TIMESTAMP_WRITES_INIT;
        writes.querySet = queries_.pick(script);
        writes.beginningOfPassWriteIndex = static_cast<std::uint32_t>(script.number());
        writes.endOfPassWriteIndex = static_cast<std::uint32_t>(script.number());
        if (script.below(2) == 1) descriptor.timestampWrites = &writes;
        passes_.add(wgpuCommandEncoderBeginComputePass(one, &descriptor));
    }
    void set_pipeline(Script& script) {
        if (const WGPUComputePassEncoder one = passes_.pick(script))
            wgpuComputePassEncoderSetPipeline(one, pipelines_.pick(script));
    }
    void set_group(Script& script) {
        const WGPUComputePassEncoder one = passes_.pick(script);
        if (one == nullptr) return;
        const auto index = static_cast<std::uint32_t>(script.number());
        const WGPUBindGroup chosen = script.below(8) == 7 ? nullptr : groups_.pick(script);
        std::array<std::uint32_t, 3> offsets{};
        const std::size_t count = script.below(offsets.size() + 1);
        for (std::size_t i = 0; i < count; ++i) offsets[i] = static_cast<std::uint32_t>(script.number());
        wgpuComputePassEncoderSetBindGroup(one, index, chosen, count, offsets.data());
    }
    void immediates(Script& script) {
        const WGPUComputePassEncoder one = passes_.pick(script);
        if (one == nullptr) return;
        const std::array<std::uint32_t, 64> words{};
        const auto offset = static_cast<std::uint32_t>(script.number());
        wgpuComputePassEncoderSetImmediates(one, offset, words.data(), script.below(sizeof(words) + 1));
    }
    void dispatch(Script& script) {
        const WGPUComputePassEncoder one = passes_.pick(script);
        if (one == nullptr) return;
        // Small, so that it ends soon, or more than there may be.
        std::array<std::uint32_t, 3> groups{};
        for (std::uint32_t& each : groups) {
            each = static_cast<std::uint32_t>(script.number());
            if (each < 1u << 31) each %= 9;
        }
        wgpuComputePassEncoderDispatchWorkgroups(one, groups[0], groups[1], groups[2]);
    }
    void dispatch_indirect(Script& script) {
        const WGPUComputePassEncoder one = passes_.pick(script);
        if (one == nullptr) return;
        const WGPUBuffer grid = buffers_.pick(script);
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(one, grid, script.number());
    }
    void end(Script& script) {
        if (const WGPUComputePassEncoder one = passes_.pick(script)) wgpuComputePassEncoderEnd(one);
    }
    void copy(Script& script) {
        const WGPUCommandEncoder one = encoders_.pick(script);
        if (one == nullptr) return;
        const WGPUBuffer from = buffers_.pick(script);
        const std::uint64_t from_offset = script.number();
        const WGPUBuffer to = buffers_.pick(script);
        const std::uint64_t to_offset = script.number();
        wgpuCommandEncoderCopyBufferToBuffer(one, from, from_offset, to, to_offset, script.number());
    }
    void clear(Script& script) {
        const WGPUCommandEncoder one = encoders_.pick(script);
        if (one == nullptr) return;
        const WGPUBuffer what = buffers_.pick(script);
        const std::uint64_t offset = script.number();
        wgpuCommandEncoderClearBuffer(one, what, offset, script.number());
    }
    void resolve(Script& script) {
        const WGPUCommandEncoder one = encoders_.pick(script);
        if (one == nullptr) return;
        const WGPUQuerySet set = queries_.pick(script);
        const auto first = static_cast<std::uint32_t>(script.number()),
                   number = static_cast<std::uint32_t>(script.number());
        const WGPUBuffer to = buffers_.pick(script);
        wgpuCommandEncoderResolveQuerySet(one, set, first, number, to, script.number());
    }
    void timestamp(Script& script) {
        const WGPUCommandEncoder one = encoders_.pick(script);
        if (one == nullptr) return;
        const WGPUQuerySet set = queries_.pick(script);
        wgpuCommandEncoderWriteTimestamp(one, set, static_cast<std::uint32_t>(script.number()));
    }
    void debug(Script& script) {
        const WGPUCommandEncoder one = encoders_.pick(script);
        const WGPUComputePassEncoder in = passes_.pick(script);
        switch (script.below(6)) {
            case 0: return one ? wgpuCommandEncoderPushDebugGroup(one, view("group")) : void();
            case 1: return one ? wgpuCommandEncoderPopDebugGroup(one) : void();
            case 2: return one ? wgpuCommandEncoderInsertDebugMarker(one, view("")) : void();
            case 3: return in ? wgpuComputePassEncoderPushDebugGroup(in, view("group")) : void();
            case 4: return in ? wgpuComputePassEncoderPopDebugGroup(in) : void();
            default: return in ? wgpuComputePassEncoderInsertDebugMarker(in, view("")) : void();
        }
    }
    void finish(Script& script) {
        if (const WGPUCommandEncoder one = encoders_.pick(script))
            commands_.add(wgpuCommandEncoderFinish(one, nullptr));
    }
    void submit(Script& script) {
        const Gpu* one = gpu(script);
        std::array<WGPUCommandBuffer, 3> chosen{};
        const std::size_t count = script.below(chosen.size() + 1);
        for (std::size_t i = 0; i < count; ++i) chosen[i] = commands_.pick(script);
        wgpuQueueSubmit(one->queue, count, chosen.data());
    }
    void query_set(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        WGPUQuerySetDescriptor descriptor = WGPU_QUERY_SET_DESCRIPTOR_INIT;
        descriptor.type = static_cast<WGPUQueryType>(script.below(4));
        descriptor.count = static_cast<std::uint32_t>(script.number());
        queries_.add(wgpuDeviceCreateQuerySet(device, &descriptor));
    }
    void destroy_queries(Script& script) {
        if (const WGPUQuerySet one = queries_.pick(script)) wgpuQuerySetDestroy(one);
    }

    void push_scope(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        if (++scopes_ < 64) wgpuDevicePushErrorScope(device, static_cast<WGPUErrorFilter>(script.below(5)));
    }
    void pop_scope(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
        info.mode = WGPUCallbackMode_AllowProcessEvents;
        info.userdata1 = &callbacks_;
        info.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType, WGPUStringView, void* to, void*) {
            called(to);
        };
        ++callbacks_.due;
        wait_for(wgpuDevicePopErrorScope(device, info), script);
    }
    void process(Script&) { wgpuInstanceProcessEvents(instance_); }
    void poll(Script& script) {
        const WGPUDevice device = gpu(script)->device;
        (void)wgpuDevicePoll(device, script.below(2) == 1, nullptr);
    }
    void done(Script& script) {
        const Gpu* one = gpu(script);
        WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
        info.mode = WGPUCallbackMode_AllowProcessEvents;
        info.userdata1 = &callbacks_;
        info.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* to, void*) { called(to); };
        ++callbacks_.due;
        wait_for(wgpuQueueOnSubmittedWorkDone(one->queue, info), script);
    }
    void release(Script& script) {
        switch (script.below(10)) {
            case 0: return buffers_.release(script);
            case 1: return modules_.release(script);
            case 2: return layouts_.release(script);
            case 3: return pipeline_layouts_.release(script);
            case 4: return pipelines_.release(script);
            case 5: return groups_.release(script);
            case 6: return encoders_.release(script);
            case 7: return passes_.release(script);
            case 8: return commands_.release(script);
            default: return queries_.release(script);
        }
    }
    void touch(Script& script) {
        switch (script.below(4)) {
            case 0: return buffers_.touch(script);
            case 1: return pipelines_.touch(script);
            case 2: return groups_.touch(script);
            default: return encoders_.touch(script);
        }
    }

    Callbacks& callbacks_;
    WGPUInstance instance_ = nullptr;
    std::vector<WGPUAdapter> adapters_;
    std::vector<Gpu> gpus_;
    int scopes_ = 0;
    Objects<WGPUBuffer, wgpuBufferAddRef, wgpuBufferRelease> buffers_;
    Objects<WGPUShaderModule, wgpuShaderModuleAddRef, wgpuShaderModuleRelease> modules_;
    Objects<WGPUBindGroupLayout, wgpuBindGroupLayoutAddRef, wgpuBindGroupLayoutRelease> layouts_;
    Objects<WGPUPipelineLayout, wgpuPipelineLayoutAddRef, wgpuPipelineLayoutRelease> pipeline_layouts_;
    Objects<WGPUComputePipeline, wgpuComputePipelineAddRef, wgpuComputePipelineRelease> pipelines_;
    Objects<WGPUBindGroup, wgpuBindGroupAddRef, wgpuBindGroupRelease> groups_;
    Objects<WGPUCommandEncoder, wgpuCommandEncoderAddRef, wgpuCommandEncoderRelease> encoders_;
    Objects<WGPUComputePassEncoder, wgpuComputePassEncoderAddRef, wgpuComputePassEncoderRelease> passes_;
    Objects<WGPUCommandBuffer, wgpuCommandBufferAddRef, wgpuCommandBufferRelease> commands_;
    Objects<WGPUQuerySet, wgpuQuerySetAddRef, wgpuQuerySetRelease> queries_;
};

std::span<const World::Call> World::calls() {
    static constexpr std::array all{
        Call{"device", &World::device},
        Call{"destroy_device", &World::destroy_device},
        Call{"release_device", &World::release_device},
        Call{"ask_device", &World::ask_device},
        Call{"buffer", &World::buffer},
        Call{"destroy_buffer", &World::destroy_buffer},
        Call{"unmap", &World::unmap},
        Call{"map", &World::map},
        Call{"range", &World::range},
        Call{"range_copy", &World::range_copy},
        Call{"ask_buffer", &World::ask_buffer},
        Call{"write", &World::write},
        Call{"layout", &World::layout},
        Call{"module", &World::module},
        Call{"pipeline_layout", &World::pipeline_layout},
        Call{"pipeline", &World::pipeline},
        Call{"group_layout", &World::group_layout},
        Call{"group", &World::group},
        Call{"encoder", &World::encoder},
        Call{"pass", &World::pass},
        Call{"set_pipeline", &World::set_pipeline},
        Call{"set_group", &World::set_group},
        Call{"immediates", &World::immediates},
        Call{"dispatch", &World::dispatch},
        Call{"dispatch_indirect", &World::dispatch_indirect},
        Call{"end", &World::end},
        Call{"copy", &World::copy},
        Call{"clear", &World::clear},
        Call{"resolve", &World::resolve},
        Call{"timestamp", &World::timestamp},
        Call{"debug", &World::debug},
        Call{"finish", &World::finish},
        Call{"submit", &World::submit},
        Call{"query_set", &World::query_set},
        Call{"destroy_queries", &World::destroy_queries},
        Call{"push_scope", &World::push_scope},
        Call{"pop_scope", &World::pop_scope},
        Call{"process", &World::process},
        Call{"poll", &World::poll},
        Call{"done", &World::done},
        Call{"release", &World::release},
        Call{"touch", &World::touch},
    };
    return all;
}

}  // namespace

void check(std::string_view text) {
    setenv("MUSTER_BACKEND", "reference,cpu", 0);
    setenv("MUSTER_LOG", "off", 0);
    const std::size_t before = living();
    Callbacks callbacks;
    {
        const auto world = std::make_unique<World>(callbacks);
        Script script(text);
        for (int steps = 0; steps < most_steps; ++steps) {
            const auto call = script.next(World::calls());
            if (!call) break;
            (world.get()->*World::calls()[*call].run)(script);
        }
    }
    expect(callbacks.made == callbacks.due, "each callback is called once",
           std::to_string(callbacks.made) + " of " + std::to_string(callbacks.due));
    expect(living() == before, "nothing is left of what the program let go of",
           std::to_string(living()) + ", before " + std::to_string(before));
}

}  // namespace muster::fuzz
