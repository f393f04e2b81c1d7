// device.hpp - an open OpenCL device: the functions that the driver calls, and two queues: launches and
// transfers go into one, which runs them in order, copies from and to the host into another, beside them.
//
//   - Each launch is handed to OpenCL at once. The driver sees it end by its event, which also has its time.
//   - A value given at dispatch gets a buffer of its own, which OpenCL frees after the launch.
//   - New memory is zeroed in the copies' queue, without waiting; the next launch waits for that.
//   - Memory of the caller's that is used in place is unmapped before each launch that binds it, and mapped
//     again behind it: such a launch ends when the host may access the memory.
//
// Threads: any.
#pragma once

#include <atomic>
#include <mutex>

#include <muster/backend-opencl/device/executable.hpp>
#include <muster/backend-opencl/device/memory.hpp>

namespace muster::opencl {

class OpenClDevice final : public Device {
  public:
    /// Errors: unavailable, out_of_memory.
    static Result<std::unique_ptr<Device>> open(const PhysicalDevice& physical);
    OpenClDevice(const OpenClDevice&) = delete;
    OpenClDevice& operator=(const OpenClDevice&) = delete;
    /// Waits for the launches in flight.
    ~OpenClDevice() override;

    const DeviceInfo& info() const override { return physical_.info; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;

    // Errors of these: out_of_memory, device_lost.
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override;    // limit_exceeded, too
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) override;  // none: it copies
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override;
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override;
    Result<Submitted> submit(const Launch& launch) override;
    bool has_transfers() const override { return true; }
    Result<Submitted> transfer(const MemoryTransfer& transfer) override;

    /// Accepts no more launches; all that haven't ended answer device_lost. The device goes on running them:
    /// OpenCL can't stop a kernel.
    void abandon() override { is_lost_ = true; }

    class Job;

  private:
    explicit OpenClDevice(const PhysicalDevice& physical)
        : physical_(physical), context_(api_), launches_(api_), copies_(api_), zeroed_(api_) {}
    /// Enqueues a command that uses the memory of these bindings.
    template <class Enqueue>
    Result<Submitted> submit(std::span<const BoundMemory> bindings, Enqueue&& enqueue);
    Builder builder() const { return {physical_, context_.get()}; }
    Result<void> open_queue(UniqueQueue& queue) const;
    Result<void> zero(cl_mem buffer, std::uint64_t bytes);
    /// Lets the host access memory that is over the caller's, from `end` on.
    Result<void> map(DeviceMemory& memory, cl_command_queue queue, cl_bool waits, UniqueEvent& end) const;

    // Precondition of each: mutex_ is locked.
    Result<void> set_arguments(const Launch& launch, cl_kernel kernel,
                               std::vector<UniqueBuffer>& values) const;
    /// `values` may be released once the launch is in the queue.
    Result<void> enqueue(const Launch& launch, std::vector<UniqueBuffer>& values, UniqueEvent& end) const;
    Result<void> enqueue(const MemoryTransfer& transfer, UniqueEvent& end) const;
    template <class Enqueue>
    Result<void> with_callers(std::span<DeviceMemory* const> callers, Job& job, Enqueue&& enqueue);
    Error give_up(Error why);

    const PhysicalDevice physical_;
    const Api& api_ = *physical_.api;
    UniqueContext context_;  // outlives what is made in it
    std::atomic<bool> is_lost_{false};
    std::mutex mutex_;  // of the launches' queue, the arguments of kernels, and zeroed_
    UniqueQueue launches_, copies_;
    UniqueEvent zeroed_;  // the last memory that was zeroed; null: the launches have waited for it
    RecyclingAllocator<Job> jobs_;
};

}  // namespace muster::opencl
