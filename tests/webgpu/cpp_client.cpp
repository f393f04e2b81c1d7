// A program written for Dawn's webgpu_cpp.h: it asks for what such programs ask for, doubles numbers, and looks at an error. It prints
// "ok", or what is wrong.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <webgpu/webgpu_cpp.h>

namespace {

void must(bool holds, const char* what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    std::exit(1);
}

constexpr const char* text = R"(
override by: u32;
@group(0) @binding(0) var<uniform> more: u32;
@group(0) @binding(1) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&x)) { x[id.x] = by * x[id.x] + more; }
})";

struct Program {
    wgpu::Instance instance;
    wgpu::Adapter adapter;
    wgpu::Device device;
    std::string error, lost;

    Program() {
        constexpr auto timed = wgpu::InstanceFeatureName::TimedWaitAny;
        wgpu::InstanceDescriptor of_instance{.requiredFeatureCount = 1, .requiredFeatures = &timed};
        instance = wgpu::CreateInstance(&of_instance);
        must(instance != nullptr, "there is no instance");

        const std::array toggles{"use_vulkan_memory_model"};
        wgpu::DawnTogglesDescriptor own;
        own.enabledToggleCount = toggles.size();
        own.enabledToggles = toggles.data();
        wgpu::RequestAdapterOptions options{};
        options.nextInChain = &own;
        wait(instance.RequestAdapter(
            &options, wgpu::CallbackMode::WaitAnyOnly,
            [this](wgpu::RequestAdapterStatus, wgpu::Adapter got, wgpu::StringView message) {
                adapter = std::move(got);
                error = std::string(std::string_view(message));
            }));
        must(adapter != nullptr, error.c_str());
        must(adapter.GetInstance().Get() == instance.Get(), "the adapter's instance is another one");
        must(adapter.HasFeature(wgpu::FeatureName::ImplicitDeviceSynchronization),
             "ImplicitDeviceSynchronization");

        wgpu::Limits limits{};
        must(adapter.GetLimits(&limits) == wgpu::Status::Success, "the adapter's limits");
        constexpr auto synchronized = wgpu::FeatureName::ImplicitDeviceSynchronization;
        wgpu::DeviceDescriptor of_device{};
        of_device.nextInChain = &own;
        of_device.requiredFeatureCount = 1;
        of_device.requiredFeatures = &synchronized;
        of_device.requiredLimits = &limits;
        of_device.SetUncapturedErrorCallback(
            [](const wgpu::Device&, wgpu::ErrorType, wgpu::StringView message, Program* self) {
                self->error = std::string(std::string_view(message));
            },
            this);
        of_device.SetDeviceLostCallback(
            wgpu::CallbackMode::AllowSpontaneous,
            [](const wgpu::Device&, wgpu::DeviceLostReason, wgpu::StringView message, Program* self) {
                self->lost = std::string(std::string_view(message));
            },
            this);
        wait(adapter.RequestDevice(
            &of_device, wgpu::CallbackMode::AllowSpontaneous,
            [this](wgpu::RequestDeviceStatus, wgpu::Device got, wgpu::StringView message) {
                device = std::move(got);
                error = std::string(std::string_view(message));
            }));
        must(device != nullptr, error.c_str());
        must(device.GetAdapter().Get() == adapter.Get(), "the device's adapter is another one");
    }

    void wait(wgpu::Future future) const {
        must(instance.WaitAny(future, UINT64_MAX) == wgpu::WaitStatus::Success, "the wait");
    }

    wgpu::Buffer buffer(std::uint64_t size, wgpu::BufferUsage usage) const {
        const wgpu::BufferDescriptor descriptor{.usage = usage, .size = size};
        return device.CreateBuffer(&descriptor);
    }

    std::vector<std::uint32_t> doubled(const std::vector<std::uint32_t>& numbers) const {
        using enum wgpu::BufferUsage;
        const std::uint64_t size = numbers.size() * 4;
        const wgpu::Buffer more = buffer(16, Uniform | CopyDst),
                           x = buffer(size, Storage | CopyDst | CopySrc),
                           back = buffer(size, MapRead | CopyDst);
        const std::uint32_t one = 1;
        device.GetQueue().WriteBuffer(more, 0, &one, sizeof one);
        device.GetQueue().WriteBuffer(x, 0, numbers.data(), size);

        wgpu::ShaderSourceWGSL source;
        source.code = text;
        const wgpu::ShaderModuleDescriptor of_module{.nextInChain = &source};
        const wgpu::ConstantEntry by{.key = "by", .value = 2};
        wgpu::ComputePipelineDescriptor of_pipeline{};
        of_pipeline.compute.module = device.CreateShaderModule(&of_module);
        of_pipeline.compute.entryPoint = "main";
        of_pipeline.compute.constantCount = 1;
        of_pipeline.compute.constants = &by;
        const wgpu::ComputePipeline pipeline = device.CreateComputePipeline(&of_pipeline);
        const std::array entries{wgpu::BindGroupEntry{.binding = 0, .buffer = more, .size = 4},
                                 wgpu::BindGroupEntry{.binding = 1, .buffer = x, .size = size}};
        const wgpu::BindGroupDescriptor of_group{.layout = pipeline.GetBindGroupLayout(0),
                                                 .entryCount = entries.size(),
                                                 .entries = entries.data()};

        const wgpu::CommandEncoder encoder = device.CreateCommandEncoder();
        const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
        pass.SetPipeline(pipeline);
        pass.SetBindGroup(0, device.CreateBindGroup(&of_group));
        pass.DispatchWorkgroups(static_cast<std::uint32_t>((numbers.size() + 63) / 64));
        pass.End();
        encoder.CopyBufferToBuffer(x, 0, back, 0, size);
        const wgpu::CommandBuffer commands = encoder.Finish();
        device.GetQueue().Submit(1, &commands);
        wait(back.MapAsync(wgpu::MapMode::Read, 0, size, wgpu::CallbackMode::WaitAnyOnly,
                           [](wgpu::MapAsyncStatus status, wgpu::StringView) {
                               must(status == wgpu::MapAsyncStatus::Success, "the mapping");
                           }));
        const auto* words = static_cast<const std::uint32_t*>(back.GetConstMappedRange(0, size));
        must(words != nullptr, "the mapped range");
        return {words, words + numbers.size()};
    }
};

}  // namespace

int main() {
    Program program;
    const auto doubled = program.doubled(std::vector<std::uint32_t>(1000, 20));
    must(doubled == std::vector<std::uint32_t>(1000, 41), "the numbers");
    must(program.error.empty(), program.error.c_str());
    (void)program.buffer(16, wgpu::BufferUsage::MapRead | wgpu::BufferUsage::Storage);
    must(program.error.find("MapRead") != std::string::npos, "no error for a wrong usage");
    program.device.InjectError(wgpu::ErrorType::Validation, "on purpose");
    must(program.error == "on purpose", "the injected error");
    program.device.Tick();
    program.device.ForceLoss(wgpu::DeviceLostReason::Unknown, "lost on purpose");
    must(program.lost == "lost on purpose", "the loss");
    must(program.instance.WaitAny(program.device.GetLostFuture(), 0) == wgpu::WaitStatus::Success,
         "the lost future");
    std::printf("ok\n");
}
