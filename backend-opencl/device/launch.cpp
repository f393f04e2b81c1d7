#include <array>

#include <fmt/format.h>

#include <muster/backend-opencl/device/launch.hpp>

namespace muster::opencl {
namespace {

Error lost_error() {
    return {ErrorCode::device_lost, "The OpenCL device is lost.", "open a new session", {}};
}

Result<UniqueQueue> make_queue(const Api& api, cl_context context, cl_device_id device) {
    UniqueQueue queue(api);
    TRY(make("clCreateCommandQueue", queue, [&](cl_int* code) {
        return api.clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, code);
    }));
    return queue;
}

}  // namespace

/// One launch in flight.
class Queue::Job final : public EventSubmission {
  public:
    explicit Job(Queue& queue) : end(queue.api_), queue_(queue) {}

    UniqueEvent end;

  private:
    void ask(Asker) const override {
        cl_int status = CL_QUEUED;
        const auto asked = check("clGetEventInfo", [&] {
            return queue_.api_.clGetEventInfo(end.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                              &status, nullptr);
        });
        const bool has_ended = asked && status <= CL_COMPLETE;
        if ((has_ended || queue_.is_lost_) && outcome.claim())
            outcome.settle(has_ended ? ended(status) : std::unexpected(lost_error()));
    }

    Result<Timing> ended(cl_int status) const {
        if (status < 0) {
            queue_.lose();
            return fail(ErrorCode::device_lost,
                        fmt::format("The kernel has failed. {}", translate(status)->message),
                        "run the kernel checked, on any backend, to find what it does wrong; then open a new "
                        "session");
        }
        // Returns at once; asking alone doesn't make what the kernel wrote visible to later commands.
        const cl_event event = end.get();
        TRY(check("clWaitForEvents", [&] { return queue_.api_.clWaitForEvents(1, &event); }));
        const auto begun = time(CL_PROFILING_COMMAND_START), done = time(CL_PROFILING_COMMAND_END);
        return Timing{.device_ns = begun && done ? *done - *begun : 0};
    }

    Result<std::uint64_t> time(cl_profiling_info which) const {
        cl_ulong nanoseconds = 0;
        TRY(check("clGetEventProfilingInfo", [&] {
            return queue_.api_.clGetEventProfilingInfo(end.get(), which, sizeof nanoseconds, &nanoseconds,
                                                       nullptr);
        }));
        return nanoseconds;
    }

    Queue& queue_;
};

Result<std::unique_ptr<Queue>> Queue::create(const Api& api, cl_context context, cl_device_id device) {
    std::unique_ptr<Queue> queue(new Queue(api, context));
    queue->launches_ = TRY(make_queue(api, context, device));
    queue->copies_ = TRY(make_queue(api, context, device));
    return queue;
}

Queue::~Queue() {
    if (launches_.get() && !is_lost_) (void)api_.clFinish(launches_.get());
}

Result<void> Queue::set_arguments(const KernelExecutable& executable, const Launch& launch,
                                  std::vector<UniqueBuffer>& values) {
    cl_uint which = 0;
    const auto set = [&]<class T>(const T& argument) {
        return check("clSetKernelArg", [&] {
            // NOLINTNEXTLINE(bugprone-sizeof-expression): an argument may be a pointer
            return api_.clSetKernelArg(executable.kernel.get(), which++, sizeof(T),
                                       static_cast<const void*>(&argument));
        });
    };
    for (const BoundMemory& bound : launch.bindings) {
        if (!bound.memory) {
            TRY(make("clCreateBuffer", values.emplace_back(api_), [&](cl_int* code) {
                auto* const value = const_cast<std::byte*>(bound.value);  // OpenCL copies it
                return api_.clCreateBuffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bound.bytes,
                                           value, code);
            }));
        }
        TRY(set(bound.memory ? buffer_of(*bound.memory) : values.back().get()));
        TRY(set(cl_ulong{bound.offset}));
        TRY(set(cl_ulong{bound.bytes}));
    }
    const auto set_extent = [&](const Extent3& extent) {
        return set(cl_uint4{{extent.x, extent.y, extent.z, 0}});
    };
    TRY(set_extent(launch.origin));
    return set_extent(launch.grid);
}

Result<void> Queue::enqueue(const KernelExecutable& executable, const Launch& launch, UniqueEvent& end) {
    const auto sizes = [](const Extent3& extent) {
        return std::array<std::size_t, 3>{extent.x, extent.y, extent.z};
    };
    const auto local = sizes(executable.workgroup_size);
    auto global = sizes(launch.extent);
    for (std::size_t axis = 0; axis < global.size(); ++axis) global[axis] *= local[axis];
    const cl_event before = zeroed_.get();
    return check("clEnqueueNDRangeKernel", [&] {
        return api_.clEnqueueNDRangeKernel(launches_.get(), executable.kernel.get(), 3, nullptr,
                                           global.data(), local.data(), before ? 1 : 0,
                                           before ? &before : nullptr, end.out());
    });
}

Result<Submitted> Queue::submit(const Launch& launch) {
    const auto& executable = static_cast<const KernelExecutable&>(*launch.executable);
    auto job = std::allocate_shared<Job>(jobs_, *this);
    const std::lock_guard lock(mutex_);
    if (is_lost_) return std::unexpected(lost_error());
    std::vector<UniqueBuffer> values;  // may be released once the launch is in the queue
    TRY(set_arguments(executable, launch, values));
    TRY(enqueue(executable, launch, job->end));
    zeroed_ = UniqueEvent(api_);
    (void)api_.clFlush(launches_.get());
    return job;
}

Result<void> Queue::zero(cl_mem buffer, std::uint64_t bytes) {
    constexpr cl_uint nothing = 0;
    const std::lock_guard lock(mutex_);
    UniqueEvent zeroed(api_);
    TRY(check("clEnqueueFillBuffer", [&] {
        return api_.clEnqueueFillBuffer(copies_.get(), buffer, &nothing, sizeof nothing, 0, bytes, 0, nullptr,
                                        zeroed.out());
    }));
    zeroed_ = std::move(zeroed);
    (void)api_.clFlush(copies_.get());
    return {};
}

Result<void> Queue::write(cl_mem buffer, std::uint64_t offset, std::span<const std::byte> from) {
    return check("clEnqueueWriteBuffer", [&] {
        return api_.clEnqueueWriteBuffer(copies_.get(), buffer, CL_TRUE, offset, from.size(), from.data(), 0,
                                         nullptr, nullptr);
    });
}

Result<void> Queue::read(cl_mem buffer, std::uint64_t offset, std::span<std::byte> to) {
    return check("clEnqueueReadBuffer", [&] {
        return api_.clEnqueueReadBuffer(copies_.get(), buffer, CL_TRUE, offset, to.size(), to.data(), 0,
                                        nullptr, nullptr);
    });
}

}  // namespace muster::opencl
