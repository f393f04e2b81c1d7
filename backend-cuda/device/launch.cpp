#include <algorithm>
#include <array>
#include <utility>

#include <muster/backend-cuda/device/launch.hpp>

namespace muster::cuda {
namespace {

/// How long an answer "still running" is reused for callers that don't wait.
constexpr std::chrono::microseconds poll_interval(10);

}  // namespace

void Batch::ask(Asker asker) const { asker == Asker::waits ? queue_.ask(*this) : queue_.look(*this); }

Result<std::unique_ptr<Queue>> Queue::create(const Context& context, Transfer& transfer, bool timestamps) {
    const Context::Scope scope = TRY(context.enter());
    auto stream = TRY(make_stream(context));
    return std::unique_ptr<Queue>(new Queue(context, transfer, timestamps, std::move(stream)));
}

Queue::~Queue() {
    const std::lock_guard lock(mutex_);
    if (const auto scope = context_.enter_to_free()) {
        end_open_batch();
        (void)context_.table().cuStreamSynchronize(stream_.get());
        poll_batches(nullptr);
    }
    fail_all(lost_error());
}

Result<BatchParts> Queue::take_parts() {
    BatchParts parts;
    if (!unused_parts_.empty()) {
        parts = std::move(unused_parts_.back());
        unused_parts_.pop_back();
        return parts;
    }
    parts.end = TRY(make_event(context_, timestamps_ ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING));
    unused_parts_.reserve(++made_parts_);  // so that returning parts never allocates
    return parts;
}

void Queue::give_parts(BatchParts parts) {
    parts.values.clear();
    unused_parts_.push_back(std::move(parts));
}

Result<void> Queue::record(const UniqueEvent& event) {
    return context_.check("cuEventRecord",
                          [&] { return context_.table().cuEventRecord(event.get(), stream_.get()); });
}

Result<void> Queue::begin(Batch& batch, bool follows) {
    batch.follows = follows;
    if (!timestamps_ || follows) return {};
    UniqueEvent& event = batch.parts.begin;
    if (!event.get()) event = TRY(make_event(context_, CU_EVENT_DEFAULT));
    return record(event);
}

/// True if launches were in flight at the last check, which is at most a `poll_interval` ago.
bool Queue::is_busy() {
    if (in_flight_.first() && std::chrono::steady_clock::now() - polled_at_ >= poll_interval)
        poll_batches(nullptr);
    return in_flight_.first() != nullptr;
}

Result<std::shared_ptr<Batch>> Queue::open_batch() {
    if (open_) {
        if (open_->launches == 0) TRY(begin(*open_, false));  // its first launch failed
        return open_;
    }
    const bool follows = is_busy();
    auto batch = std::allocate_shared<Batch>(batches_, *this, TRY(take_parts()));
    if (auto begun = begin(*batch, follows); !begun) {
        give_parts(std::move(batch->parts));
        return std::unexpected(std::move(begun).error());
    }
    in_flight_.push(batch);
    open_ = std::move(batch);
    return open_;
}

Result<void> Queue::fill(const ModuleExecutable& executable, const Launch& launch, Batch& batch) {
    for (std::size_t i = 0; i < executable.parameters.size(); ++i) {
        const Parameter& parameter = executable.parameters[i];
        const BoundMemory& bound = launch.bindings[i];
        CUdeviceptr address = bound.memory ? on_device(*bound.memory).address() + bound.offset : 0;
        if (!bound.memory && takes_memory(parameter)) {
            batch.parts.values.push_back(TRY(values_.place({bound.value, bound.bytes})));
            TRY(transfer_.order_before(stream_.get()));  // it may be newly allocated
            TRY(values_.copy(batch.parts.values.back(), bound.bytes, stream_.get()));
            address = batch.parts.values.back()->device->address();
        }
        cuda::fill(executable, parameter, bound, address);
    }
    fill_grid(executable, launch);
    return {};
}

Result<void> Queue::launch_kernel(const ModuleExecutable& executable, const Extent3& grid) {
    std::size_t bytes = executable.block.size();
    std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, executable.block.data(),
                               CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    const Extent3& block = executable.workgroup_size;
    if (!executable.barrier_state)
        return context_.check("cuLaunchKernel", [&] {
            return context_.table().cuLaunchKernel(executable.function, grid.x, grid.y, grid.z, block.x,
                                                   block.y, block.z, executable.dynamic_shared_bytes,
                                                   stream_.get(), nullptr, extra.data());
        });
    CUlaunchAttribute cooperative{};
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
    const CUlaunchConfig config{
        grid.x,        grid.y,       grid.z, block.x, block.y, block.z, executable.dynamic_shared_bytes,
        stream_.get(), &cooperative, 1};
    return context_.check("cuLaunchKernelEx", [&] {
        return context_.table().cuLaunchKernelEx(&config, executable.function, nullptr, extra.data());
    });
}

Result<void> Queue::enqueue(const MemoryTransfer& transfer) {
    const CUdeviceptr to = on_device(*transfer.to).address() + transfer.to_offset;
    TRY(transfer_.order_before(stream_.get()));
    if (transfer.from == nullptr)
        return context_.check("cuMemsetD32Async", [&] {
            return context_.table().cuMemsetD32Async(to, transfer.word, transfer.bytes / 4, stream_.get());
        });
    const CUdeviceptr from = on_device(*transfer.from).address() + transfer.from_offset;
    return context_.check("cuMemcpyDtoDAsync", [&] {
        return context_.table().cuMemcpyDtoDAsync(to, from, transfer.bytes, stream_.get());
    });
}

Result<Submitted> Queue::submit(const Launch& launch) {
    const auto& executable = static_cast<const ModuleExecutable&>(*launch.executable);
    return submit_with([&](Batch& batch) -> Result<void> {
        TRY(fill(executable, launch, batch));
        TRY(transfer_.order_before(stream_.get()));
        return launch_kernel(executable, launch.extent);
    });
}

Result<Submitted> Queue::submit(const MemoryTransfer& transfer) {
    return submit_with([&](Batch&) { return enqueue(transfer); });
}

template <class Enqueue>
Result<Submitted> Queue::submit_with(Enqueue&& enqueue) {
    const std::lock_guard lock(mutex_);
    if (closed_) return std::unexpected(lost_error());
    const Context::Scope scope = TRY(context_.enter());
    const std::shared_ptr<Batch> batch = TRY(open_batch());
    TRY(enqueue(*batch));
    if (++batch->launches >= most_in_batch || timestamps_) end_open_batch();
    return batch;
}

/// If recording fails now, it is tried again at the next check.
void Queue::end_open_batch() {
    if (!open_ || open_->launches == 0) return;
    if (record(open_->parts.end)) open_.reset();
}

/// Returns false if the batch still runs or CUDA can't tell.
bool Queue::poll_first() {
    bool ended = false;
    const auto asked = context_.check("cuEventQuery", [&] {
        const CUresult result = context_.table().cuEventQuery(in_flight_.first()->parts.end.get());
        ended = result == CUDA_SUCCESS;
        return result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result;
    });
    if (!asked || !ended) return false;
    settle_first(timing_of(*in_flight_.first()));
    return true;
}

void Queue::poll_batches(const Batch* batch) {
    if (batch && batch == open_.get() && !context_.lost()) end_open_batch();
    while (in_flight_.first() && in_flight_.first() != open_ && !context_.lost() && poll_first()) {
    }
    polled_at_ = std::chrono::steady_clock::now();
    if (context_.lost()) fail_all(lost_error());
}

Result<Timing> Queue::timing_of(const Batch& batch) {
    const CUevent from = batch.follows ? before_.end.get() : batch.parts.begin.get();
    if (!timestamps_ || !from) return Timing{};
    float milliseconds = 0;
    const auto told = context_.check("cuEventElapsedTime", [&] {
        return context_.table().cuEventElapsedTime(&milliseconds, from, batch.parts.end.get());
    });
    if (!told && context_.lost()) return std::unexpected(told.error());
    if (!told || !(milliseconds >= 0)) return Timing{};
    return Timing{.device_ns = static_cast<std::uint64_t>(double{milliseconds} * 1e6)};
}

void Queue::settle_first(Result<Timing> outcome) {
    const std::shared_ptr<Batch> batch = in_flight_.pop();
    if (open_ == batch) open_.reset();
    std::swap(before_, batch->parts);
    if (batch->parts.end.get()) give_parts(std::move(batch->parts));
    before_.values.clear();
    batch->outcome.settle(std::move(outcome));
}

void Queue::fail_all(const Error& why) {
    while (in_flight_.first()) settle_first(std::unexpected(why));
}

void Queue::ask(const Batch& batch) {
    const std::lock_guard lock(mutex_);
    const auto scope = context_.enter();
    if (scope || context_.lost()) poll_batches(&batch);
}

void Queue::look(const Batch& batch) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || std::chrono::steady_clock::now() - polled_at_ < poll_interval) return;
    const auto scope = context_.enter();
    if (scope || context_.lost()) poll_batches(&batch);
}

void Queue::abandon() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    fail_all(lost_error());
}

}  // namespace muster::cuda
