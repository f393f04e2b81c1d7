// launch.hpp - the device's memory and queues: launches go into one, which runs them in order, copies into another, beside
// them.
//
//   - Each launch is handed to OpenCL at once. The driver sees it end by its event, which also has its time.
//   - A value given at dispatch gets a buffer of its own, which OpenCL frees after the launch.
//   - New memory is zeroed in the copies' queue, without waiting; the next launch waits for that.
//
// Threads: any.
#pragma once

#include <atomic>
#include <mutex>

#include <muster/backend-opencl/device/executable.hpp>

namespace muster::opencl {

class DeviceMemory final : public Memory {
  public:
    DeviceMemory(UniqueBuffer buffer, std::uint64_t bytes) : buffer_(std::move(buffer)), bytes_(bytes) {}
    std::uint64_t bytes() const override { return bytes_; }
    cl_mem buffer() const { return buffer_.get(); }

  private:
    UniqueBuffer buffer_;
    std::uint64_t bytes_;
};

/// Precondition: `memory` was allocated by this backend; the driver ensures it.
inline cl_mem buffer_of(const Memory& memory) { return static_cast<const DeviceMemory&>(memory).buffer(); }

class Queue {
  public:
    static Result<std::unique_ptr<Queue>> create(const Api& api, cl_context context, cl_device_id device);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    /// Waits for the launches in flight.
    ~Queue();

    // Errors of all: out_of_memory, device_lost.

    Result<Submitted> submit(const Launch& launch);
    /// `bytes` is a multiple of 4.
    Result<void> zero(cl_mem buffer, std::uint64_t bytes);
    Result<void> write(cl_mem buffer, std::uint64_t offset, std::span<const std::byte> from);
    Result<void> read(cl_mem buffer, std::uint64_t offset, std::span<std::byte> to);

    /// Accepts no more launches; all that haven't ended answer device_lost. The device goes on running them: OpenCL can't
    /// stop a kernel.
    void lose() { is_lost_ = true; }

    class Job;

  private:
    Queue(const Api& api, cl_context context)
        : api_(api), context_(context), launches_(api), copies_(api), zeroed_(api) {}

    // Precondition of all: mutex_ is locked.
    Result<void> set_arguments(const KernelExecutable& executable, const Launch& launch,
                               std::vector<UniqueBuffer>& values);
    Result<void> enqueue(const KernelExecutable& executable, const Launch& launch, UniqueEvent& end);

    const Api& api_;
    cl_context context_;
    std::atomic<bool> is_lost_{false};
    std::mutex mutex_;
    UniqueQueue launches_, copies_;
    UniqueEvent zeroed_;  // the last memory that was zeroed; null: the launches have waited for it
    RecyclingAllocator<Job> jobs_;
};

}  // namespace muster::opencl
