#include "raw.hpp"

#include <algorithm>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/core.h>

// Fat binaries of kernels/kernels.cu, made by CMakeLists.txt.
extern "C" unsigned long long kernels_exact_guarded[], kernels_exact_plain[], kernels_fast_guarded[],
    kernels_fast_plain[];

namespace muster::bench {
namespace {

[[noreturn]] void end(const std::string& why) {
    fmt::print(stderr, "{}\n", why);
    std::exit(1);
}

// cuda.h maps the name of each function to its newest version by a macro.
#define MUSTER_BENCH_NAME(name) #name
#define MUSTER_BENCH_NEWEST(name) MUSTER_BENCH_NAME(name)

CudaFunctions open_libcuda() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) end("There is no libcuda.so.1: bench_cuda needs an NVIDIA GPU and its driver.");
    CudaFunctions functions;
#define MUSTER_BENCH_LOAD(name)                                                                             \
    functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, MUSTER_BENCH_NEWEST(name))); \
    if (functions.name == nullptr)                                                                          \
        end("libcuda.so.1 has no " MUSTER_BENCH_NEWEST(name) ": its driver is too old.");
    MUSTER_BENCH_CUDA_FUNCTIONS(MUSTER_BENCH_LOAD)
#undef MUSTER_BENCH_LOAD
    return functions;
}

void must(const char* call, CUresult result) { must_cuda(call, result); }

CUdevice device_of(const std::array<std::uint8_t, 16>& uuid) {
    int count = 0;
    must("cuDeviceGetCount", cuda().cuDeviceGetCount(&count));
    for (int i = 0; i < count; ++i) {
        CUdevice device = 0;
        CUuuid of{};
        must("cuDeviceGet", cuda().cuDeviceGet(&device, i));
        must("cuDeviceGetUuid", cuda().cuDeviceGetUuid(&of, device));
        if (std::memcmp(of.bytes, uuid.data(), uuid.size()) == 0) return device;
    }
    end("No CUDA device has the UUID of the backend's.");
}

}  // namespace

const CudaFunctions& cuda() {
    static const CudaFunctions functions = open_libcuda();
    return functions;
}

void must_cuda(const char* call, CUresult result) {
    if (result == CUDA_SUCCESS) return;
    const char* name = "an unknown error";
    cuda().cuGetErrorName(result, &name);
    end(fmt::format("{} fails: {}.", call, name));
}

RawBufferState::~RawBufferState() { cuda().cuMemFree(at); }
PinnedState::~PinnedState() { cuda().cuMemFreeHost(at); }
RawGraphState::~RawGraphState() {
    cuda().cuGraphExecDestroy(runs);
    cuda().cuGraphDestroy(graph);
}

RawDevice::RawDevice(const std::array<std::uint8_t, 16>& uuid) {
    must("cuInit", cuda().cuInit(0));
    must("cuDriverGetVersion", cuda().cuDriverGetVersion(&driver_version_));
    device_ = device_of(uuid);
    std::array<char, 256> name{};
    must("cuDeviceGetName", cuda().cuDeviceGetName(name.data(), static_cast<int>(name.size()), device_));
    name_ = name.data();
    must("cuDevicePrimaryCtxRetain", cuda().cuDevicePrimaryCtxRetain(&context_, device_));
    must("cuCtxSetCurrent", cuda().cuCtxSetCurrent(context_));
    must("cuStreamCreate", cuda().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
    const std::array images{kernels_exact_guarded, kernels_exact_plain, kernels_fast_guarded,
                            kernels_fast_plain};
    for (std::size_t i = 0; i < images.size(); ++i)
        must("cuModuleLoadData", cuda().cuModuleLoadData(&modules_[i], images[i]));
}

RawDevice::~RawDevice() {
    for (CUmodule module : modules_) cuda().cuModuleUnload(module);
    cuda().cuStreamDestroy(stream_);
    cuda().cuDevicePrimaryCtxRelease(device_);
}

CUfunction RawDevice::kernel(const char* name, Precision precision, Access access) const {
    const std::size_t which = 2 * static_cast<std::size_t>(precision) + static_cast<std::size_t>(access);
    CUfunction function = nullptr;
    must("cuModuleGetFunction", cuda().cuModuleGetFunction(&function, modules_[which], name));
    return function;
}

RawBuffer RawDevice::buffer(std::size_t bytes) const {
    auto made = std::make_shared<RawBufferState>();
    must("cuMemAlloc", cuda().cuMemAlloc(&made->at, bytes));
    made->bytes = bytes;
    return made;
}

Pinned RawDevice::pinned(std::size_t bytes) const {
    auto made = std::make_shared<PinnedState>();
    must("cuMemHostAlloc", cuda().cuMemHostAlloc(&made->at, bytes, 0));
    made->bytes = bytes;
    return made;
}

void RawDevice::wait() const { must("cuStreamSynchronize", cuda().cuStreamSynchronize(stream_)); }

void RawDevice::write(const RawBuffer& to, std::span<const std::byte> from) const {
    must("cuMemcpyHtoDAsync", cuda().cuMemcpyHtoDAsync(to->at, from.data(), from.size(), stream_));
    wait();
}
void RawDevice::read(const RawBuffer& from, std::span<std::byte> to) const {
    must("cuMemcpyDtoHAsync", cuda().cuMemcpyDtoHAsync(to.data(), from->at, to.size(), stream_));
    wait();
}
void RawDevice::copy(const RawBuffer& from, const RawBuffer& to, std::size_t bytes) const {
    must("cuMemcpyDtoDAsync", cuda().cuMemcpyDtoDAsync(to->at, from->at, bytes, stream_));
    wait();
}

void RawDevice::queue(std::span<const RawLaunch> launches) const {
    std::array<void*, 8> arguments{};
    for (const RawLaunch& one : launches) {
        std::ranges::transform(one.arguments, arguments.begin(), [](const RawArgument& argument) {
            return const_cast<void*>(static_cast<const void*>(argument.bytes.data()));
        });
        if (one.cooperative) {
            must("cuLaunchCooperativeKernel",
                 cuda().cuLaunchCooperativeKernel(one.kernel, one.groups[0], one.groups[1], 1, one.block[0],
                                                  one.block[1], 1, 0, stream_, arguments.data()));
            continue;
        }
        must("cuLaunchKernel",
             cuda().cuLaunchKernel(one.kernel, one.groups[0], one.groups[1], 1, one.block[0], one.block[1], 1,
                                   0, stream_, arguments.data(), nullptr));
    }
}

void RawDevice::run(std::span<const RawLaunch> launches) const {
    queue(launches);
    wait();
}

RawGraph RawDevice::record(std::vector<RawLaunch> launches) const {
    auto made = std::make_shared<RawGraphState>();
    must("cuStreamBeginCapture", cuda().cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    queue(launches);
    must("cuStreamEndCapture", cuda().cuStreamEndCapture(stream_, &made->graph));
    must("cuGraphInstantiate", cuda().cuGraphInstantiateWithFlags(&made->runs, made->graph, 0));
    made->launches = std::move(launches);
    return made;
}

void RawDevice::run(const RawGraph& graph) const {
    must("cuGraphLaunch", cuda().cuGraphLaunch(graph->runs, stream_));
    wait();
}

}  // namespace muster::bench
