// fake_driver.hpp - a fake of NVIDIA's driver: the functions that backend-cuda calls, on the processor.
//
//     FakeDriver fake;
//     fake.kernels["saxpy"] = {.parameter_bytes = 40, .run = [](FakeLaunch launch) { ...; return CUDA_SUCCESS; }};
//     auto instance = cuda::Instance::create(fake.table());
//     ...
//     CHECK(fake.complaints().empty());
//     CHECK(fake.alive() == 0);
//
// Device memory is the host's. Streams run what they are given later, on a thread of the fake's, each in its order, one
// operation at a time, beside the host: who doesn't wait reads what isn't there yet. A kernel is a function of the host;
// one that fails breaks its context, as a sticky error does.
//
// Complaints are about calls that the driver would answer with an error, or not at all: no context on the calling thread,
// one that is gone, a handle that isn't alive or is another context's, memory outside of what was allocated or before it was
// in the stream's order, copies from host memory that isn't pinned, wrong parameters of a launch, what is destroyed in use.
// Threads: any; one FakeDriver at a time.
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
    int shared_bytes = 100 << 10;  // that a workgroup may have
    bool pools = true;
    bool cooperative = true;  // can launch so
    int multiprocessors = 4;
    bool prohibited = false;  // its compute mode
    std::array<std::uint8_t, 16> uuid{};
};

struct FakeLaunch {
    std::span<const std::byte> block;  // its parameters
    Extent3 grid, workgroup;
    std::uint32_t dynamic_shared_bytes = 0;
    bool cooperative = false;
};

struct FakeKernel {
    std::uint32_t parameter_bytes = 0;
    std::function<CUresult(const FakeLaunch&)> run;
    int static_shared_bytes = 0;
    bool endless = false;      // until end_endless()
    bool cooperative = false;  // it has to be launched so
    int resident = 8;          // blocks on a multiprocessor
};

class FakeDriver {
  public:
    FakeDriver();
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    // Set before it is used:

    std::vector<FakeDevice> devices = {{}};
    int version = 13000;             // 12.4 is 12040
    std::string newest_ptx = "9.0";  // that it takes
    bool takes_cubin = true;
    CUresult init = CUDA_SUCCESS;      // what cuInit answers
    bool resets = true;                // a broken context can be reset
    bool retains_broken = false;       // as if nothing were wrong with it
    std::chrono::microseconds pace{};  // that each operation of a stream takes

    /// By its name in a module, of whatever image: a cubin (or the word), or PTX, of which only the version counts.
    void set_kernel(const std::string& name, FakeKernel kernel);

    const cuda::DriverTable& table() const;

    std::vector<std::string> complaints() const;
    /// Contexts, streams, events, modules, pools and pieces of memory, of the device and pinned ones.
    std::size_t alive() const;
    std::size_t alive_contexts() const;
    /// Of the calling thread: contexts that it has pushed and not popped.
    static std::size_t pushed();
    /// Whether the calling thread is in one of the driver's functions, or its own: what it allocates there is the fake's.
    static bool inside();
    std::uint64_t calls(const std::string& name) const;
    std::uint64_t device_bytes() const;  // allocated
    /// As a kernel that fails does.
    void break_contexts(CUresult how);
    /// Kernels without end come to one.
    void end_endless();
    /// Until no stream has anything to do.
    void drain();

    /// For kernels: device memory that may be used now; null, with a complaint: it may not.
    std::byte* memory(CUdeviceptr address, std::uint64_t bytes);
    /// For tests: as cuMemHostAlloc gives it.
    std::span<std::byte> pinned(std::size_t bytes);

    struct State;

  private:
    State* state_;
};

}  // namespace muster::test
