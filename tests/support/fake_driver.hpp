// fake_driver.hpp - a fake of NVIDIA's driver: the functions that backend-cuda calls, on the processor.
//
//     FakeDriver fake;
//     fake.kernels["saxpy"] = {.parameter_bytes = 40, .run = [](FakeLaunch launch) { ...; return CUDA_SUCCESS; }};
//     auto instance = cuda::Instance::create(fake.table());
//     ...
//     CHECK(fake.complaints().empty());
//     CHECK(fake.alive() == 0);
//
// Device memory is the host's. Streams run their operations later, on a thread of the fake's, each in its
// order, one operation at a time, concurrently with the host: a host that doesn't wait reads data that isn't
// there yet. A kernel is a function of the host; one that fails breaks its context, like a sticky error.
//
// Complaints are about calls that the driver would answer with an error, or not check at all: no context on the
// calling thread, or a destroyed one, a handle that isn't alive or belongs to another context, memory outside
// of an allocation or before the allocation in the stream's order, copies from host memory that isn't pinned,
// wrong parameters of a launch, objects destroyed while in use. Threads: any; one FakeDriver at a time.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <muster/backend-cuda/native/loader.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::test {

struct FakeDevice {
    std::string name = "Fake GPU";
    int major = 9, minor = 0;
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;
    int shared_bytes = 100 << 10;  // the maximum of a workgroup
    bool pools = true;
    bool cooperative = true;  // can launch cooperatively
    int multiprocessors = 4;
    bool prohibited = false;  // its compute mode is "prohibited"
    std::array<std::uint8_t, 16> uuid{};
};

struct FakeLaunch {
    std::span<const std::byte> block;  // the parameters
    Extent3 grid, workgroup;
    std::uint32_t dynamic_shared_bytes = 0;
    bool cooperative = false;
};

struct FakeKernel {
    std::uint32_t parameter_bytes = 0;
    std::function<CUresult(const FakeLaunch&)> run;
    int static_shared_bytes = 0;
    bool endless = false;      // until end_endless()
    bool cooperative = false;  // requires a cooperative launch
    int resident = 8;          // blocks on a multiprocessor
};

class FakeDriver {
  public:
    FakeDriver();
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    // Set these before use.

    std::vector<FakeDevice> devices = {{}};
    int version = 13000;             // 12.4 is 12040
    std::string newest_ptx = "9.0";  // the newest that it accepts
    bool takes_cubin = true;
    CUresult init = CUDA_SUCCESS;  // the result of cuInit
    bool resets = true;            // a broken context can be reset
    bool retains_broken = false;   // cuDevicePrimaryCtxRetain returns it as if nothing were wrong
    std::chrono::microseconds
        pace{};  // the time for each operation of a stream; none takes 1 us by the device's clock

    /// Sets the kernel for a name in a module, whatever the image: a cubin (or the word), or PTX, of which only
    /// the version counts.
    void set_kernel(const std::string& name, FakeKernel kernel);

    const cuda::DriverTable& table() const;

    std::vector<std::string> complaints() const;
    /// The number of live contexts, streams, events, modules, pools and allocations, of the device and pinned
    /// ones.
    std::size_t alive() const;
    std::size_t alive_contexts() const;
    /// The number of contexts that the calling thread has pushed and not popped.
    static std::size_t pushed();
    /// True if the calling thread is in one of the driver's functions, or is its own: its allocations are the
    /// fake's.
    static bool inside();
    std::uint64_t calls(const std::string& name) const;
    std::uint64_t device_bytes() const;  // allocated device memory
    /// Breaks all contexts, like a kernel that fails.
    void break_contexts(CUresult how);
    /// Ends the kernels that never end by themselves.
    void end_endless();
    /// Waits until no stream has anything to do.
    void drain();
    /// Likewise, and lets the device's clock go on by so much.
    void rest(std::chrono::nanoseconds time);

    /// For kernels: device memory that may be used now; null, with a complaint, if it may not.
    std::byte* memory(CUdeviceptr address, std::uint64_t bytes);
    /// For tests: memory as from cuMemHostAlloc.
    std::span<std::byte> pinned(std::size_t bytes);

    struct State;

  private:
    State* state_;
};

}  // namespace muster::test
