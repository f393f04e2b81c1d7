#include "webgpu/kit.hpp"

#include <array>
#include <cstdlib>

namespace webgpu_test {

std::size_t living() {
    WGPUGlobalReport report;
    wgpuGenerateReport(nullptr, &report);
    const auto* rows = reinterpret_cast<const WGPURegistryReport*>(&report.hub);
    std::size_t sum = report.surfaces.numKeptFromUser;
    for (std::size_t i = 0; i < sizeof(report.hub) / sizeof(*rows); ++i) sum += rows[i].numKeptFromUser;
    return sum;
}

Environment::Environment(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value ? setenv(name, value->c_str(), 1) : unsetenv(name);
}

Environment::~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

Instance make_instance(bool timed_waits) {
    const std::array features{WGPUInstanceFeatureName_TimedWaitAny};
    WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
    descriptor.requiredFeatureCount = timed_waits ? 1 : 0;
    descriptor.requiredFeatures = features.data();
    return wgpuCreateInstance(&descriptor);
}

Adapter request_adapter(WGPUInstance instance, const WGPURequestAdapterOptions* options,
                        std::string* message) {
    struct Answer {
        WGPUAdapter adapter = nullptr;
        std::string message = {};
    } answer;
    WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowProcessEvents;
    info.userdata1 = &answer;
    info.callback = [](WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView said, void* to,
                       void*) {
        CHECK((status == WGPURequestAdapterStatus_Success) == (adapter != nullptr));
        *static_cast<Answer*>(to) = {adapter, text(said)};
    };
    wgpuInstanceRequestAdapter(instance, options, info);
    CHECK(answer.adapter == nullptr);  // not before events are processed
    wgpuInstanceProcessEvents(instance);
    if (message) *message = answer.message;
    return answer.adapter;
}

Gpu::Gpu(const Wish& wish) : instance(make_instance()), before_(living()) {
    adapter = request_adapter(instance);
    REQUIRE(adapter);
    WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
    descriptor.nextInChain = wish.chain;
    descriptor.label = view("the device");
    descriptor.requiredFeatureCount = wish.features.size();
    descriptor.requiredFeatures = wish.features.data();
    descriptor.requiredLimits = wish.limits ? &*wish.limits : nullptr;
    descriptor.uncapturedErrorCallbackInfo.userdata1 = this;
    descriptor.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType type,
                                                         WGPUStringView said, void* self, void*) {
        static_cast<Gpu*>(self)->uncaptured.push_back({type, text(said)});
    };
    descriptor.deviceLostCallbackInfo.mode = wish.lost_mode;
    descriptor.deviceLostCallbackInfo.userdata1 = this;
    descriptor.deviceLostCallbackInfo.callback = [](WGPUDevice const* device, WGPUDeviceLostReason reason,
                                                    WGPUStringView said, void* self, void*) {
        static_cast<Gpu*>(self)->losses.emplace_back(reason, text(said));
        static_cast<Gpu*>(self)->lost_with_device = *device != nullptr;
    };
    if (!wish.with_lost_callback) descriptor.deviceLostCallbackInfo.callback = nullptr;
    struct Answer {
        WGPUDevice device = nullptr;
        std::string message = {};
    } answer;
    WGPURequestDeviceCallbackInfo info = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_WaitAnyOnly;
    info.userdata1 = &answer;
    info.callback = [](WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView said, void* to,
                       void*) {
        CHECK((status == WGPURequestDeviceStatus_Success) == (device != nullptr));
        *static_cast<Answer*>(to) = {device, text(said)};
    };
    const WGPUFuture future = wgpuAdapterRequestDevice(adapter, &descriptor, info);
    wgpuInstanceProcessEvents(instance);
    CHECK(answer.device == nullptr);  // only where it is waited for
    wait(future);
    device = answer.device;
    request_error = answer.message;
    if (device) queue = wgpuDeviceGetQueue(device);
}

Gpu::~Gpu() {
    queue.reset();
    device.reset();
    adapter.reset();
    instance.reset();
    CHECK(living() == before_);
}

bool Gpu::is_cpu() const {
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    REQUIRE(wgpuAdapterGetInfo(adapter, &info) == WGPUStatus_Success);
    const bool is_cpu = text(info.description).starts_with("muster cpu:");
    wgpuAdapterInfoFreeMembers(info);
    return is_cpu;
}

void Gpu::wait(WGPUFuture future) const {
    WGPUFutureWaitInfo info{future, WGPU_FALSE};
    CHECK(wgpuInstanceWaitAny(instance, 1, &info, 60000000000u) == WGPUWaitStatus_Success);
    CHECK(info.completed == WGPU_TRUE);
}

Error Gpu::scoped(WGPUErrorFilter filter, const std::function<void()>& step) const {
    wgpuDevicePushErrorScope(device, filter);
    step();
    Error found;
    WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_WaitAnyOnly;
    info.userdata1 = &found;
    info.callback = [](WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView said, void* to,
                       void*) {
        CHECK(status == WGPUPopErrorScopeStatus_Success);
        *static_cast<Error*>(to) = {type, text(said)};
    };
    wait(wgpuDevicePopErrorScope(device, info));
    return found;
}

void Gpu::refuses(std::vector<std::string> texts, const std::function<void()>& step) const {
    const std::size_t before = uncaptured.size();
    const Error error = scoped(WGPUErrorFilter_Validation, step);
    CAPTURE(texts.front());
    CAPTURE(error.message);
    CHECK(error.type == WGPUErrorType_Validation);
    for (const std::string& each : texts) {
        CAPTURE(each);
        CHECK(error.message.find(each) != std::string::npos);
    }
    CHECK(error.message.find("\nFix: ") != std::string::npos);
    CHECK(uncaptured.size() == before);
}

void Gpu::takes(const std::function<void()>& step) const {
    const Error error = scoped(WGPUErrorFilter_Validation, step);
    CHECK(error.message == "");
    CHECK(error.type == WGPUErrorType_NoError);
}

Buffer Gpu::buffer(std::uint64_t size, WGPUBufferUsage usage, std::string_view label, bool mapped) const {
    WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
    descriptor.label = view(label);
    descriptor.size = size;
    descriptor.usage = usage;
    descriptor.mappedAtCreation = mapped;
    return wgpuDeviceCreateBuffer(device, &descriptor);
}

Buffer Gpu::buffer_of(std::span<const std::uint32_t> words, WGPUBufferUsage usage,
                      std::string_view label) const {
    Buffer made = buffer(words.size_bytes(), usage, label, true);
    std::memcpy(wgpuBufferGetMappedRange(made, 0, words.size_bytes()), words.data(), words.size_bytes());
    wgpuBufferUnmap(made);
    return made;
}

ShaderModule Gpu::module(std::string_view source, std::string_view label) const {
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = view(source);
    WGPUShaderModuleDescriptor descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    descriptor.nextInChain = &wgsl.chain;
    descriptor.label = view(label);
    return wgpuDeviceCreateShaderModule(device, &descriptor);
}

Pipeline Gpu::pipeline(WGPUShaderModule module, const char* entry, WGPUPipelineLayout layout,
                       std::vector<WGPUConstantEntry> constants) const {
    WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    descriptor.label = view("pipeline");
    descriptor.layout = layout;
    descriptor.compute.module = module;
    descriptor.compute.entryPoint = {entry, WGPU_STRLEN};
    descriptor.compute.constantCount = constants.size();
    descriptor.compute.constants = constants.data();
    return wgpuDeviceCreateComputePipeline(device, &descriptor);
}

BindGroup Gpu::group(WGPUBindGroupLayout layout, std::vector<WGPUBindGroupEntry> entries,
                     std::string_view label) const {
    WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    descriptor.label = view(label);
    descriptor.layout = layout;
    descriptor.entryCount = entries.size();
    descriptor.entries = entries.data();
    return wgpuDeviceCreateBindGroup(device, &descriptor);
}

BindGroupLayout Gpu::layout(std::vector<WGPUBindGroupLayoutEntry> entries) const {
    WGPUBindGroupLayoutDescriptor descriptor = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    descriptor.label = view("layout");
    descriptor.entryCount = entries.size();
    descriptor.entries = entries.data();
    return wgpuDeviceCreateBindGroupLayout(device, &descriptor);
}

PipelineLayout Gpu::pipeline_layout(std::vector<WGPUBindGroupLayout> layouts,
                                    std::uint32_t immediates) const {
    WGPUPipelineLayoutDescriptor descriptor = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
    descriptor.label = view("pipeline layout");
    descriptor.bindGroupLayoutCount = layouts.size();
    descriptor.bindGroupLayouts = layouts.data();
    descriptor.immediateSize = immediates;
    return wgpuDeviceCreatePipelineLayout(device, &descriptor);
}

Encoder Gpu::encoder(std::string_view label) const {
    WGPUCommandEncoderDescriptor descriptor = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
    descriptor.label = view(label);
    return wgpuDeviceCreateCommandEncoder(device, &descriptor);
}

void Gpu::submit(WGPUCommandEncoder encoder) const {
    const Commands commands = wgpuCommandEncoderFinish(encoder, nullptr);
    const WGPUCommandBuffer raw = commands;
    wgpuQueueSubmit(queue, 1, &raw);
}

void Gpu::run(const std::function<void(WGPUCommandEncoder)>& encode) const {
    const Encoder own = encoder();
    encode(own);
    submit(own);
}

std::vector<std::uint32_t> Gpu::read(WGPUBuffer buffer) const {
    const std::uint64_t size = wgpuBufferGetSize(buffer);
    const Buffer copy = this->buffer(size, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, "copy");
    run([&](WGPUCommandEncoder to) { wgpuCommandEncoderCopyBufferToBuffer(to, buffer, 0, copy, 0, size); });
    CHECK(map(copy, WGPUMapMode_Read) == WGPUMapAsyncStatus_Success);
    std::vector<std::uint32_t> words(size / 4);
    const void* from = wgpuBufferGetConstMappedRange(copy, 0, size);
    REQUIRE(from);
    std::memcpy(words.data(), from, size);
    return words;
}

WGPUMapAsyncStatus Gpu::map(WGPUBuffer buffer, WGPUMapMode mode, std::size_t offset, std::size_t size,
                            std::string* message) const {
    struct Answer {
        WGPUMapAsyncStatus status = WGPUMapAsyncStatus_Force32;
        std::string message = {};
    } answer;
    WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_WaitAnyOnly;
    info.userdata1 = &answer;
    info.callback = [](WGPUMapAsyncStatus status, WGPUStringView said, void* to, void*) {
        *static_cast<Answer*>(to) = {status, text(said)};
    };
    wait(wgpuBufferMapAsync(buffer, mode, offset, size, info));
    if (message) *message = answer.message;
    return answer.status;
}

WGPUBindGroupEntry entry(std::uint32_t binding, WGPUBuffer buffer, std::uint64_t offset, std::uint64_t size) {
    WGPUBindGroupEntry made = WGPU_BIND_GROUP_ENTRY_INIT;
    made.binding = binding;
    made.buffer = buffer;
    made.offset = offset;
    made.size = size;
    return made;
}

WGPUBindGroupLayoutEntry layout_entry(std::uint32_t binding, WGPUBufferBindingType type, bool dynamic,
                                      std::uint64_t min_bytes) {
    WGPUBindGroupLayoutEntry made = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    made.binding = binding;
    made.visibility = WGPUShaderStage_Compute;
    made.buffer.type = type;
    made.buffer.hasDynamicOffset = dynamic;
    made.buffer.minBindingSize = min_bytes;
    return made;
}

}  // namespace webgpu_test
