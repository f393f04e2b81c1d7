// Buffers: creation, mapping, copies, writes, and each rule about them.
#include <algorithm>
#include <array>
#include <numeric>

#include <unistd.h>

#include "webgpu/kit.hpp"

namespace webgpu_test {
namespace {

constexpr WGPUBufferUsage map_read = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
constexpr WGPUBufferUsage map_write = WGPUBufferUsage_MapWrite | WGPUBufferUsage_CopySrc;

TEST_CASE("buffers are made by the rules") {
    const Gpu gpu;
    const auto refuses = [&](std::uint64_t size, WGPUBufferUsage usage, std::string text,
                             bool mapped = false) {
        Buffer made;
        gpu.refuses({text, "while calling wgpuDeviceCreateBuffer"},
                    [&] { made = gpu.buffer(size, usage, "odd", mapped); });
        REQUIRE(made);
        CHECK(wgpuBufferGetSize(made) == size);
        CHECK(wgpuBufferGetUsage(made) == usage);
        CHECK((wgpuBufferGetMapState(made) == WGPUBufferMapState_Mapped) == mapped);
        gpu.refuses({"buffer \"odd\" is invalid"}, [&] {
            gpu.run([&](WGPUCommandEncoder to) { wgpuCommandEncoderClearBuffer(to, made, 0, 4); });
        });
    };
    refuses(16, WGPUBufferUsage_None, "The buffer \"odd\" has the usage 0x0, which allows no use.");
    refuses(16, WGPUBufferUsage{1} << 40, "with bits that mean nothing");
    refuses(16, WGPUBufferUsage_MapRead | WGPUBufferUsage_Storage, "MapRead goes with CopyDst alone");
    refuses(16, WGPUBufferUsage_MapWrite | WGPUBufferUsage_CopyDst, "MapWrite goes with CopySrc alone");
    refuses(268435457, storage, "has 268435457 bytes; the device's maxBufferSize is 268435456");
    refuses(6, storage, "is 6, which isn't a multiple of 4", true);
    Strange strange;
    WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
    descriptor.nextInChain = &strange.chain;
    descriptor.usage = storage;
    descriptor.size = 16;
    gpu.refuses({"0x0004ffff", "WGPUBufferDescriptor"},
                [&] { (void)Buffer(wgpuDeviceCreateBuffer(gpu.device, &descriptor)); });

    const Buffer empty = gpu.buffer(0, storage);
    const Buffer odd = gpu.buffer(7, storage);  // sizes are any
    CHECK(wgpuBufferGetSize(odd) == 7);
    CHECK(gpu.read(gpu.buffer(64, storage)) == std::vector<std::uint32_t>(16));  // zeros
    CHECK(gpu.uncaptured.empty());
}

TEST_CASE("a buffer that is mapped at creation has what is written there") {
    const Gpu gpu;
    const std::array<std::uint32_t, 4> words{1, 2, 3, 4};
    CHECK(gpu.read(gpu.buffer_of(words, WGPUBufferUsage_CopySrc)) == std::vector<std::uint32_t>{1, 2, 3, 4});
    const Buffer buffer = gpu.buffer(16, storage, "early", true);
    CHECK(wgpuBufferGetMapState(buffer) == WGPUBufferMapState_Mapped);
    gpu.refuses({"buffer \"early\" is used while it is mapped", "wgpuBufferUnmap"}, [&] {
        gpu.run([&](WGPUCommandEncoder to) { wgpuCommandEncoderClearBuffer(to, buffer, 0, 16); });
    });
    CHECK(wgpuBufferWriteMappedRange(buffer, 8, words.data(), 8) == WGPUStatus_Success);
    wgpuBufferUnmap(buffer);
    CHECK(wgpuBufferGetMapState(buffer) == WGPUBufferMapState_Unmapped);
    CHECK(gpu.read(buffer) == std::vector<std::uint32_t>{0, 0, 1, 2});
}

TEST_CASE("mapping reads and writes, in parts") {
    const Gpu gpu;
    const Buffer upload = gpu.buffer(32, map_write, "upload"),
                 download = gpu.buffer(32, map_read, "download");
    CHECK(gpu.map(upload, WGPUMapMode_Write, 8, 16) == WGPUMapAsyncStatus_Success);
    auto* to = static_cast<std::uint32_t*>(wgpuBufferGetMappedRange(upload, 8, 16));
    REQUIRE(to);
    CHECK(reinterpret_cast<std::uintptr_t>(to) % 16 == 8);
    std::iota(to, to + 4, 10);
    wgpuBufferUnmap(upload);
    gpu.run([&](WGPUCommandEncoder encoder) {
        wgpuCommandEncoderCopyBufferToBuffer(encoder, upload, 0, download, 0, 32);
    });
    CHECK(gpu.map(download, WGPUMapMode_Read) == WGPUMapAsyncStatus_Success);
    const auto* from =
        static_cast<const std::uint32_t*>(wgpuBufferGetConstMappedRange(download, 0, WGPU_WHOLE_MAP_SIZE));
    REQUIRE(from);
    CHECK(std::vector(from, from + 8) == std::vector<std::uint32_t>{0, 0, 10, 11, 12, 13, 0, 0});
    std::uint32_t word = 0;
    CHECK(wgpuBufferReadMappedRange(download, 16, &word, 4) == WGPUStatus_Success);
    CHECK(word == 12);
    wgpuBufferUnmap(download);
    // A second time keeps what isn't written again.
    CHECK(gpu.map(upload, WGPUMapMode_Write) == WGPUMapAsyncStatus_Success);
    word = 99;
    CHECK(wgpuBufferWriteMappedRange(upload, 8, &word, 4) == WGPUStatus_Success);
    wgpuBufferUnmap(upload);
    CHECK(gpu.read(upload) == std::vector<std::uint32_t>{0, 0, 99, 11, 12, 13, 0, 0});
}

TEST_CASE("mapped ranges are given by the rules") {
    const Gpu gpu;
    const Buffer write = gpu.buffer(64, map_write), read = gpu.buffer(64, map_read);
    CHECK(wgpuBufferGetMappedRange(write, 0, 8) == nullptr);  // not mapped
    REQUIRE(gpu.map(write, WGPUMapMode_Write, 16, 32) == WGPUMapAsyncStatus_Success);
    REQUIRE(gpu.map(read, WGPUMapMode_Read) == WGPUMapAsyncStatus_Success);
    CHECK(wgpuBufferGetMappedRange(write, 8, 8) == nullptr);    // before what is mapped
    CHECK(wgpuBufferGetMappedRange(write, 40, 16) == nullptr);  // behind it
    CHECK(wgpuBufferGetMappedRange(write, 20, 4) == nullptr);   // offset
    CHECK(wgpuBufferGetMappedRange(write, 16, 6) == nullptr);   // size
    CHECK(wgpuBufferGetConstMappedRange(read, 0, 64) != nullptr);
    CHECK(wgpuBufferGetMappedRange(read, 0, 8) != nullptr);  // as the Python package wgpu calls it
    std::uint32_t word = 0;
    CHECK(wgpuBufferWriteMappedRange(read, 0, &word, 4) == WGPUStatus_Error);
    CHECK(wgpuBufferReadMappedRange(write, 56, &word, 4) == WGPUStatus_Error);
    wgpuBufferUnmap(write);
    CHECK(wgpuBufferGetMappedRange(write, 16, 8) == nullptr);
}

TEST_CASE("mapped ranges may overlap, also those to write") {
    const Gpu gpu;
    const Buffer buffer = gpu.buffer(32, map_write, "overlapping", true);
    auto* const all = static_cast<std::byte*>(wgpuBufferGetMappedRange(buffer, 0, WGPU_WHOLE_MAP_SIZE));
    REQUIRE(all);
    CHECK(wgpuBufferGetMappedRange(buffer, 8, 8) == all + 8);
    CHECK(wgpuBufferGetMappedRange(buffer, 8, 8) == all + 8);
    CHECK(wgpuBufferGetMappedRange(buffer, 0, 16) == all);
    CHECK(wgpuBufferGetConstMappedRange(buffer, 8, 16) == all + 8);
    const std::uint32_t word = 7;
    CHECK(wgpuBufferWriteMappedRange(buffer, 8, &word, 4) == WGPUStatus_Success);
    wgpuBufferUnmap(buffer);
    CHECK(gpu.read(buffer)[2] == 7);
}

// The address sanitizer writes an eighth of what is allocated, as lavapipe's memory is: more than the machine has.
#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("buffers that exceed the memory together are errors, until some are gone") {
    WGPULimits limits = WGPU_LIMITS_INIT;
    {
        const Gpu gpu;
        REQUIRE(wgpuAdapterGetLimits(gpu.adapter, &limits) == WGPUStatus_Success);
    }
    const Gpu gpu({.limits = limits});
    // A 64th of the machine's memory each, and none of them is ever written.
    const auto machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t bytes = std::min(machine, limits.maxBufferSize) / 64 / 4096 * 4096;
    const auto count = [&](WGPUBufferUsage usage, bool mapped) {
        std::vector<Buffer> buffers;
        for (int i = 0; i < 80; ++i) {
            Buffer made;
            const Error error = gpu.scoped(WGPUErrorFilter_OutOfMemory,
                                           [&] { made = gpu.buffer(bytes, usage, "large", mapped); });
            if (error.type == WGPUErrorType_NoError) {
                buffers.push_back(std::move(made));
                continue;
            }
            CHECK(error.type == WGPUErrorType_OutOfMemory);
            CAPTURE(error.message);
            CHECK(error.message.find("A buffer of " + std::to_string(bytes) + " bytes") != std::string::npos);
            CHECK(error.message.find("wgpuBufferDestroy") != std::string::npos);
            CHECK((made.get() == nullptr) == mapped);  // webgpu.h: null where there is nothing to map
            break;
        }
        return buffers.size();
    };
    const std::size_t most = count(storage, false);
    CHECK(most > 0);
    CHECK(most < 80);
    CHECK(count(storage, false) == most);  // those before are gone
    CHECK(count(map_read, false) == most);
    if (gpu.is_cpu()) CHECK(count(map_write, true) == most);
}
#endif

TEST_CASE("mapping is refused by the rules, in the callback and on the device") {
    const Gpu gpu;
    const Buffer read = gpu.buffer(64, map_read, "r"), write = gpu.buffer(64, map_write, "w"),
                 none = gpu.buffer(64, storage);
    const auto refuses = [&](WGPUBuffer buffer, WGPUMapMode mode, std::size_t offset, std::size_t size,
                             std::string reason) {
        std::string message;
        gpu.refuses({reason, "while calling wgpuBufferMapAsync"}, [&] {
            CHECK(gpu.map(buffer, mode, offset, size, &message) == WGPUMapAsyncStatus_Error);
        });
        CHECK(message.find(reason) != std::string::npos);
    };
    refuses(read, WGPUMapMode_Write, 0, 8, "without MapWrite");
    refuses(write, WGPUMapMode_Read, 0, 8, "without MapRead");
    refuses(none, WGPUMapMode_Read, 0, 8, "without MapRead");
    refuses(read, WGPUMapMode_None, 0, 8, "The mode of mapping the buffer \"r\" is 0");
    refuses(read, WGPUMapMode_Read | WGPUMapMode_Write, 0, 8, "is 3");
    refuses(read, WGPUMapMode_Read, 4, 8, "isn't a multiple of 8");
    refuses(read, WGPUMapMode_Read, 8, 6, "isn't a multiple of 4");
    refuses(read, WGPUMapMode_Read, 64, 8, "has 8 bytes from byte 64 on");
    REQUIRE(gpu.map(read, WGPUMapMode_Read) == WGPUMapAsyncStatus_Success);
    refuses(read, WGPUMapMode_Read, 0, 8, "already mapped");
    wgpuBufferDestroy(read);
    refuses(read, WGPUMapMode_Read, 0, 8, "after it was destroyed");
}

TEST_CASE("a pending mapping is aborted by unmap and destroy") {
    const Gpu gpu;
    struct Seen {
        int calls = 0;
        WGPUMapAsyncStatus status = WGPUMapAsyncStatus_Force32;
        std::string message = {};
    } seen;
    WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowProcessEvents;
    info.userdata1 = &seen;
    info.callback = [](WGPUMapAsyncStatus status, WGPUStringView said, void* to, void*) {
        auto& one = *static_cast<Seen*>(to);
        one = {one.calls + 1, status, text(said)};
    };
    const Buffer buffer = gpu.buffer(64, map_read);
    wgpuBufferMapAsync(buffer, WGPUMapMode_Read, 0, 64, info);
    CHECK(wgpuBufferGetMapState(buffer) == WGPUBufferMapState_Pending);
    gpu.refuses({"already about to be mapped"}, [&] { gpu.map(buffer, WGPUMapMode_Read); });
    gpu.refuses({"while it is about to be mapped"}, [&] {
        gpu.run([&](WGPUCommandEncoder to) { wgpuCommandEncoderClearBuffer(to, buffer, 0, 64); });
    });
    wgpuBufferUnmap(buffer);
    CHECK(seen.calls == 0);
    wgpuInstanceProcessEvents(gpu.instance);
    CHECK(seen.calls == 1);
    CHECK(seen.status == WGPUMapAsyncStatus_Aborted);
    CHECK(seen.message.find("unmapped") != std::string::npos);
    wgpuBufferMapAsync(buffer, WGPUMapMode_Read, 0, 64, info);
    wgpuBufferDestroy(buffer);
    wgpuInstanceProcessEvents(gpu.instance);
    CHECK(seen.calls == 2);
    CHECK(seen.message.find("destroyed") != std::string::npos);
}

TEST_CASE("the queue writes buffers, in order with its work, by the rules") {
    const Gpu gpu;
    const std::array<std::uint32_t, 4> words{5, 6, 7, 8};
    const Buffer buffer = gpu.buffer(16, storage, "target"), copy = gpu.buffer(16, storage);
    wgpuQueueWriteBuffer(gpu.queue, buffer, 0, words.data(), 16);
    gpu.run([&](WGPUCommandEncoder to) { wgpuCommandEncoderCopyBufferToBuffer(to, buffer, 0, copy, 0, 16); });
    wgpuQueueWriteBuffer(gpu.queue, buffer, 4, words.data(), 8);
    CHECK(gpu.read(copy) == std::vector<std::uint32_t>{5, 6, 7, 8});
    CHECK(gpu.read(buffer) == std::vector<std::uint32_t>{5, 5, 6, 8});
    const auto refuses = [&](WGPUBuffer to, std::uint64_t offset, std::size_t size, std::string reason) {
        gpu.refuses({reason, "while calling wgpuQueueWriteBuffer"},
                    [&] { wgpuQueueWriteBuffer(gpu.queue, to, offset, words.data(), size); });
    };
    refuses(buffer, 2, 4, "offset of what is written is 2");
    refuses(buffer, 0, 3, "size of what is written is 3");
    refuses(buffer, 12, 8, "The data has 8 bytes from byte 12 on; the buffer \"target\" has 16.");
    refuses(gpu.buffer(16, WGPUBufferUsage_Storage), 0, 4, "create it with WGPUBufferUsage_CopyDst");
    const Buffer mapped = gpu.buffer(16, storage, "m", true);
    refuses(mapped, 0, 4, "while it is mapped");
    refuses(nullptr, 0, 4, "The buffer is null");
    wgpuBufferDestroy(buffer);
    refuses(buffer, 0, 4, "after it was destroyed");
    const Gpu other;
    refuses(other.buffer(16, storage, "foreign"), 0, 4, "is of another device");
    gpu.takes([&] { wgpuQueueWriteBuffer(gpu.queue, copy, 16, nullptr, 0); });
}

TEST_CASE("buffers are copied and cleared by the rules") {
    const Gpu gpu;
    const std::array<std::uint32_t, 4> words{1, 2, 3, 4};
    const Buffer from = gpu.buffer_of(words, storage, "from"), to = gpu.buffer(16, storage, "to");
    gpu.run([&](WGPUCommandEncoder encoder) {
        wgpuCommandEncoderCopyBufferToBuffer(encoder, from, 4, to, 8, 8);
        wgpuCommandEncoderClearBuffer(encoder, from, 4, 4);
        wgpuCommandEncoderClearBuffer(encoder, from, 12, WGPU_WHOLE_SIZE);
        wgpuCommandEncoderCopyBufferToBuffer(encoder, from, 16, to, 16, 0);  // nothing
        wgpuCommandEncoderClearBuffer(encoder, from, 16, 0);
    });
    CHECK(gpu.read(from) == std::vector<std::uint32_t>{1, 0, 3, 0});
    CHECK(gpu.read(to) == std::vector<std::uint32_t>{0, 0, 2, 3});
    const auto refuses_copy = [&](WGPUBuffer a, std::uint64_t a_offset, WGPUBuffer b, std::uint64_t b_offset,
                                  std::uint64_t size, std::string reason) {
        gpu.refuses({reason, "while calling wgpuCommandEncoderCopyBufferToBuffer",
                     "while calling wgpuCommandEncoderFinish", "command encoder \"encoder\""},
                    [&] {
                        const Encoder encoder = gpu.encoder();
                        wgpuCommandEncoderCopyBufferToBuffer(encoder, a, a_offset, b, b_offset, size);
                        Commands(wgpuCommandEncoderFinish(encoder, nullptr));
                    });
    };
    refuses_copy(from, 2, to, 0, 4, "offset of a copy's source is 2");
    refuses_copy(from, 0, to, 2, 4, "offset of a copy's destination is 2");
    refuses_copy(from, 0, to, 0, 6, "size of a copy is 6");
    refuses_copy(from, 12, to, 0, 8, "The source of the copy has 8 bytes from byte 12 on");
    refuses_copy(from, 0, to, 12, 8, "The destination of the copy has 8 bytes from byte 12 on");
    refuses_copy(from, 0, from, 8, 8, "is copied to itself");
    refuses_copy(gpu.buffer(16, WGPUBufferUsage_CopyDst), 0, to, 0, 4, "without CopySrc");
    refuses_copy(from, 0, gpu.buffer(16, WGPUBufferUsage_CopySrc), 0, 4, "without CopyDst");
    refuses_copy(nullptr, 0, to, 0, 4, "lacks a buffer");
    const auto refuses_clear = [&](WGPUBuffer buffer, std::uint64_t offset, std::uint64_t size,
                                   std::string reason) {
        gpu.refuses({reason, "while calling wgpuCommandEncoderClearBuffer"}, [&] {
            const Encoder encoder = gpu.encoder();
            wgpuCommandEncoderClearBuffer(encoder, buffer, offset, size);
            Commands(wgpuCommandEncoderFinish(encoder, nullptr));
        });
    };
    refuses_clear(from, 2, 4, "offset of what is cleared is 2");
    refuses_clear(from, 0, 6, "size of what is cleared is 6");
    refuses_clear(from, 16, 4, "The part to clear has 4 bytes from byte 16 on");
    refuses_clear(gpu.buffer(16, WGPUBufferUsage_CopySrc), 0, 4, "without CopyDst");
}

TEST_CASE("a buffer that is destroyed makes a submission an error") {
    const Gpu gpu;
    const Buffer gone = gpu.buffer(16, storage, "gone"), other = gpu.buffer(16, storage);
    wgpuBufferDestroy(gone);
    wgpuBufferDestroy(gone);
    const Encoder encoder = gpu.encoder();
    Commands commands;
    gpu.takes([&] {  // encoding it is none
        wgpuCommandEncoderCopyBufferToBuffer(encoder, gone, 0, other, 0, 16);
        WGPUCommandBufferDescriptor descriptor = WGPU_COMMAND_BUFFER_DESCRIPTOR_INIT;
        descriptor.label = view("late");
        commands = wgpuCommandEncoderFinish(encoder, &descriptor);
    });
    const WGPUCommandBuffer raw = commands;
    gpu.refuses({"buffer \"gone\" is used after it was destroyed", "submitting the command buffer \"late\"",
                 "while calling wgpuQueueSubmit"},
                [&] { wgpuQueueSubmit(gpu.queue, 1, &raw); });
    // Work in flight keeps what it uses.
    const std::array<std::uint32_t, 2> words{1, 2};
    Buffer source = gpu.buffer_of(words, storage);
    gpu.run([&](WGPUCommandEncoder to) { wgpuCommandEncoderCopyBufferToBuffer(to, source, 0, other, 0, 8); });
    wgpuBufferDestroy(source);
    source.reset();
    CHECK(gpu.read(other)[1] == 2);
}

}  // namespace
}  // namespace webgpu_test
