// Encoders, passes, submissions, timestamps and futures, and each rule about them.
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "webgpu/kit.hpp"

namespace webgpu_test {
namespace {

/// A device with the kernel that doubles, and a buffer for it.
struct Doubling {
    explicit Doubling(const Wish& wish = {}) : gpu(wish) {
        pipeline = gpu.pipeline(gpu.module(doubling));
        layout = BindGroupLayout(wgpuComputePipelineGetBindGroupLayout(pipeline, 0));
        const std::array<std::uint32_t, 4> words{1, 2, 3, 4};
        buffer = gpu.buffer_of(words, storage | WGPUBufferUsage_Indirect, "words");
        group = gpu.group(layout, {entry(0, buffer)}, "words' group");
    }
    void in_pass(const std::function<void(WGPUComputePassEncoder)>& step) const {
        gpu.run([&](WGPUCommandEncoder encoder) {
            WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
            descriptor.label = view("pass");
            const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, &descriptor));
            step(pass);
            wgpuComputePassEncoderEnd(pass);
        });
    }
    void refuses(std::vector<std::string> texts,
                 const std::function<void(WGPUComputePassEncoder)>& step) const {
        texts.push_back("encoding the compute pass \"pass\"");
        gpu.refuses(texts, [&] { in_pass(step); });
    }
    void dispatch(WGPUComputePassEncoder pass, std::uint32_t x = 1) const {
        wgpuComputePassEncoderSetPipeline(pass, pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
        wgpuComputePassEncoderDispatchWorkgroups(pass, x, 1, 1);
    }

    Gpu gpu;
    Pipeline pipeline;
    BindGroupLayout layout;
    Buffer buffer;
    BindGroup group;
};

TEST_CASE("dispatches of a pass see what those before them wrote") {
    const Doubling kit;
    kit.in_pass([&](WGPUComputePassEncoder pass) {
        for (int i = 0; i < 3; ++i) kit.dispatch(pass);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 0, 1, 1);  // nothing
    });
    CHECK(kit.gpu.read(kit.buffer) == std::vector<std::uint32_t>{8, 16, 24, 32});
    CHECK(kit.gpu.uncaptured.empty());
}

TEST_CASE("dispatches are encoded by the rules") {
    const Doubling kit;
    const Gpu& gpu = kit.gpu;
    kit.refuses({"No pipeline is set."},
                [](auto pass) { wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1); });
    kit.refuses({"The pipeline is null."},
                [](auto pass) { wgpuComputePassEncoderSetPipeline(pass, nullptr); });
    kit.refuses({"Bind group 0 isn't set, which the compute pipeline \"pipeline\" uses."}, [&](auto pass) {
        wgpuComputePassEncoderSetPipeline(pass, kit.pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, kit.group, 0, nullptr);
        wgpuComputePassEncoderSetBindGroup(pass, 0, nullptr, 0, nullptr);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    });
    kit.refuses({"Bind group 4 is set; the device's maxBindGroups is 4."},
                [&](auto pass) { wgpuComputePassEncoderSetBindGroup(pass, 4, kit.group, 0, nullptr); });
    kit.refuses({"1 x 65536 x 1 workgroups are dispatched", "maxComputeWorkgroupsPerDimension is 65535"},
                [&](auto pass) {
                    kit.dispatch(pass);
                    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 65536, 1);
                });
    // An automatic layout fits its own pipeline alone.
    const Pipeline twin = gpu.pipeline(gpu.module(doubling));
    kit.refuses(
        {"The layout of the bind group \"words' group\", set as bind group 0, isn't the one", "automatic"},
        [&](auto pass) {
            wgpuComputePassEncoderSetPipeline(pass, twin);
            wgpuComputePassEncoderSetBindGroup(pass, 0, kit.group, 0, nullptr);
            wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        });
    // Equal layouts are one.
    const auto writable = WGPUBufferBindingType_Storage;
    const Pipeline given = gpu.pipeline(gpu.module(doubling), nullptr,
                                        gpu.pipeline_layout({gpu.layout({layout_entry(0, writable)})}));
    const BindGroup equal = gpu.group(gpu.layout({layout_entry(0, writable)}), {entry(0, kit.buffer)});
    gpu.takes([&] {
        kit.in_pass([&](auto pass) {
            wgpuComputePassEncoderSetPipeline(pass, given);
            wgpuComputePassEncoderSetBindGroup(pass, 0, equal, 0, nullptr);
            wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        });
    });
    // A size that the layout doesn't check.
    const Pipeline large =
        gpu.pipeline(gpu.module(R"(@group(0) @binding(0) var<storage, read_write> x: array<vec4<u32>, 4>;
        @compute @workgroup_size(1) fn main() { x[0].x = 1u; })"),
                     nullptr, gpu.pipeline_layout({gpu.layout({layout_entry(0, writable)})}));
    kit.refuses({"Binding 0 of group 0", "has 16 bytes; the variable x needs 64"}, [&](auto pass) {
        wgpuComputePassEncoderSetPipeline(pass, large);
        wgpuComputePassEncoderSetBindGroup(pass, 0, equal, 0, nullptr);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    });
    const Doubling other;
    kit.refuses({"is of another device"},
                [&](auto pass) { wgpuComputePassEncoderSetPipeline(pass, other.pipeline); });
    kit.refuses({"is of another device"},
                [&](auto pass) { wgpuComputePassEncoderSetBindGroup(pass, 0, other.group, 0, nullptr); });
}

TEST_CASE("all that is set must be there at submission, whether a dispatch uses it or not") {
    const auto refuses = [](const std::function<void(const Doubling&, WGPUComputePassEncoder)>& step) {
        const Doubling kit;
        const Encoder encoder = kit.gpu.encoder();
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
        kit.gpu.takes([&] {
            step(kit, pass);
            wgpuComputePassEncoderEnd(pass);
        });
        wgpuBufferDestroy(kit.buffer);
        kit.gpu.refuses({"buffer \"words\" is used after it was destroyed", "while calling wgpuQueueSubmit"},
                        [&] { kit.gpu.submit(encoder); });
    };
    refuses([](const Doubling& kit, WGPUComputePassEncoder pass) {
        wgpuComputePassEncoderSetBindGroup(pass, 0, kit.group, 0, nullptr);
    });
    refuses([](const Doubling& kit, WGPUComputePassEncoder pass) {  // replaced before a dispatch
        wgpuComputePassEncoderSetBindGroup(pass, 0, kit.group, 0, nullptr);
        wgpuComputePassEncoderSetBindGroup(pass, 0, nullptr, 0, nullptr);
    });
    refuses(
        [](const Doubling& kit, WGPUComputePassEncoder pass) {  // in a place that the pipeline doesn't use
            const Buffer other = kit.gpu.buffer(16, storage);
            const BindGroup used = kit.gpu.group(kit.layout, {entry(0, other)});
            wgpuComputePassEncoderSetPipeline(pass, kit.pipeline);
            wgpuComputePassEncoderSetBindGroup(pass, 0, used, 0, nullptr);
            wgpuComputePassEncoderSetBindGroup(pass, 1, kit.group, 0, nullptr);
            wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        });
    refuses([](const Doubling& kit, WGPUComputePassEncoder pass) {  // of a dispatch of nothing
        kit.dispatch(pass, 0);
    });
}

TEST_CASE("a writable buffer of a dispatch is nothing else in it") {
    const Gpu gpu;
    const Pipeline pipeline = gpu.pipeline(gpu.module(adding));
    const BindGroupLayout layout(wgpuComputePipelineGetBindGroupLayout(pipeline, 0));
    const Buffer buffer = gpu.buffer(1024, storage, "both"), other = gpu.buffer(1024, storage);
    const auto run = [&](std::vector<WGPUBindGroupEntry> entries) {
        const BindGroup group = gpu.group(layout, std::move(entries));
        gpu.run([&](WGPUCommandEncoder encoder) {
            const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
            wgpuComputePassEncoderSetPipeline(pass, pipeline);
            wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
            wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
            wgpuComputePassEncoderEnd(pass);
        });
    };
    gpu.refuses({"Bindings 0 of group 0 and 2 of group 0 are both of the buffer \"both\", and one of them is "
                 "writable."},
                [&] {
                    run({entry(0, buffer, 0, 256), entry(1, other), entry(2, buffer, 256, 256)});
                });
    gpu.takes([&] { run({entry(0, other, 0, 256), entry(1, other), entry(2, buffer)}); });
    const Pipeline two =
        gpu.pipeline(gpu.module(R"(@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(1) fn main() { a[0] = 1u; b[0] = 2u; })"));
    const BindGroupLayout both(wgpuComputePipelineGetBindGroupLayout(two, 0));
    const auto run_two = [&](std::uint64_t offset) {
        const BindGroup group = gpu.group(both, {entry(0, buffer, 0, 512), entry(1, buffer, offset, 512)});
        gpu.run([&](WGPUCommandEncoder encoder) {
            const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
            wgpuComputePassEncoderSetPipeline(pass, two);
            wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
            wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
            wgpuComputePassEncoderEnd(pass);
        });
    };
    gpu.refuses({"overlap; both are writable"}, [&] { run_two(256); });
    gpu.takes([&] { run_two(512); });
    CHECK(gpu.read(buffer)[128] == 2);
}

TEST_CASE("an indirect dispatch reads its grid from a buffer, by the rules") {
    const Doubling kit;
    const Gpu& gpu = kit.gpu;
    const std::array<std::uint32_t, 8> grids{0, 1, 1, 1, 1, 65536, 1, 1};
    const Buffer grid = gpu.buffer_of(grids, WGPUBufferUsage_Indirect | WGPUBufferUsage_CopyDst, "grid");
    const auto dispatch = [&](WGPUComputePassEncoder pass, WGPUBuffer from, std::uint64_t offset) {
        wgpuComputePassEncoderSetPipeline(pass, kit.pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, kit.group, 0, nullptr);
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, from, offset);
    };
    kit.in_pass([&](auto pass) {
        dispatch(pass, grid, 0);   // no workgroup
        dispatch(pass, grid, 4);   // one
        dispatch(pass, grid, 20);  // too many: nothing
        kit.dispatch(pass);
    });
    CHECK(gpu.read(kit.buffer) == std::vector<std::uint32_t>{4, 8, 12, 16});
    kit.refuses({"offset of an indirect dispatch is 2"}, [&](auto pass) { dispatch(pass, grid, 2); });
    kit.refuses({"The grid of an indirect dispatch has 12 bytes from byte 24 on"},
                [&](auto pass) { dispatch(pass, grid, 24); });
    kit.refuses({"without Indirect"}, [&](auto pass) { dispatch(pass, gpu.buffer(16, storage), 0); });
    kit.refuses({"has the grid of the dispatch, and is writable binding 0 of group 0"},
                [&](auto pass) { dispatch(pass, kit.buffer, 0); });
    kit.refuses({"The indirect buffer is null."}, [&](auto pass) { dispatch(pass, nullptr, 0); });
}

TEST_CASE("encoders and passes have an order of calls") {
    const Doubling kit;
    const Gpu& gpu = kit.gpu;
    gpu.refuses({"The command encoder \"encoder\" is used while a pass of it is open."}, [&] {
        const Encoder encoder = gpu.encoder();
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
        wgpuCommandEncoderClearBuffer(encoder, kit.buffer, 0, 16);
        wgpuComputePassEncoderEnd(pass);
        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
    });
    gpu.refuses({"is finished while a pass of it is open"}, [&] {
        const Encoder encoder = gpu.encoder();
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
    });
    gpu.refuses({"The compute pass without a label has ended."}, [&] {
        const Encoder encoder = gpu.encoder();
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
        wgpuComputePassEncoderEnd(pass);
        wgpuComputePassEncoderEnd(pass);
    });
    gpu.refuses({"has been finished before"}, [&] {
        const Encoder encoder = gpu.encoder();
        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
    });
    gpu.refuses({"The command encoder \"encoder\" has been finished.", "wgpuCommandEncoderClearBuffer"}, [&] {
        const Encoder encoder = gpu.encoder();
        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
        wgpuCommandEncoderClearBuffer(encoder, kit.buffer, 0, 16);
    });
    gpu.refuses({"1 debug groups of the command encoder \"encoder\" are open at its end."}, [&] {
        const Encoder encoder = gpu.encoder();
        wgpuCommandEncoderPushDebugGroup(encoder, view("a"));
        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
    });
    gpu.refuses({"A debug group of the command encoder \"encoder\" is popped, and none is open."}, [&] {
        const Encoder encoder = gpu.encoder();
        wgpuCommandEncoderPopDebugGroup(encoder);
        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
    });
    kit.refuses({"1 debug groups of the compute pass"},
                [](auto pass) { wgpuComputePassEncoderPushDebugGroup(pass, view("a")); });
    kit.refuses({"is popped, and none is open"},
                [](auto pass) { wgpuComputePassEncoderPopDebugGroup(pass); });
    gpu.takes([&] {
        gpu.run([&](WGPUCommandEncoder encoder) {
            wgpuCommandEncoderPushDebugGroup(encoder, view("group"));
            wgpuCommandEncoderInsertDebugMarker(encoder, view("marker"));
            const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
            wgpuComputePassEncoderPushDebugGroup(pass, view("group"));
            wgpuComputePassEncoderInsertDebugMarker(pass, view("marker"));
            wgpuComputePassEncoderPopDebugGroup(pass);
            wgpuComputePassEncoderEnd(pass);
            wgpuCommandEncoderPopDebugGroup(encoder);
        });
    });
    Strange strange;
    WGPUCommandEncoderDescriptor odd = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
    odd.nextInChain = &strange.chain;
    gpu.refuses({"WGPUCommandEncoderDescriptor"},
                [&] { Encoder(wgpuDeviceCreateCommandEncoder(gpu.device, &odd)); });
    WGPUComputePassDescriptor odd_pass = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
    odd_pass.nextInChain = &strange.chain;
    gpu.refuses({"WGPUComputePassDescriptor"}, [&] {
        const Encoder encoder = gpu.encoder();
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, &odd_pass));
        wgpuComputePassEncoderEnd(pass);
        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
    });
}

TEST_CASE("command buffers are submitted once, and all or none") {
    const Doubling kit;
    const Gpu& gpu = kit.gpu;
    const auto encoded = [&] {
        const Encoder encoder = gpu.encoder();
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
        kit.dispatch(pass);
        wgpuComputePassEncoderEnd(pass);
        return Commands(wgpuCommandEncoderFinish(encoder, nullptr));
    };
    const Commands first = encoded(), second = encoded(), third = encoded();
    std::array<WGPUCommandBuffer, 2> both{first, second};
    wgpuQueueSubmit(gpu.queue, 2, both.data());
    CHECK(gpu.read(kit.buffer)[0] == 4);
    both = {third, first};
    gpu.refuses({"is submitted twice", "while calling wgpuQueueSubmit"},
                [&] { wgpuQueueSubmit(gpu.queue, 2, both.data()); });
    CHECK(gpu.read(kit.buffer)[0] == 4);
    const Commands fourth = encoded();
    both = {fourth, fourth};
    gpu.refuses({"is submitted twice"}, [&] { wgpuQueueSubmit(gpu.queue, 2, both.data()); });
    both = {nullptr, nullptr};
    gpu.refuses({"Command buffer 0 is null"}, [&] { wgpuQueueSubmit(gpu.queue, 1, both.data()); });
    const Doubling other;
    const Commands foreign = encoded();
    const WGPUCommandBuffer raw = foreign;
    other.gpu.refuses({"is of another device"}, [&] { wgpuQueueSubmit(other.gpu.queue, 1, &raw); });
    gpu.takes([&] { wgpuQueueSubmit(gpu.queue, 0, nullptr); });
    // wgpu-native's numbers of submissions.
    const Commands fifth = encoded();
    const WGPUCommandBuffer fifth_raw = fifth;
    const WGPUSubmissionIndex index = wgpuQueueSubmitForIndex(gpu.queue, 1, &fifth_raw);
    CHECK(index > 0);
    CHECK(wgpuDevicePoll(gpu.device, WGPU_TRUE, &index) == WGPU_TRUE);
    CHECK(wgpuQueueGetTimestampPeriod(gpu.queue) == 1);
}

TEST_CASE("timestamps are of the device's clock, by the rules") {
    const Doubling kit({.features = {WGPUFeatureName_TimestampQuery}});
    const Gpu& gpu = kit.gpu;
    const auto query_set = [&](std::uint32_t count, WGPUQueryType type = WGPUQueryType_Timestamp) {
        WGPUQuerySetDescriptor descriptor = WGPU_QUERY_SET_DESCRIPTOR_INIT;
        descriptor.label = view("times");
        descriptor.type = type;
        descriptor.count = count;
        return QuerySet(wgpuDeviceCreateQuerySet(gpu.device, &descriptor));
    };
    const QuerySet set = query_set(8);
    CHECK(wgpuQuerySetGetCount(set) == 8);
    CHECK(wgpuQuerySetGetType(set) == WGPUQueryType_Timestamp);
    const Buffer resolved = gpu.buffer(512, storage | WGPUBufferUsage_QueryResolve, "resolved");
    const auto pass_with = [&](WGPUCommandEncoder encoder, WGPUQuerySet to, std::uint32_t begin,
                               std::uint32_t end) {
        WGPUPassTimestampWrites writes = WGPU_PASS_TIMESTAMP_WRITES_INIT;
        writes.querySet = to;
        writes.beginningOfPassWriteIndex = begin;
        writes.endOfPassWriteIndex = end;
        WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
        descriptor.timestampWrites = &writes;
        const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, &descriptor));
        kit.dispatch(pass);
        wgpuComputePassEncoderWriteTimestamp(pass, to, 6);
        kit.dispatch(pass);
        wgpuComputePassEncoderEnd(pass);
    };
    gpu.run([&](WGPUCommandEncoder encoder) {
        pass_with(encoder, set, 0, 1);
        wgpuCommandEncoderWriteTimestamp(encoder, set, 4);
        pass_with(encoder, set, 2, WGPU_QUERY_SET_INDEX_UNDEFINED);
        pass_with(encoder, set, WGPU_QUERY_SET_INDEX_UNDEFINED, 3);
        wgpuCommandEncoderResolveQuerySet(encoder, set, 0, 8, resolved, 256);
    });
    CHECK(gpu.uncaptured.empty());
    const auto words = gpu.read(resolved);
    std::array<std::uint64_t, 8> times{};
    std::memcpy(times.data(), words.data() + 64, 64);
    CHECK(words[0] == 0);
    CHECK(times[0] > 0);
    CHECK(times[1] >= times[0]);
    CHECK(times[4] >= times[1]);
    CHECK(times[2] >= times[4]);
    CHECK(times[3] >= times[2]);
    CHECK(times[5] == 0);  // never written
    CHECK(times[6] > 0);

    gpu.refuses({"has 4097 queries; the limit is 4096"}, [&] { query_set(4097); });
    gpu.refuses({"The query set's type is 9"}, [&] { query_set(1, static_cast<WGPUQueryType>(9)); });
    const QuerySet occlusion = query_set(2, WGPUQueryType_Occlusion);
    const auto refuses = [&](std::string reason, const std::function<void(WGPUCommandEncoder)>& step) {
        gpu.refuses({reason}, [&] { gpu.run(step); });
    };
    refuses("neither a beginning nor an end", [&](auto encoder) {
        pass_with(encoder, set, WGPU_QUERY_SET_INDEX_UNDEFINED, WGPU_QUERY_SET_INDEX_UNDEFINED);
    });
    refuses("Query 1 is both the beginning and the end",
            [&](auto encoder) { pass_with(encoder, set, 1, 1); });
    refuses("Query 8 is written; the query set \"times\" has 8.",
            [&](auto encoder) { pass_with(encoder, set, 8, 1); });
    refuses("isn't one of timestamps", [&](auto encoder) { pass_with(encoder, occlusion, 0, 1); });
    refuses("No query set is given",
            [&](auto encoder) { wgpuCommandEncoderWriteTimestamp(encoder, nullptr, 0); });
    refuses("3 queries from 6 on are resolved; the query set \"times\" has 8",
            [&](auto encoder) { wgpuCommandEncoderResolveQuerySet(encoder, set, 6, 3, resolved, 0); });
    refuses("offset of resolved queries is 8",
            [&](auto encoder) { wgpuCommandEncoderResolveQuerySet(encoder, set, 0, 1, resolved, 8); });
    refuses("resolved queries has 8 bytes from byte 512 on",
            [&](auto encoder) { wgpuCommandEncoderResolveQuerySet(encoder, set, 0, 1, resolved, 512); });
    refuses("without QueryResolve",
            [&](auto encoder) { wgpuCommandEncoderResolveQuerySet(encoder, set, 0, 1, kit.buffer, 0); });
    wgpuQuerySetDestroy(set);
    refuses("The query set \"times\" is used after it was destroyed",
            [&](auto encoder) { pass_with(encoder, set, 0, 1); });
    const Gpu without;
    WGPUQuerySetDescriptor descriptor = WGPU_QUERY_SET_DESCRIPTOR_INIT;
    descriptor.type = WGPUQueryType_Timestamp;
    descriptor.count = 1;
    without.refuses({"the device \"the device\" was made without it"},
                    [&] { (void)QuerySet(wgpuDeviceCreateQuerySet(without.device, &descriptor)); });
}

// Futures

struct Done {
    std::atomic<int> calls{0};
    WGPUQueueWorkDoneStatus status = WGPUQueueWorkDoneStatus_Force32;
};
WGPUQueueWorkDoneCallbackInfo into(Done& done, WGPUCallbackMode mode) {
    WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
    info.mode = mode;
    info.userdata1 = &done;
    info.callback = [](WGPUQueueWorkDoneStatus status, WGPUStringView, void* to, void*) {
        static_cast<Done*>(to)->status = status;
        ++static_cast<Done*>(to)->calls;
    };
    return info;
}

TEST_CASE("callbacks are called once, and only where their mode allows") {
    const Doubling kit;
    const Gpu& gpu = kit.gpu;
    Done waited, processed, spontaneous;
    kit.in_pass([&](auto pass) { kit.dispatch(pass); });
    const WGPUFuture future =
        wgpuQueueOnSubmittedWorkDone(gpu.queue, into(waited, WGPUCallbackMode_WaitAnyOnly));
    wgpuQueueOnSubmittedWorkDone(gpu.queue, into(processed, WGPUCallbackMode_AllowProcessEvents));
    wgpuQueueOnSubmittedWorkDone(gpu.queue, into(spontaneous, WGPUCallbackMode_AllowSpontaneous));
    while (spontaneous.calls == 0) std::this_thread::yield();
    CHECK(waited.calls == 0);
    CHECK(processed.calls == 0);
    while (processed.calls == 0) wgpuInstanceProcessEvents(gpu.instance);
    CHECK(waited.calls == 0);
    gpu.wait(future);
    CHECK(waited.calls == 1);
    gpu.wait(future);  // one that has completed is complete
    wgpuInstanceProcessEvents(gpu.instance);
    for (const Done* each : {&waited, &processed, &spontaneous}) {
        CHECK(each->calls == 1);
        CHECK(each->status == WGPUQueueWorkDoneStatus_Success);
    }
}

TEST_CASE("a wait ends once the callback has returned, also one that another thread calls") {
    const Doubling kit;
    const Gpu& gpu = kit.gpu;
    WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowSpontaneous;
    info.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* to, void*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        ++*static_cast<std::atomic<int>*>(to);
    };
    for (int round = 0; round < 40; ++round) {
        std::atomic<int> calls{0};
        info.userdata1 = &calls;
        kit.in_pass([&](auto pass) {
            for (int i = 0; i < 20; ++i) kit.dispatch(pass, 5000);
        });
        const WGPUFuture future = wgpuQueueOnSubmittedWorkDone(gpu.queue, info);
        if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        gpu.wait(future);
        CHECK(calls == 1);
    }
}

TEST_CASE("waits have a time-out, where the instance allows it, and one source") {
    const Doubling kit;
    const Gpu& gpu = kit.gpu;
    WGPUFutureWaitInfo lost{wgpuDeviceGetLostFuture(gpu.device), WGPU_FALSE};
    CHECK(wgpuInstanceWaitAny(gpu.instance, 1, &lost, 0) == WGPUWaitStatus_TimedOut);
    CHECK(wgpuInstanceWaitAny(gpu.instance, 1, &lost, 1000000) == WGPUWaitStatus_TimedOut);
    CHECK(lost.completed == WGPU_FALSE);
    CHECK(wgpuInstanceWaitAny(gpu.instance, 0, nullptr, 0) == WGPUWaitStatus_Success);
    WGPUFutureWaitInfo none{{0}, WGPU_FALSE}, unknown{{1u << 30}, WGPU_FALSE};
    CHECK(wgpuInstanceWaitAny(gpu.instance, 1, &none, 0) == WGPUWaitStatus_Error);
    CHECK(wgpuInstanceWaitAny(gpu.instance, 1, &unknown, 0) == WGPUWaitStatus_Error);

    Done first, second;
    kit.in_pass([&](auto pass) { kit.dispatch(pass); });
    const WGPUFuture one = wgpuQueueOnSubmittedWorkDone(gpu.queue, into(first, WGPUCallbackMode_WaitAnyOnly));
    kit.in_pass([&](auto pass) { kit.dispatch(pass); });
    const WGPUFuture two =
        wgpuQueueOnSubmittedWorkDone(gpu.queue, into(second, WGPUCallbackMode_WaitAnyOnly));
    std::array mixed{WGPUFutureWaitInfo{one, WGPU_FALSE}, lost};
    CHECK(wgpuInstanceWaitAny(gpu.instance, 2, mixed.data(), 1000000) == WGPUWaitStatus_Error);
    std::array both{WGPUFutureWaitInfo{two, WGPU_FALSE}, WGPUFutureWaitInfo{one, WGPU_FALSE}};
    while (first.calls == 0 || second.calls == 0)
        CHECK(wgpuInstanceWaitAny(gpu.instance, 2, both.data(), 60000000000u) == WGPUWaitStatus_Success);
    CHECK(both[1].completed == WGPU_TRUE);

    const Instance untimed = make_instance(false);
    WGPUFutureWaitInfo any{{1}, WGPU_FALSE};
    CHECK(wgpuInstanceWaitAny(untimed, 1, &any, 5) == WGPUWaitStatus_Error);
    std::vector<WGPUFutureWaitInfo> many(65, lost);
    CHECK(wgpuInstanceWaitAny(gpu.instance, 65, many.data(), 5) == WGPUWaitStatus_Error);
}

TEST_CASE("the end of an instance cancels the callbacks that are left") {
    const std::size_t before = living();
    {
        Gpu gpu;
        static WGPUPopErrorScopeStatus seen;
        seen = WGPUPopErrorScopeStatus_Force32;
        WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
        info.mode = WGPUCallbackMode_WaitAnyOnly;
        info.callback = [](WGPUPopErrorScopeStatus status, WGPUErrorType, WGPUStringView, void*, void*) {
            seen = status;
        };
        wgpuDevicePushErrorScope(gpu.device, WGPUErrorFilter_Validation);
        wgpuDevicePopErrorScope(gpu.device, info);
        gpu.instance.reset();
        CHECK(seen == WGPUPopErrorScopeStatus_CallbackCancelled);
        REQUIRE(gpu.losses.size() == 1);
        CHECK(gpu.losses[0].first == WGPUDeviceLostReason_CallbackCancelled);
        // The device goes on without it.
        const Buffer buffer = gpu.buffer(16, storage);
        gpu.run([&](WGPUCommandEncoder encoder) { wgpuCommandEncoderClearBuffer(encoder, buffer, 0, 16); });
        CHECK(gpu.uncaptured.empty());
    }
    CHECK(living() == before);
}

TEST_CASE("error scopes are nested, filtered, and of one thread") {
    Gpu gpu;
    const auto fail_once = [&] { gpu.buffer(16, WGPUBufferUsage_None, "wrong"); };
    fail_once();
    REQUIRE(gpu.uncaptured.size() == 1);
    CHECK(gpu.uncaptured[0].type == WGPUErrorType_Validation);
    CHECK(gpu.uncaptured[0].message.find("The buffer \"wrong\"") == 0);
    const Error outer = gpu.scoped(WGPUErrorFilter_Validation, [&] {
        const Error inner = gpu.scoped(WGPUErrorFilter_OutOfMemory, [&] {
            fail_once();
            gpu.buffer(16, WGPUBufferUsage_MapRead | WGPUBufferUsage_Storage, "second");
        });
        CHECK(inner.type == WGPUErrorType_NoError);
        std::thread(fail_once).join();  // it has no scope
    });
    CHECK(outer.type == WGPUErrorType_Validation);
    CHECK(outer.message.find("wrong") != std::string::npos);  // the first
    CHECK(gpu.uncaptured.size() == 2);
    static WGPUPopErrorScopeStatus seen;
    WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowSpontaneous;
    info.callback = [](WGPUPopErrorScopeStatus status, WGPUErrorType, WGPUStringView, void*, void*) {
        seen = status;
    };
    wgpuDevicePopErrorScope(gpu.device, info);
    CHECK(seen == WGPUPopErrorScopeStatus_Error);
    wgpuDevicePushErrorScope(gpu.device, static_cast<WGPUErrorFilter>(9));
    CHECK(gpu.uncaptured.size() == 3);
}

TEST_CASE("many threads use one device") {
    const Doubling kit;
    const Gpu& gpu = kit.gpu;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::uint32_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::uint32_t i = 0; i < 20; ++i) {
                const std::array<std::uint32_t, 2> words{t, i};
                const Buffer own = gpu.buffer_of(words, storage);
                const BindGroup group = gpu.group(kit.layout, {entry(0, own)});
                gpu.run([&](WGPUCommandEncoder encoder) {
                    const Pass pass(wgpuCommandEncoderBeginComputePass(encoder, nullptr));
                    wgpuComputePassEncoderSetPipeline(pass, kit.pipeline);
                    wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
                    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
                    wgpuComputePassEncoderEnd(pass);
                });
                wgpuInstanceProcessEvents(gpu.instance);
                if (gpu.read(own) != std::vector<std::uint32_t>{2 * t, 2 * i}) ++wrong;
            }
        });
    for (std::thread& each : threads) each.join();
    CHECK(wrong == 0);
    CHECK(gpu.uncaptured.empty());
}

TEST_CASE("textures and rendering fail through the device and the encoder") {
    const Gpu gpu;
    WGPUTextureDescriptor texture_descriptor = WGPU_TEXTURE_DESCRIPTOR_INIT;
    texture_descriptor.size = {4, 5, 6};
    WGPUTexture texture = nullptr;
    gpu.refuses({"wgpuDeviceCreateTexture is about textures: muster runs compute shaders"},
                [&] { texture = wgpuDeviceCreateTexture(gpu.device, &texture_descriptor); });
    REQUIRE(texture);
    CHECK(wgpuTextureGetWidth(texture) == 4);
    CHECK(wgpuTextureGetHeight(texture) == 5);
    CHECK(wgpuTextureGetDepthOrArrayLayers(texture) == 6);
    gpu.refuses({"textures"}, [&] { wgpuTextureViewRelease(wgpuTextureCreateView(texture, nullptr)); });
    wgpuTextureDestroy(texture);
    wgpuTextureRelease(texture);
    gpu.refuses({"textures"}, [&] { wgpuSamplerRelease(wgpuDeviceCreateSampler(gpu.device, nullptr)); });
    WGPURenderPipelineDescriptor render = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
    gpu.refuses({"rendering"},
                [&] { wgpuRenderPipelineRelease(wgpuDeviceCreateRenderPipeline(gpu.device, &render)); });
    WGPURenderPassDescriptor pass_descriptor = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
    gpu.refuses({"wgpuCommandEncoderBeginRenderPass is about rendering"}, [&] {
        gpu.run([&](WGPUCommandEncoder encoder) {
            WGPURenderPassEncoder pass = wgpuCommandEncoderBeginRenderPass(encoder, &pass_descriptor);
            wgpuRenderPassEncoderDraw(pass, 3, 1, 0, 0);
            wgpuRenderPassEncoderEnd(pass);
            wgpuRenderPassEncoderRelease(pass);
        });
    });
    gpu.refuses({"wgpuQueueWriteTexture"},
                [&] { wgpuQueueWriteTexture(gpu.queue, nullptr, nullptr, 0, nullptr, nullptr); });
    gpu.refuses({"wgpuCommandEncoderCopyTextureToBuffer"}, [&] {
        gpu.run([&](WGPUCommandEncoder encoder) {
            wgpuCommandEncoderCopyTextureToBuffer(encoder, nullptr, nullptr, nullptr);
        });
    });
    WGPUSurfaceDescriptor surface_descriptor = WGPU_SURFACE_DESCRIPTOR_INIT;
    WGPUSurface surface = wgpuInstanceCreateSurface(gpu.instance, &surface_descriptor);
    CHECK(wgpuSurfaceGetCapabilities(surface, gpu.adapter, nullptr) == WGPUStatus_Error);
    wgpuSurfaceRelease(surface);
    static WGPUCreatePipelineAsyncStatus seen;
    WGPUCreateRenderPipelineAsyncCallbackInfo info = WGPU_CREATE_RENDER_PIPELINE_ASYNC_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowSpontaneous;
    info.callback = [](WGPUCreatePipelineAsyncStatus status, WGPURenderPipeline, WGPUStringView, void*,
                       void*) { seen = status; };
    wgpuDeviceCreateRenderPipelineAsync(gpu.device, &render, info);
    CHECK(seen == WGPUCreatePipelineAsyncStatus_ValidationError);
}

TEST_CASE("the log goes to the program's callback, at its level") {
    static std::vector<std::string> lines;
    lines.clear();
    wgpuSetLogCallback([](WGPULogLevel, WGPUStringView said, void*) { lines.push_back(text(said)); },
                       nullptr);
    Strange strange;
    WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
    descriptor.nextInChain = &strange.chain;
    wgpuSetLogLevel(WGPULogLevel_Off);
    CHECK(wgpuCreateInstance(&descriptor) == nullptr);
    CHECK(lines.empty());
    wgpuSetLogLevel(WGPULogLevel_Error);
    CHECK(wgpuCreateInstance(&descriptor) == nullptr);
    CHECK(lines.size() == 1);
    wgpuSetLogCallback(nullptr, nullptr);
}

}  // namespace
}  // namespace webgpu_test
