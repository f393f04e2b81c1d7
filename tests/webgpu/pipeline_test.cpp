// Shader modules, layouts, bind groups and compute pipelines: what they compute, and each rule about them.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "webgpu/kit.hpp"

namespace webgpu_test {
namespace {

void dispatch(const Gpu& gpu, WGPUComputePipeline pipeline, std::vector<WGPUBindGroup> groups,
              std::uint32_t x) {
    gpu.run([&](WGPUCommandEncoder encoder) {
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
        wgpuComputePassEncoderSetPipeline(pass, pipeline);
        for (std::uint32_t i = 0; i < groups.size(); ++i)
            wgpuComputePassEncoderSetBindGroup(pass, i, groups[i], 0, nullptr);
        wgpuComputePassEncoderDispatchWorkgroups(pass, x, 1, 1);
        wgpuComputePassEncoderEnd(pass);
    });
}

struct Info {
    std::vector<WGPUCompilationMessage> messages;
    std::vector<std::string> texts;
};

Info compilation_info(const Gpu& gpu, WGPUShaderModule module) {
    Info found;
    WGPUCompilationInfoCallbackInfo info = WGPU_COMPILATION_INFO_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_WaitAnyOnly;
    info.userdata1 = &found;
    info.callback = [](WGPUCompilationInfoRequestStatus status, WGPUCompilationInfo const* said, void* to,
                       void*) {
        CHECK(status == WGPUCompilationInfoRequestStatus_Success);
        for (std::size_t i = 0; i < said->messageCount; ++i) {
            static_cast<Info*>(to)->messages.push_back(said->messages[i]);
            static_cast<Info*>(to)->texts.push_back(text(said->messages[i].message));
        }
    };
    gpu.wait(wgpuShaderModuleGetCompilationInfo(module, info));
    return found;
}

TEST_CASE("a kernel runs with an automatic layout and with a given one") {
    const Gpu gpu;
    const std::array<std::uint32_t, 6> first{1, 2, 3, 4, 5, 6}, second{10, 20, 30, 40, 50, 60};
    const Buffer a = gpu.buffer_of(first, WGPUBufferUsage_Storage),
                 b = gpu.buffer_of(second, WGPUBufferUsage_Storage), sum = gpu.buffer(24, storage);
    const ShaderModule module = gpu.module(adding);
    {
        const Pipeline pipeline = gpu.pipeline(module);
        const BindGroupLayout layout(wgpuComputePipelineGetBindGroupLayout(pipeline, 0));
        dispatch(gpu, pipeline, {gpu.group(layout, {entry(2, sum), entry(0, a), entry(1, b)})}, 2);
        CHECK(gpu.read(sum) == std::vector<std::uint32_t>{11, 22, 33, 44, 55, 66});
    }
    const BindGroupLayout layout =
        gpu.layout({layout_entry(0, WGPUBufferBindingType_ReadOnlyStorage),
                    layout_entry(1, WGPUBufferBindingType_ReadOnlyStorage, false, 4),
                    layout_entry(2, WGPUBufferBindingType_Storage),
                    layout_entry(7, WGPUBufferBindingType_Uniform)});  // not used
    const Buffer uniform = gpu.buffer(16, WGPUBufferUsage_Uniform);
    const Pipeline pipeline = gpu.pipeline(module, "add", gpu.pipeline_layout({layout}));
    const BindGroup group = gpu.group(layout, {entry(0, b), entry(1, b), entry(2, sum), entry(7, uniform)});
    dispatch(gpu, pipeline, {group}, 2);
    CHECK(gpu.read(sum) == std::vector<std::uint32_t>{20, 40, 60, 80, 100, 120});
    CHECK(gpu.uncaptured.empty());
}

TEST_CASE("bindings have offsets and sizes, dynamic ones too") {
    const Gpu gpu;
    std::vector<std::uint32_t> words(256);
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = i;
    const Buffer buffer = gpu.buffer_of(words, storage);
    const BindGroupLayout layout = gpu.layout({layout_entry(0, WGPUBufferBindingType_Storage, true)});
    const Pipeline pipeline = gpu.pipeline(gpu.module(doubling), "main", gpu.pipeline_layout({layout}));
    const BindGroup group = gpu.group(layout, {entry(0, buffer, 256, 8)});
    gpu.run([&](WGPUCommandEncoder encoder) {
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
        wgpuComputePassEncoderSetPipeline(pass, pipeline);
        for (const std::uint32_t offset : {0u, 512u, 512u}) {
            wgpuComputePassEncoderSetBindGroup(pass, 0, group, 1, &offset);
            wgpuComputePassEncoderDispatchWorkgroups(pass, 4, 1, 1);
        }
        wgpuComputePassEncoderEnd(pass);
    });
    const auto after = gpu.read(buffer);
    CHECK(after[63] == 63);
    CHECK(after[64] == 128);
    CHECK(after[65] == 130);
    CHECK(after[66] == 66);
    CHECK(after[192] == 768);  // twice
    const auto refuses = [&](std::vector<std::uint32_t> offsets, std::string reason) {
        gpu.refuses({reason, "while calling wgpuComputePassEncoderSetBindGroup"}, [&] {
            gpu.run([&](WGPUCommandEncoder encoder) {
                const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
                wgpuComputePassEncoderSetBindGroup(pass, 0, group, offsets.size(), offsets.data());
                wgpuComputePassEncoderEnd(pass);
            });
        });
    };
    refuses({}, "0 dynamic offsets are given; the bind group \"group\" takes 1");
    refuses({0, 256}, "2 dynamic offsets");
    refuses({128}, "dynamic offset of binding 0 is 128, which isn't a multiple of 256");
    refuses({768}, "binding 0 with its dynamic offset has 8 bytes from byte 1024 on");
}

TEST_CASE("overridable constants are given by name or id, and converted") {
    const Gpu gpu;
    const ShaderModule module = gpu.module(R"(
        override n: u32 = 3u; @id(7) override sign: i32; override scale: f32 = 1.0; override flag: bool = false;
        override size: u32 = 4;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(size) fn main() {
            out[0] = n; out[1] = u32(sign); out[2] = bitcast<u32>(scale); out[3] = select(0u, 1u, flag);
        })");
    const auto constant = [](std::string_view key, double value) {
        WGPUConstantEntry made = WGPU_CONSTANT_ENTRY_INIT;
        made.key = view(key);
        made.value = value;
        return made;
    };
    const Buffer out = gpu.buffer(16, storage);
    const Pipeline pipeline = gpu.pipeline(
        module, nullptr, nullptr,
        {constant("n", 9.0), constant("7", -1.0), constant("scale", 0.1), constant("flag", 2.0)});
    const BindGroupLayout layout(wgpuComputePipelineGetBindGroupLayout(pipeline, 0));
    dispatch(gpu, pipeline, {gpu.group(layout, {entry(0, out)})}, 1);
    CHECK(gpu.read(out) == std::vector<std::uint32_t>{9, 0xffffffff, 0x3dcccccd, 1});
    const auto refuses = [&](std::vector<WGPUConstantEntry> constants, std::string reason) {
        gpu.refuses({reason, "making the compute pipeline \"pipeline\""},
                    [&] { (void)Pipeline(gpu.pipeline(module, nullptr, nullptr, constants)); });
    };
    refuses({}, "sign");  // it has no value of its own
    refuses({constant("m", 1)}, "The module has no override \"m\".");
    refuses({constant("sign", 1)}, "The module has no override \"sign\".");  // it has an id
    refuses({constant("7", 1), constant("n", -1)}, "isn't in the range of u32");
    refuses({constant("7", 3e9)}, "isn't in the range of i32");
    refuses({constant("7", 1), constant("scale", 1e39)}, "isn't in the range of f32");
    refuses({constant("7", 1), constant("scale", INFINITY)}, "isn't finite");
    refuses({constant("7", 1), constant("7", 2)}, "given twice");
    refuses({constant("7", 1), constant("size", 512)}, "maxComputeWorkgroupSizeX is 256");
}

TEST_CASE("immediates are passed with the pass") {
    WGPULimits limits = WGPU_LIMITS_INIT;
    const Gpu gpu({.limits = limits});
    const ShaderModule module = gpu.module(R"(
        requires immediate_address_space;
        struct Numbers { a: u32, b: u32, c: vec2<u32> }
        var<immediate> numbers: Numbers;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main() {
            out[0] = numbers.a; out[1] = numbers.b; out[2] = numbers.c.x; out[3] = numbers.c.y;
        })");
    const Buffer out = gpu.buffer(16, storage), second = gpu.buffer(16, storage);
    const Pipeline pipeline = gpu.pipeline(module);
    const BindGroupLayout layout(wgpuComputePipelineGetBindGroupLayout(pipeline, 0));
    const BindGroup group = gpu.group(layout, {entry(0, out)}), other = gpu.group(layout, {entry(0, second)});
    const std::array<std::uint32_t, 3> words{1, 2, 3};
    gpu.run([&](WGPUCommandEncoder encoder) {
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
        wgpuComputePassEncoderSetPipeline(pass, pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
        wgpuComputePassEncoderSetImmediates(pass, 0, words.data(), 12);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        wgpuComputePassEncoderSetImmediates(pass, 8, words.data(), 8);
        wgpuComputePassEncoderSetBindGroup(pass, 0, other, 0, nullptr);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        wgpuComputePassEncoderEnd(pass);
    });
    CHECK(gpu.read(out) == std::vector<std::uint32_t>{1, 2, 3, 0});
    CHECK(gpu.read(second) == std::vector<std::uint32_t>{1, 2, 1, 2});
    const BindGroupLayout given = gpu.layout({layout_entry(0, WGPUBufferBindingType_Storage)});
    gpu.refuses({"The immediate numbers has 16 bytes",
                 "immediateSize of the pipeline layout \"pipeline layout\" is 8"},
                [&] { (void)Pipeline(gpu.pipeline(module, nullptr, gpu.pipeline_layout({given}, 8))); });
    gpu.takes([&] { (void)Pipeline(gpu.pipeline(module, nullptr, gpu.pipeline_layout({given}, 16))); });
    gpu.refuses({"68 bytes of immediates; the device's maxImmediateSize is 64"},
                [&] { (void)PipelineLayout(gpu.pipeline_layout({}, 68)); });
    gpu.refuses({"no multiple of 4"}, [&] { (void)PipelineLayout(gpu.pipeline_layout({}, 6)); });
    const auto refuses = [&](std::uint32_t offset, std::size_t size, std::string reason) {
        gpu.refuses({reason, "while calling wgpuComputePassEncoderSetImmediates"}, [&] {
            gpu.run([&](WGPUCommandEncoder encoder) {
                const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
                wgpuComputePassEncoderSetImmediates(pass, offset, words.data(), size);
                wgpuComputePassEncoderEnd(pass);
            });
        });
    };
    refuses(2, 4, "offset of immediates is 2");
    refuses(0, 3, "size of immediates is 3");
    refuses(60, 8, "maxImmediateSize is 64");
}

TEST_CASE("a module's faults are told by line, position and length in bytes") {
    const Gpu gpu;
    const std::string source =
        "// \u00e9\n@compute @workgroup_size(1) fn main() {\n  let x = \u00fcber + 1;\n}\n";
    ShaderModule module;
    gpu.refuses({"while calling wgpuDeviceCreateShaderModule", "wrong:3:11: error: ", "\u00fcber"},
                [&] { module = gpu.module(source, "wrong"); });
    const Info info = compilation_info(gpu, module);
    REQUIRE(info.messages.size() == 1);
    const WGPUCompilationMessage& message = info.messages[0];
    CHECK(message.type == WGPUCompilationMessageType_Error);
    CHECK(message.lineNum == 3);
    CHECK(message.linePos == 11);
    CHECK(message.offset == source.find("\u00fcber"));
    CHECK(message.length == 5);
    CHECK(info.texts[0].find("\u00fcber") != std::string::npos);
    gpu.refuses({"shader module \"wrong\" is invalid"}, [&] { (void)Pipeline(gpu.pipeline(module)); });
    CHECK(compilation_info(gpu, gpu.module(doubling)).messages.empty());
    // A fault of the whole program, found after types are known.
    gpu.refuses({"uniform"}, [&] {
        module = gpu.module(R"(@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            if (i == 0u) { workgroupBarrier(); }
        })");
    });
    CHECK(compilation_info(gpu, module).messages[0].lineNum == 2);
}

TEST_CASE("other sources than WGSL are refused by name, and textures by the entry point that uses them") {
    const Gpu gpu;
    const std::array<std::uint32_t, 1> code{0x07230203};
    WGPUShaderSourceSPIRV spirv = WGPU_SHADER_SOURCE_SPIRV_INIT;
    spirv.codeSize = 1;
    spirv.code = code.data();
    WGPUShaderModuleDescriptor descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    descriptor.nextInChain = &spirv.chain;
    gpu.refuses({"SPIR-V"},
                [&] { (void)ShaderModule(wgpuDeviceCreateShaderModule(gpu.device, &descriptor)); });
    WGPUShaderSourceGLSL glsl{};
    glsl.chain.sType = static_cast<WGPUSType>(WGPUSType_ShaderSourceGLSL);
    descriptor.nextInChain = &glsl.chain;
    gpu.refuses({"GLSL"}, [&] { (void)ShaderModule(wgpuDeviceCreateShaderModule(gpu.device, &descriptor)); });
    descriptor.nextInChain = nullptr;
    gpu.refuses({"has no source"},
                [&] { (void)ShaderModule(wgpuDeviceCreateShaderModule(gpu.device, &descriptor)); });
    WGPUShaderModuleDescriptorSpirV native{view("spirv"), 1, code.data()};
    gpu.refuses({"SPIR-V"},
                [&] { (void)ShaderModule(wgpuDeviceCreateShaderModuleSpirV(gpu.device, &native)); });

    ShaderModule module;
    gpu.takes([&] {
        module = gpu.module(R"(
            @group(0) @binding(0) var image: texture_2d<f32>;
            @group(0) @binding(1) var<storage, read_write> out: array<f32>;
            @compute @workgroup_size(1) fn sampled() { out[0] = textureLoad(image, vec2(0, 0), 0).x; }
            @compute @workgroup_size(1) fn plain() { out[0] = 1.0; }
            @fragment fn shade() -> @location(0) vec4<f32> { return vec4(1.0); })");
    });
    gpu.refuses({"exture"}, [&] { (void)Pipeline(gpu.pipeline(module, "sampled")); });
    gpu.takes([&] { (void)Pipeline(gpu.pipeline(module, "plain")); });
    gpu.refuses({"The entry point shade of the shader module \"module\" isn't a compute shader."},
                [&] { (void)Pipeline(gpu.pipeline(module, "shade")); });
    gpu.refuses({"has no entry point called \"none\"", "name one of: sampled, plain"},
                [&] { (void)Pipeline(gpu.pipeline(module, "none")); });
    gpu.refuses({"has 2 compute entry points, and none is named"},
                [&] { (void)Pipeline(gpu.pipeline(module)); });
}

TEST_CASE("extensions of the language need their feature") {
    const Gpu plain;
    plain.refuses({"The shader enables f16", "without the feature shader-f16", "device \"the device\""}, [&] {
        (void)ShaderModule(plain.module("enable f16; @compute @workgroup_size(1) fn main() {}"));
    });
    plain.refuses({"subgroups"}, [&] {
        (void)ShaderModule(plain.module("enable subgroups; @compute @workgroup_size(1) fn main() {}"));
    });
    if (wgpuAdapterHasFeature(plain.adapter, WGPUFeatureName_ShaderF16)) {
        const Gpu gpu({.features = {WGPUFeatureName_ShaderF16}});
        const Buffer out = gpu.buffer(4, storage);
        const Pipeline pipeline = gpu.pipeline(gpu.module(R"(enable f16;
            @group(0) @binding(0) var<storage, read_write> out: vec2<f16>;
            @compute @workgroup_size(1) fn main() { out = vec2(1.5h, -2.0h); })"));
        dispatch(
            gpu, pipeline,
            {gpu.group(BindGroupLayout(wgpuComputePipelineGetBindGroupLayout(pipeline, 0)), {entry(0, out)})},
            1);
        CHECK(gpu.read(out)[0] == 0xc0003e00);
    }
    if (wgpuAdapterHasFeature(plain.adapter, WGPUFeatureName_Subgroups)) {
        const Gpu gpu({.features = {WGPUFeatureName_Subgroups}});
        gpu.takes([&] {
            (void)Pipeline(gpu.pipeline(gpu.module(R"(enable subgroups;
                @group(0) @binding(0) var<storage, read_write> out: array<u32>;
                @compute @workgroup_size(32) fn main() { out[0] = subgroupAdd(1u); })")));
        });
    }
}

TEST_CASE("bind group layouts are made by the rules") {
    const Gpu gpu;
    const auto refuses = [&](std::vector<WGPUBindGroupLayoutEntry> entries, std::string reason) {
        gpu.refuses({reason, "making the bind group layout \"layout\"",
                     "while calling wgpuDeviceCreateBindGroupLayout"},
                    [&] { (void)BindGroupLayout(gpu.layout(entries)); });
    };
    const auto uniform = WGPUBufferBindingType_Uniform, writable = WGPUBufferBindingType_Storage;
    refuses({layout_entry(3, uniform), layout_entry(3, writable)}, "Binding 3 is listed twice.");
    refuses({layout_entry(1000, uniform)}, "maxBindingsPerBindGroup, 1000");
    refuses({layout_entry(0, WGPUBufferBindingType_BindingNotUsed)},
            "Binding 0 says of no resource what it is.");
    refuses({layout_entry(0, static_cast<WGPUBufferBindingType>(77))}, "The buffer type of binding 0 is 77");
    WGPUBindGroupLayoutEntry odd = layout_entry(0, uniform);
    odd.visibility = 0x100;
    refuses({odd}, "The visibility of binding 0 is 0x100");
    odd = layout_entry(0, writable);
    odd.visibility = WGPUShaderStage_Vertex;
    refuses({odd}, "Binding 0 is a storage buffer that vertex shaders see.");
    odd = layout_entry(0, uniform);
    odd.bindingArraySize = 4;
    refuses({odd}, "Binding 0 is an array of 4 bindings");
    odd = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    odd.buffer.type = WGPUBufferBindingType_BindingNotUsed;
    odd.sampler.type = WGPUSamplerBindingType_Filtering;
    refuses({odd}, "Binding 0 is a sampler");
    odd.sampler.type = WGPUSamplerBindingType_BindingNotUsed;
    odd.texture.sampleType = WGPUTextureSampleType_Float;
    refuses({odd}, "Binding 0 is a texture");
    odd.texture.sampleType = WGPUTextureSampleType_BindingNotUsed;
    odd.storageTexture.access = WGPUStorageTextureAccess_WriteOnly;
    refuses({odd}, "Binding 0 is a storage texture");
    Strange strange;
    odd = layout_entry(0, uniform);
    odd.nextInChain = &strange.chain;
    refuses({odd}, "WGPUBindGroupLayoutEntry");
    odd = layout_entry(0, uniform);
    odd.buffer.nextInChain = &strange.chain;
    refuses({odd}, "WGPUBufferBindingLayout");
    std::vector<WGPUBindGroupLayoutEntry> many;
    for (std::uint32_t i = 0; i < 9; ++i) many.push_back(layout_entry(i, writable));
    refuses(
        many,
        "There are 9 storage buffers of compute shaders, maxStorageBuffersPerShaderStage; the device has 8.");
    many.clear();
    for (std::uint32_t i = 0; i < 13; ++i) many.push_back(layout_entry(i, uniform));
    refuses(many, "13 uniform buffers of compute shaders");
    many.clear();
    for (std::uint32_t i = 0; i < 5; ++i) many.push_back(layout_entry(i, writable, true));
    refuses(many, "5 storage buffers of dynamic offset");
    many.clear();
    for (std::uint32_t i = 0; i < 9; ++i) many.push_back(layout_entry(i, uniform, true));
    refuses(many, "9 uniform buffers of dynamic offset");

    const BindGroupLayout eight =
        gpu.layout({layout_entry(0, writable), layout_entry(1, writable), layout_entry(2, writable),
                    layout_entry(3, writable), layout_entry(4, writable)});
    const auto refuses_pipeline_layout = [&](std::vector<WGPUBindGroupLayout> layouts, std::string reason) {
        gpu.refuses({reason, "making the pipeline layout \"pipeline layout\""},
                    [&] { (void)PipelineLayout(gpu.pipeline_layout(layouts)); });
    };
    refuses_pipeline_layout({eight, eight}, "There are 10 storage buffers of compute shaders");
    refuses_pipeline_layout({nullptr, nullptr, nullptr, nullptr, nullptr},
                            "has 5 bind groups; the device's maxBindGroups is 4");
    gpu.takes([&] { (void)PipelineLayout(gpu.pipeline_layout({nullptr, eight})); });
    const Pipeline automatic = gpu.pipeline(gpu.module(doubling));
    refuses_pipeline_layout({BindGroupLayout(wgpuComputePipelineGetBindGroupLayout(automatic, 0))},
                            "belongs to a pipeline that was made with an automatic layout");
    const Gpu other;
    refuses_pipeline_layout({other.layout({})}, "is of another device");
}

TEST_CASE("bind groups are made by the rules") {
    const Gpu gpu;
    const Buffer buffer = gpu.buffer(1024, storage | WGPUBufferUsage_Uniform, "data");
    const BindGroupLayout layout = gpu.layout({layout_entry(0, WGPUBufferBindingType_Storage, false, 16),
                                               layout_entry(1, WGPUBufferBindingType_Uniform)});
    const auto refuses = [&](std::vector<WGPUBindGroupEntry> entries, std::string reason) {
        gpu.refuses({reason, "making the bind group \"group\"", "while calling wgpuDeviceCreateBindGroup"},
                    [&] { (void)BindGroup(gpu.group(layout, entries)); });
    };
    const WGPUBindGroupEntry fine = entry(1, buffer, 0, 256);
    gpu.takes([&] { (void)BindGroup(gpu.group(layout, {entry(0, buffer, 256), fine})); });
    refuses({fine}, "The bind group has 1 entries; the bind group layout \"layout\" has 2.");
    refuses({entry(0, buffer), entry(5, buffer)}, "Binding 5 isn't in the bind group layout \"layout\".");
    refuses({fine, fine}, "Binding 1 is given twice.");
    refuses({entry(0, nullptr), fine}, "Binding 0 is given no buffer.");
    refuses({entry(0, buffer, 128, 256), fine}, "offset of binding 0 is 128, which isn't a multiple of 256");
    refuses({entry(0, buffer, 0, 30), fine}, "size of the storage binding 0 is 30");
    refuses({entry(0, buffer, 0, 8), fine}, "Binding 0 has 8 bytes; its layout's minBindingSize is 16.");
    refuses({entry(0, buffer, 0, 0), fine}, "Binding 0 has no bytes");
    refuses({entry(0, buffer, 1024), fine}, "Binding 0 has no bytes");
    refuses({entry(0, buffer, 1280), fine},
            "binding 0 has 0 bytes from byte 1280 on; the buffer \"data\" has 1024");
    refuses({entry(0, buffer, 512, 768), fine}, "binding 0 has 768 bytes from byte 512 on");
    refuses({entry(0, gpu.buffer(64, WGPUBufferUsage_Uniform, "u")), fine},
            "The buffer \"u\" is bound as storage");
    refuses({entry(0, buffer), entry(1, gpu.buffer(64, WGPUBufferUsage_Storage, "s"))},
            "The buffer \"s\" is bound as a uniform");
    const Buffer large = gpu.buffer(65536 + 256, WGPUBufferUsage_Uniform);
    refuses({entry(0, buffer), entry(1, large)},
            "Binding 1 has 65792 bytes; the device's maxUniformBufferBindingSize is 65536");
    WGPUBindGroupEntry sampled = entry(0, buffer);
    sampled.sampler = reinterpret_cast<WGPUSampler>(std::uintptr_t{64});  // never looked at
    refuses({sampled, fine}, "Binding 0 is given a sampler or a texture");
    Strange strange;
    WGPUBindGroupEntry chained = entry(0, buffer);
    chained.nextInChain = &strange.chain;
    refuses({chained, fine}, "WGPUBindGroupEntry");
    const Gpu other;
    refuses({entry(0, other.buffer(64, storage)), fine}, "is of another device");
    gpu.refuses({"has no layout"}, [&] { (void)BindGroup(gpu.group(nullptr, {})); });
}

TEST_CASE("pipelines are made by the rules of their layout") {
    const Gpu gpu;
    const ShaderModule module = gpu.module(adding);
    const auto read = WGPUBufferBindingType_ReadOnlyStorage, writable = WGPUBufferBindingType_Storage;
    const auto refuses = [&](std::vector<WGPUBindGroupLayoutEntry> entries, std::string reason) {
        gpu.refuses({reason, "while calling wgpuDeviceCreateComputePipeline"}, [&] {
            (void)Pipeline(gpu.pipeline(module, "add", gpu.pipeline_layout({gpu.layout(entries)})));
        });
    };
    refuses({layout_entry(0, read), layout_entry(2, writable)},
            "The variable b is binding 1 of group 0, which the pipeline layout \"pipeline layout\" doesn't "
            "have.");
    refuses(
        {layout_entry(0, read), layout_entry(1, writable), layout_entry(2, writable)},
        "The variable b, binding 1 of group 0, is ReadOnlyStorage in the shader and Storage in the layout.");
    refuses(
        {layout_entry(0, WGPUBufferBindingType_Uniform), layout_entry(1, read), layout_entry(2, writable)},
        "is ReadOnlyStorage in the shader and Uniform in the layout");
    refuses({layout_entry(0, read), layout_entry(1, read), layout_entry(2, writable, false, 2)},
            "needs 4 bytes; the layout's minBindingSize is 2");
    WGPUBindGroupLayoutEntry hidden = layout_entry(0, read);
    hidden.visibility = WGPUShaderStage_Fragment;
    refuses({hidden, layout_entry(1, read), layout_entry(2, writable)}, "isn't visible to compute shaders");
    gpu.refuses({"The pipeline has no shader module."}, [&] { (void)Pipeline(gpu.pipeline(nullptr)); });
    gpu.refuses({"maxBindGroups is 4"}, [&] {
        (void)Pipeline(gpu.pipeline(gpu.module(R"(@group(4) @binding(0) var<storage, read_write> x: u32;
            @compute @workgroup_size(1) fn main() { x = 1u; })")));
    });
    gpu.refuses(
        {"number of invocations of a workgroup is 512; the device's "
         "maxComputeInvocationsPerWorkgroup is 256"},
        [&] { (void)Pipeline(gpu.pipeline(gpu.module("@compute @workgroup_size(16, 32) fn main() {}"))); });
    gpu.refuses({"z of the workgroup size is 65", "maxComputeWorkgroupSizeZ is 64"}, [&] {
        (void)Pipeline(gpu.pipeline(gpu.module("@compute @workgroup_size(1, 1, 65) fn main() {}")));
    });
    gpu.refuses({"maxComputeWorkgroupStorageSize is 16384"}, [&] {
        (void)Pipeline(gpu.pipeline(gpu.module(R"(var<workgroup> w: array<u32, 5000>;
            @group(0) @binding(0) var<storage, read_write> x: u32;
            @compute @workgroup_size(1) fn main() { w[x] = 1u; x = w[x + 1u]; })")));
    });
    const Gpu other;
    gpu.refuses({"is of another device"}, [&] { (void)Pipeline(gpu.pipeline(other.module(doubling))); });

    const Pipeline pipeline = gpu.pipeline(module);
    gpu.refuses({"Group 4 of the compute pipeline \"pipeline\" is asked for"},
                [&] { (void)BindGroupLayout(wgpuComputePipelineGetBindGroupLayout(pipeline, 4)); });
    gpu.takes(
        [&] { (void)BindGroupLayout(wgpuComputePipelineGetBindGroupLayout(pipeline, 3)); });  // an empty one
    // A binding that the code names is in the layout, though nothing depends on it.
    const Pipeline named =
        gpu.pipeline(gpu.module(R"(@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        @group(0) @binding(2) var<storage, read_write> c: array<u32>;
        @compute @workgroup_size(1) fn main() { _ = b[0]; a[0] = 1u; })"));
    const BindGroupLayout layout(wgpuComputePipelineGetBindGroupLayout(named, 0));
    const Buffer one = gpu.buffer(4, storage), two = gpu.buffer(4, storage);
    gpu.takes([&] { dispatch(gpu, named, {gpu.group(layout, {entry(0, one), entry(1, two)})}, 1); });
    CHECK(gpu.read(one)[0] == 1);
}

TEST_CASE("a pipeline is made in the background") {
    const Gpu gpu;
    struct Seen {
        WGPUCreatePipelineAsyncStatus status = WGPUCreatePipelineAsyncStatus_Force32;
        WGPUComputePipeline pipeline = nullptr;
        std::string message = {};
    };
    const auto make = [&](std::string_view source, WGPUCallbackMode mode) {
        Seen seen;
        const ShaderModule module = gpu.module(source);
        WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
        descriptor.compute.module = module;
        WGPUCreateComputePipelineAsyncCallbackInfo info =
            WGPU_CREATE_COMPUTE_PIPELINE_ASYNC_CALLBACK_INFO_INIT;
        info.mode = mode;
        info.userdata1 = &seen;
        info.callback = [](WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                           WGPUStringView said, void* to, void*) {
            *static_cast<Seen*>(to) = {status, pipeline, text(said)};
        };
        const WGPUFuture future = wgpuDeviceCreateComputePipelineAsync(gpu.device, &descriptor, info);
        if (mode != WGPUCallbackMode_AllowSpontaneous) gpu.wait(future);
        return seen;
    };
    for (const auto mode : {WGPUCallbackMode_WaitAnyOnly, WGPUCallbackMode_AllowSpontaneous}) {
        const Seen made = make(doubling, mode);
        CHECK(made.status == WGPUCreatePipelineAsyncStatus_Success);
        const Pipeline pipeline(made.pipeline);
        const std::array<std::uint32_t, 1> word{21};
        const Buffer buffer = gpu.buffer_of(word, storage);
        const BindGroupLayout layout(wgpuComputePipelineGetBindGroupLayout(pipeline, 0));
        dispatch(gpu, pipeline, {gpu.group(layout, {entry(0, buffer)})}, 1);
        CHECK(gpu.read(buffer)[0] == 42);
    }
    const Seen wrong = make("@compute @workgroup_size(512) fn main() {}", WGPUCallbackMode_WaitAnyOnly);
    CHECK(wrong.status == WGPUCreatePipelineAsyncStatus_ValidationError);
    CHECK(wrong.pipeline == nullptr);
    CHECK(wrong.message.find("maxComputeWorkgroupSizeX") != std::string::npos);
    CHECK(gpu.uncaptured.empty());  // no error of the device
}

}  // namespace
}  // namespace webgpu_test
