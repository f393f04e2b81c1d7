// bench_webgpu - libmuster_webgpu beside muster's own interface on one device (MUSTER_BACKEND), then, with
// --peer, the same program of webgpu.h on libmuster_webgpu and on wgpu-native.
//
// Prints the fastest and the median round of many, in microseconds: other work on the machine makes a round
// slower, never faster. Goals: submit and wait of a pass at most 1.5 us more than Session::dispatch, 1,000
// dispatches in a pass at most 1.2 x a sequence of muster's.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <webgpu.h>
#include <wgpu.h>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace {

constexpr std::string_view source = R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() { if (n != 0u) { data[0] = n; } }
)";
constexpr int many = 1000;

struct Times {
    double least_us = 0, median_us = 0;
};
Times time_of(const std::function<void()>& round, int rounds) {
    for (int i = 0; i < 3; ++i) round();
    std::vector<double> all;
    for (int i = 0; i < rounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        round();
        all.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::sort(all);
    return {all.front(), all[all.size() / 2]};
}
void print(std::string_view what, Times times) {
    fmt::print("  {:<58} {:10.2f} {:10.2f}\n", what, times.least_us, times.median_us);
}

/// The functions of one library.
struct Library {
    void* handle = nullptr;
    template <class Function>
    Function* get(const char* name) const {
        void* found = dlsym(handle, name);
        if (!found) fmt::print(stderr, "{} isn't there.\n", name), std::exit(1);
        return reinterpret_cast<Function*>(found);
    }
};
#define API(name) decltype(::wgpu##name)* const name = library.get<decltype(::wgpu##name)>("wgpu" #name)

/// A device of a library with the kernel and its buffers, and the steps that are measured.
struct Program {
    explicit Program(const Library& of) : library(of) {
        instance = CreateInstance(nullptr);
        WGPURequestAdapterCallbackInfo to_adapter = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
        to_adapter.mode = WGPUCallbackMode_AllowSpontaneous;
        to_adapter.userdata1 = &adapter;
        to_adapter.callback = [](WGPURequestAdapterStatus, WGPUAdapter got, WGPUStringView, void* to, void*) {
            *static_cast<WGPUAdapter*>(to) = got;
        };
        InstanceRequestAdapter(instance, nullptr, to_adapter);
        WGPURequestDeviceCallbackInfo to_device = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
        to_device.mode = WGPUCallbackMode_AllowSpontaneous;
        to_device.userdata1 = &device;
        to_device.callback = [](WGPURequestDeviceStatus, WGPUDevice got, WGPUStringView, void* to, void*) {
            *static_cast<WGPUDevice*>(to) = got;
        };
        if (!adapter) fmt::print(stderr, "There is no adapter.\n"), std::exit(1);
        AdapterRequestDevice(adapter, nullptr, to_device);
        if (!device) fmt::print(stderr, "There is no device.\n"), std::exit(1);
        WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
        AdapterGetInfo(adapter, &info);
        name.assign(info.device.data, info.device.length);
        queue = DeviceGetQueue(device);

        WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
        wgsl.code = {source.data(), source.size()};
        WGPUShaderModuleDescriptor module = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
        module.nextInChain = &wgsl.chain;
        WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
        descriptor.compute.module = DeviceCreateShaderModule(device, &module);
        descriptor.compute.entryPoint = {"main", WGPU_STRLEN};
        pipeline = DeviceCreateComputePipeline(device, &descriptor);
        uniform = buffer(16, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst);
        data = buffer(1 << 20, WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc);
        download = buffer(1 << 20, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
        std::array<WGPUBindGroupEntry, 2> entries{WGPUBindGroupEntry WGPU_BIND_GROUP_ENTRY_INIT,
                                                  WGPUBindGroupEntry WGPU_BIND_GROUP_ENTRY_INIT};
        entries[0].binding = 0, entries[0].buffer = uniform, entries[0].size = 16;
        entries[1].binding = 1, entries[1].buffer = data, entries[1].size = 1 << 20;
        WGPUBindGroupDescriptor of_group = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
        of_group.layout = ComputePipelineGetBindGroupLayout(pipeline, 0);
        of_group.entryCount = 2;
        of_group.entries = entries.data();
        group = DeviceCreateBindGroup(device, &of_group);
        other_group = DeviceCreateBindGroup(device, &of_group);
    }

    WGPUBuffer buffer(std::uint64_t size, WGPUBufferUsage usage) const {
        WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
        descriptor.size = size;
        descriptor.usage = usage;
        return DeviceCreateBuffer(device, &descriptor);
    }

    /// Encodes a pass of so many dispatches, submits it, and waits. `alternates`: between two bind groups.
    void pass(int dispatches, bool alternates = false) const {
        WGPUCommandEncoder encoder = DeviceCreateCommandEncoder(device, nullptr);
        WGPUComputePassEncoder pass = CommandEncoderBeginComputePass(encoder, nullptr);
        if (dispatches > 0) {
            ComputePassEncoderSetPipeline(pass, pipeline);
            ComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
        }
        for (int i = 0; i < dispatches; ++i) {
            if (alternates)
                ComputePassEncoderSetBindGroup(pass, 0, i % 2 == 0 ? group : other_group, 0, nullptr);
            ComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        }
        ComputePassEncoderEnd(pass);
        ComputePassEncoderRelease(pass);
        WGPUCommandBuffer commands = CommandEncoderFinish(encoder, nullptr);
        CommandEncoderRelease(encoder);
        QueueSubmit(queue, 1, &commands);
        CommandBufferRelease(commands);
        DevicePoll(device, WGPU_TRUE, nullptr);
    }
    void write(const std::vector<std::byte>& bytes) const {
        QueueWriteBuffer(queue, data, 0, bytes.data(), bytes.size());
        QueueSubmit(queue, 0, nullptr);
        DevicePoll(device, WGPU_TRUE, nullptr);
    }
    /// Copies a megabyte to a buffer that is mapped, and reads a word of each page.
    void read() const {
        WGPUCommandEncoder encoder = DeviceCreateCommandEncoder(device, nullptr);
        CommandEncoderCopyBufferToBuffer(encoder, data, 0, download, 0, 1 << 20);
        WGPUCommandBuffer commands = CommandEncoderFinish(encoder, nullptr);
        CommandEncoderRelease(encoder);
        QueueSubmit(queue, 1, &commands);
        CommandBufferRelease(commands);
        map();
    }
    void map() const {
        bool is_mapped = false;
        WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
        info.mode = WGPUCallbackMode_AllowProcessEvents;
        info.userdata1 = &is_mapped;
        info.callback = [](WGPUMapAsyncStatus, WGPUStringView, void* to, void*) {
            *static_cast<bool*>(to) = true;
        };
        BufferMapAsync(download, WGPUMapMode_Read, 0, 1 << 20, info);
        while (!is_mapped) DevicePoll(device, WGPU_TRUE, nullptr);
        const auto* bytes =
            static_cast<const volatile char*>(BufferGetConstMappedRange(download, 0, 1 << 20));
        for (std::size_t i = 0; i < 1 << 20; i += 4096) (void)bytes[i];
        BufferUnmap(download);
    }

    Library library;
    API(CreateInstance);
    API(InstanceRequestAdapter);
    API(AdapterRequestDevice);
    API(AdapterGetInfo);
    API(DeviceGetQueue);
    API(DeviceCreateShaderModule);
    API(DeviceCreateComputePipeline);
    API(DeviceCreateBuffer);
    API(DeviceCreateBindGroup);
    API(DeviceCreateCommandEncoder);
    API(DevicePoll);
    API(ComputePipelineGetBindGroupLayout);
    API(CommandEncoderBeginComputePass);
    API(CommandEncoderCopyBufferToBuffer);
    API(CommandEncoderFinish);
    API(CommandEncoderRelease);
    API(CommandBufferRelease);
    API(ComputePassEncoderSetPipeline);
    API(ComputePassEncoderSetBindGroup);
    API(ComputePassEncoderDispatchWorkgroups);
    API(ComputePassEncoderEnd);
    API(ComputePassEncoderRelease);
    API(QueueSubmit);
    API(QueueWriteBuffer);
    API(BufferMapAsync);
    API(BufferGetConstMappedRange);
    API(BufferUnmap);
    WGPUInstance instance = nullptr;
    WGPUAdapter adapter = nullptr;
    WGPUDevice device = nullptr;
    WGPUQueue queue = nullptr;
    WGPUComputePipeline pipeline = nullptr;
    WGPUBuffer uniform = nullptr, data = nullptr, download = nullptr;
    WGPUBindGroup group = nullptr, other_group = nullptr;
    std::string name;
};

Library opened(const char* path) {
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) fmt::print(stderr, "{}\n", dlerror()), std::exit(1);
    return {handle};
}

void beside_muster() {
    using namespace muster;
    const Program webgpu(opened(MUSTER_WEBGPU_LIBRARY));
    Session session = *Session::open();
    const ValidProgram program = *validate(*wgsl::parse(source));
    const Kernel kernel = *session.prepare(program);
    const Buffer uniform = *session.buffer(16), data = *session.buffer(1 << 20);
    const std::vector<Argument> arguments{{GroupBinding{0, 0}, uniform}, {GroupBinding{0, 1}, data}};
    fmt::print("{}: microseconds, the fastest and the median round\n", kernel.device().name);
    const auto dispatched =
        time_of([&] { (void)session.dispatch(kernel, arguments, Workgroups{1})->wait(); }, 3000);
    print("Session::dispatch and wait, an empty kernel", dispatched);
    const auto empty = time_of([&] { webgpu.pass(0); }, 3000);
    print("WebGPU: encode an empty pass, submit, wait", empty);
    const auto one = time_of([&] { webgpu.pass(1); }, 3000);
    print("WebGPU: encode a pass of one dispatch, submit, wait", one);
    fmt::print("  -> {:.2f} us and {:.2f} us more than Session::dispatch (goal: at most 1.5)\n",
               empty.least_us - dispatched.least_us, one.least_us - dispatched.least_us);

    const auto record = [&] {
        Sequence made = session.sequence();
        for (int i = 0; i < many; ++i) (void)made.dispatch(kernel, arguments, Workgroups{1});
        return made;
    };
    const Sequence recorded = record();
    const auto again = time_of([&] { (void)recorded.submit()->wait(); }, 300);
    print("Sequence of 1,000 dispatches, recorded before: submit, wait", again);
    const auto anew = time_of([&] { (void)record().submit()->wait(); }, 300);
    print("Sequence of 1,000 dispatches: record, submit, wait", anew);
    const auto pass = time_of([&] { webgpu.pass(many); }, 300);
    print("WebGPU: encode a pass of 1,000 dispatches, submit, wait", pass);
    const auto alternating = time_of([&] { webgpu.pass(many, true); }, 300);
    print("WebGPU: the same, the bind group set before each dispatch", alternating);
    fmt::print("  -> {:.2f} x a sequence recorded anew, {:.2f} x one recorded before (goal: at most 1.2)\n",
               pass.least_us / anew.least_us, pass.least_us / again.least_us);
}

void beside_wgpu_native() {
    const Program ours(opened(MUSTER_WEBGPU_LIBRARY)), peer(opened(WGPU_NATIVE_LIBRARY));
    fmt::print("libmuster_webgpu on {}, wgpu-native on {}: microseconds, the fastest round\n", ours.name,
               peer.name);
    fmt::print("  {:<50} {:>10} {:>12} {:>8}\n", "", "muster", "wgpu-native", "ratio");
    const auto compare = [&](std::string_view what, const std::function<void(const Program&)>& step,
                             int rounds) {
        const Times own = time_of([&] { step(ours); }, rounds), other = time_of([&] { step(peer); }, rounds);
        fmt::print("  {:<50} {:10.2f} {:12.2f} {:8.2f}\n", what, own.least_us, other.least_us,
                   own.least_us / other.least_us);
    };
    const std::vector<std::byte> bytes(1 << 20);
    compare(
        "an empty pass: encode, submit, wait", [](const Program& on) { on.pass(0); }, 1000);
    compare(
        "a pass of one dispatch", [](const Program& on) { on.pass(1); }, 1000);
    compare(
        "a pass of 1,000 dispatches", [](const Program& on) { on.pass(many); }, 100);
    compare(
        "the same, the bind group set before each", [](const Program& on) { on.pass(many, true); }, 100);
    compare(
        "write 1 MiB to a buffer", [&](const Program& on) { on.write(bytes); }, 300);
    compare(
        "map 1 MiB for reading, and unmap", [](const Program& on) { on.map(); }, 300);
    compare(
        "copy 1 MiB to another buffer, and map it", [](const Program& on) { on.read(); }, 300);
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 1 && std::strcmp(arguments[1], "--peer") == 0)
        beside_wgpu_native();
    else
        beside_muster();
}
