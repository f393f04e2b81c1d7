// raw.hpp - the peer: a plain program of CUDA's driver API, as a person writes one for a few kernels.
//
//     RawDevice device(uuid);
//     RawBuffer x = device.buffer(bytes);  device.write(x, words);
//     RawLaunch launch{device.kernel("saxpy", Precision::exact, Access::plain), {groups}, {256}, arguments(a, x, y, n)};
//     device.run({launch});   // launch, wait; any number of times
//
// The primary context, one stream, memory by cuMemAlloc. The kernels are kernels/kernels.cu, compiled by nvcc
// beforehand. libcuda is opened at run time, so that this program starts without it and says so. Handles own
// their objects, and their device has to outlive them. An error ends the program with the call's
// name and code. Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda.h>
#include <support/device_bench.hpp>

#include <muster/driver/contract/artifact.hpp>

namespace muster::bench {

/// The functions of libcuda that are called here.
// clang-format off
#define MUSTER_BENCH_CUDA_FUNCTIONS(X) \
    X(cuInit) X(cuGetErrorName) X(cuDriverGetVersion) X(cuDeviceGetCount) X(cuDeviceGet) \
    X(cuDeviceGetUuid) X(cuDeviceGetName) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease) \
    X(cuCtxSetCurrent) X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamSynchronize) X(cuMemAlloc) \
    X(cuMemFree) X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) \
    X(cuMemcpyDtoDAsync) X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction) X(cuLaunchKernel) \
    X(cuLaunchCooperativeKernel) \
    X(cuStreamBeginCapture) X(cuStreamEndCapture) X(cuGraphInstantiateWithFlags) X(cuGraphLaunch) \
    X(cuGraphExecDestroy) X(cuGraphDestroy)
// clang-format on

struct CudaFunctions {
#define MUSTER_BENCH_MEMBER(name) decltype(&::name) name = nullptr;
    MUSTER_BENCH_CUDA_FUNCTIONS(MUSTER_BENCH_MEMBER)
#undef MUSTER_BENCH_MEMBER
};
/// The functions of libcuda; ends the program if there is no libcuda.
const CudaFunctions& cuda();
/// Ends the program if a call failed.
void must_cuda(const char* call, CUresult result);

struct RawBufferState {
    CUdeviceptr at = 0;
    std::size_t bytes = 0;
    ~RawBufferState();
};
using RawBuffer = std::shared_ptr<const RawBufferState>;

/// A parameter of a kernel.
struct RawArgument {
    std::array<std::byte, 8> bytes{};
    RawBuffer kept = nullptr;
    RawArgument(const RawBuffer& buffer) : kept(buffer) {  // NOLINT(google-explicit-constructor)
        std::memcpy(bytes.data(), &buffer->at, sizeof buffer->at);
    }
    template <class T>
    requires std::is_arithmetic_v<T> RawArgument(T value) {  // NOLINT(google-explicit-constructor)
        std::memcpy(bytes.data(), &value, sizeof value);
    }
};

struct RawLaunch {
    CUfunction kernel = nullptr;
    std::array<std::uint32_t, 2> groups{1, 1}, block{1, 1};
    std::vector<RawArgument> arguments = {};
    bool cooperative = false;
};

/// Recorded launches, from a stream capture.
struct RawGraphState {
    CUgraph graph = nullptr;
    CUgraphExec runs = nullptr;
    std::vector<RawLaunch> launches = {};
    ~RawGraphState();
};
using RawGraph = std::shared_ptr<const RawGraphState>;

/// Page-locked memory of the host.
struct PinnedState {
    void* at = nullptr;
    std::size_t bytes = 0;
    std::span<std::byte> span() const { return {static_cast<std::byte*>(at), bytes}; }
    ~PinnedState();
};
using Pinned = std::shared_ptr<const PinnedState>;

class RawDevice {
  public:
    explicit RawDevice(const std::array<std::uint8_t, 16>& uuid);
    RawDevice(const RawDevice&) = delete;
    RawDevice& operator=(const RawDevice&) = delete;
    ~RawDevice();

    const std::string& name() const { return name_; }
    int driver_version() const { return driver_version_; }  // 1000 * major + 10 * minor
    CUfunction kernel(const char* name, Precision precision, Access access) const;

    RawBuffer buffer(std::size_t bytes) const;
    Pinned pinned(std::size_t bytes) const;
    /// These functions return when the copy is done.
    void write(const RawBuffer& to, std::span<const std::byte> from) const;
    void read(const RawBuffer& from, std::span<std::byte> to) const;
    void copy(const RawBuffer& from, const RawBuffer& to, std::size_t bytes) const;
    void run(std::span<const RawLaunch> launches) const;
    void run(const RawGraph& graph) const;

    RawGraph record(std::vector<RawLaunch> launches) const;

  private:
    void queue(std::span<const RawLaunch> launches) const;
    void wait() const;

    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
    std::array<CUmodule, 4> modules_{};  // [2 * precision + access]
    std::string name_;
    int driver_version_ = 0;
};

}  // namespace muster::bench
