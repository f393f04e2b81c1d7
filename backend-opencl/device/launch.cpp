#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include <muster/backend-opencl/device/device.hpp>
#include <muster/backend-opencl/device/memory.hpp>

namespace muster::opencl {

static std::unexpected<Error> lost() {
    return fail(ErrorCode::device_lost, "The OpenCL device is lost.", "open a new session");
}

/// One launch in flight.
class OpenClDevice::Job final : public EventSubmission {
  public:
    explicit Job(OpenClDevice& device) : end(device.api_), mapped(device.api_), device_(device) {}

    UniqueEvent end;
    std::chrono::steady_clock::time_point enqueued = {};  // `end` was, by the host's clock
    UniqueEvent mapped;  // the host may access the caller's memory again; null: the kernel has none

  private:
    void ask(Asker) const override {
        cl_int status = status_of(last());
        const bool has_ended = status <= CL_COMPLETE;
        if (has_ended && status == CL_COMPLETE) status = status_of(end.get());
        if ((has_ended || device_.is_lost_) && outcome.claim())
            outcome.settle(has_ended ? ended(status) : lost());
    }

    cl_event last() const { return mapped.get() ? mapped.get() : end.get(); }
    cl_int status_of(cl_event event) const {
        cl_int status = CL_QUEUED;
        const auto asked = device_.api_.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                       sizeof status, &status, nullptr);
        return asked ? status : CL_QUEUED;
    }

    Result<Timing> ended(cl_int status) const {
        if (status < 0) {
            device_.abandon();
            return fail(ErrorCode::device_lost,
                        fmt::format("The kernel has failed. {}", translate(status)->message),
                        "run the kernel checked, on any backend, to find what it does wrong; then open a new "
                        "session");
        }
        // Returns at once; asking alone doesn't make what the kernel wrote visible to later commands.
        const cl_event event = last();
        TRY(device_.api_.clWaitForEvents(1, &event));
        const auto begun = time(CL_PROFILING_COMMAND_START), done = time(CL_PROFILING_COMMAND_END);
        if (!begun || !done || *begun == 0 || *done < *begun) return Timing{};  // the driver doesn't measure
        return Timing{.device_ns = *done - *begun, .ended_at = by_clock_of_host(*done)};
    }

    /// A moment of the device's clock by the host's. Both were read when the command was enqueued.
    std::uint64_t by_clock_of_host(std::uint64_t moment) const {
        const auto then = time(CL_PROFILING_COMMAND_QUEUED);
        if (!then || *then == 0 || *then > moment) return 0;
        const std::chrono::nanoseconds since_epoch = enqueued.time_since_epoch();
        return static_cast<std::uint64_t>(since_epoch.count()) + (moment - *then);
    }

    Result<std::uint64_t> time(cl_profiling_info which) const {
        cl_ulong nanoseconds = 0;
        TRY(device_.api_.clGetEventProfilingInfo(end.get(), which, sizeof nanoseconds, &nanoseconds,
                                                 nullptr));
        return nanoseconds;
    }

    OpenClDevice& device_;
};

Result<void> OpenClDevice::set_arguments(const Launch& launch, cl_kernel kernel,
                                         std::vector<UniqueBuffer>& values) const {
    cl_uint which = 0;
    const auto set = [&]<class T>(const T& argument) {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): an argument may be a pointer
        return api_.clSetKernelArg(kernel, which++, sizeof(T), static_cast<const void*>(&argument));
    };
    for (const BoundMemory& bound : launch.bindings) {
        if (!bound.memory) {
            auto* const value = const_cast<std::byte*>(bound.value);  // OpenCL copies it
            TRY(make(values.emplace_back(api_), api_.clCreateBuffer, context_.get(),
                     cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR}, bound.bytes, value));
        }
        TRY(set(bound.memory ? of_device(*bound.memory).buffer() : values.back().get()));
        TRY(set(cl_ulong{bound.offset}));
        TRY(set(cl_ulong{bound.bytes}));
    }
    for (const Extent3& extent : {launch.origin, launch.grid})
        TRY(set(cl_uint4{{extent.x, extent.y, extent.z, 0}}));
    return {};
}

Result<void> OpenClDevice::enqueue(const Launch& launch, std::vector<UniqueBuffer>& values,
                                   UniqueEvent& end) const {
    const auto& executable = static_cast<const KernelExecutable&>(*launch.executable);
    TRY(set_arguments(launch, executable.kernel.get(), values));
    const auto sizes = [](const Extent3& extent) {
        return std::array<std::size_t, 3>{extent.x, extent.y, extent.z};
    };
    const auto local = sizes(executable.workgroup_size);
    auto global = sizes(launch.extent);
    for (std::size_t axis = 0; axis < global.size(); ++axis) global[axis] *= local[axis];
    const cl_event before = zeroed_.get();
    return api_.clEnqueueNDRangeKernel(launches_.get(), executable.kernel.get(), 3, nullptr, global.data(),
                                       local.data(), before ? 1 : 0, before ? &before : nullptr, end.out());
}

Result<void> OpenClDevice::enqueue(const MemoryTransfer& transfer, UniqueEvent& end) const {
    const cl_event before = zeroed_.get();
    const cl_uint events = before ? 1 : 0;
    const cl_event* const first = before ? &before : nullptr;
    const cl_mem to = of_device(*transfer.to).buffer();
    if (transfer.from == nullptr)
        return api_.clEnqueueFillBuffer(launches_.get(), to, &transfer.word, sizeof transfer.word,
                                        transfer.to_offset, transfer.bytes, events, first, end.out());
    return api_.clEnqueueCopyBuffer(launches_.get(), of_device(*transfer.from).buffer(), to,
                                    transfer.from_offset, transfer.to_offset, transfer.bytes, events, first,
                                    end.out());
}

/// The caller's memory among the memory of a command, each once.
static std::vector<DeviceMemory*> callers_of(std::span<const BoundMemory> bindings) {
    std::vector<DeviceMemory*> callers;
    for (const BoundMemory& bound : bindings) {
        DeviceMemory* const memory = bound.memory ? &of_device(*bound.memory) : nullptr;
        if (memory && memory->host() && std::ranges::find(callers, memory) == callers.end())
            callers.push_back(memory);
    }
    return callers;
}

/// Enqueues a command between those that take the caller's memory from the host and give
/// it back, also if it fails.
template <class Enqueue>
Result<void> OpenClDevice::with_callers(std::span<DeviceMemory* const> callers, Job& job, Enqueue&& enqueue) {
    std::size_t taken = 0;
    auto enqueued = [&]() -> Result<void> {
        for (; taken < callers.size(); ++taken) {
            DeviceMemory& memory = *callers[taken];
            TRY(api_.clEnqueueUnmapMemObject(launches_.get(), memory.buffer(), memory.host(), 0, nullptr,
                                             nullptr));
            memory.mapped() = {};
        }
        job.enqueued = std::chrono::steady_clock::now();
        return enqueue(job.end);
    }();
    for (DeviceMemory* const memory : callers.first(taken)) {
        UniqueEvent mapped(api_);
        if (auto given = map(*memory, launches_.get(), CL_FALSE, mapped); !given)
            return std::unexpected(give_up(std::move(given).error()));
        job.mapped = std::move(mapped);
    }
    return enqueued;
}

/// The host can't have the caller's memory back, but the caller may free it after an
/// error: no kernel runs on.
Error OpenClDevice::give_up(Error why) {
    (void)api_.clFinish.pointer(launches_.get());
    abandon();
    why.code = ErrorCode::device_lost;
    return why;
}

template <class Enqueue>
Result<Submitted> OpenClDevice::submit(std::span<const BoundMemory> bindings, Enqueue&& enqueue) {
    auto job = std::allocate_shared<Job>(jobs_, *this);
    const std::lock_guard lock(mutex_);
    if (is_lost_) return lost();
    const std::vector<DeviceMemory*> callers = callers_of(bindings);
    TRY(with_callers(callers, *job, enqueue));
    zeroed_ = UniqueEvent(api_);
    (void)api_.clFlush.pointer(launches_.get());
    return job;
}

Result<Submitted> OpenClDevice::submit(const Launch& launch) {
    std::vector<UniqueBuffer> values;
    return submit(launch.bindings, [&](UniqueEvent& end) { return enqueue(launch, values, end); });
}

Result<Submitted> OpenClDevice::transfer(const MemoryTransfer& transfer) {
    const std::array<BoundMemory, 2> used{BoundMemory{.memory = transfer.to},
                                          BoundMemory{.memory = transfer.from}};
    return submit(used, [&](UniqueEvent& end) { return enqueue(transfer, end); });
}

}  // namespace muster::opencl
