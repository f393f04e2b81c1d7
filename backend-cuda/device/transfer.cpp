#include <utility>

#include <muster/backend-cuda/device/transfer.hpp>
#include <muster/driver/support/poll.hpp>
#include <muster/driver/support/staged_copy.hpp>

namespace muster::cuda {
namespace {

/// Smallest size for which asking whether memory is pinned pays off.
constexpr std::size_t worth_asking = std::size_t{64} << 10;

}  // namespace

Result<std::unique_ptr<Transfer>> Transfer::create(const Context& context) {
    const Context::Scope scope = TRY(context.enter());
    auto stream = TRY(make_stream(context));
    auto order = TRY(make_event(context, CU_EVENT_DISABLE_TIMING));
    return std::unique_ptr<Transfer>(new Transfer(context, std::move(stream), std::move(order)));
}

Result<CUdeviceptr> Transfer::allocate(std::size_t bytes) {
    const Context::Scope scope = TRY(context_.enter());
    const DriverTable& table = context_.table();
    CUdeviceptr address = 0;
    if (!context_.pool()) {
        TRY(context_.check("cuMemAlloc", [&] { return table.cuMemAlloc(&address, bytes); }));
        return address;
    }
    const auto take = [&] {
        return context_.check("cuMemAllocFromPoolAsync", [&] {
            return table.cuMemAllocFromPoolAsync(&address, bytes, context_.pool(), stream_.get());
        });
    };
    auto taken = take();
    if (!taken && taken.error().code == ErrorCode::out_of_memory) {
        synchronize();  // freed memory may not have reached the pool yet
        taken = take();
    }
    TRY(std::move(taken));
    begun_ = true;
    return address;
}

void Transfer::free(CUdeviceptr address) {
    const auto scope = context_.enter_to_free();
    if (!scope) return;
    if (context_.pool()) {
        (void)context_.table().cuMemFreeAsync(address, stream_.get());
        return;
    }
    synchronize();  // it may still be being zeroed
    (void)context_.table().cuMemFree(address);
}

Result<void> Transfer::zero(CUdeviceptr address, std::size_t bytes) {
    const Context::Scope scope = TRY(context_.enter());
    TRY(context_.check("cuMemsetD8Async",
                       [&] { return context_.table().cuMemsetD8Async(address, 0, bytes, stream_.get()); }));
    begun_ = true;
    return {};
}

Result<void> Transfer::order_before(CUstream stream) {
    if (!begun_) return {};
    const DriverTable& table = context_.table();
    const std::lock_guard lock(order_mutex_);
    if (!begun_.exchange(false)) return {};
    auto ordered =
        context_.check("cuEventRecord", [&] { return table.cuEventRecord(order_.get(), stream_.get()); });
    if (ordered)
        ordered = context_.check("cuStreamWaitEvent",
                                 [&] { return table.cuStreamWaitEvent(stream, order_.get(), 0); });
    if (!ordered) begun_ = true;
    return ordered;
}

Result<void> Transfer::prepare(StagingBuffers& buffers) {
    for (StagingBuffer& staging : buffers) {
        if (!staging.copied.get()) staging.copied = TRY(make_event(context_, CU_EVENT_DISABLE_TIMING));
        if (!staging.host.get()) staging.host = TRY(make_host_memory(context_, staging_bytes));
    }
    return {};
}

void Transfer::synchronize() const {
    if (const auto scope = context_.enter_to_free())
        (void)context_.table().cuStreamSynchronize(stream_.get());
}

Result<void> Transfer::up(CUdeviceptr address, const void* from, std::size_t bytes,
                          const StagingBuffer& mark) {
    TRY(context_.check("cuMemcpyHtoDAsync", [&] {
        return context_.table().cuMemcpyHtoDAsync(address, from, bytes, stream_.get());
    }));
    begun_ = true;
    return this->mark(mark);
}

Result<void> Transfer::down(void* to, CUdeviceptr address, std::size_t bytes, const StagingBuffer& mark) {
    TRY(context_.check("cuMemcpyDtoHAsync", [&] {
        return context_.table().cuMemcpyDtoHAsync(to, address, bytes, stream_.get());
    }));
    return this->mark(mark);
}

Result<void> Transfer::mark(const StagingBuffer& staging) {
    return context_.check(
        "cuEventRecord", [&] { return context_.table().cuEventRecord(staging.copied.get(), stream_.get()); });
}

/// Waits without a timeout: the driver can't use the memory before the copy has ended.
Result<void> Transfer::wait_for(const StagingBuffer& staging) {
    Result<void> end;
    const auto ended = [&] {
        bool running = false;
        end = context_.check("cuEventQuery", [&] {
            const CUresult result = context_.table().cuEventQuery(staging.copied.get());
            running = result == CUDA_ERROR_NOT_READY;
            return running ? CUDA_SUCCESS : result;
        });
        return !running;
    };
    while (!poll(std::chrono::hours(1), ended)) {
    }
    return end;
}

/// True if the memory is pinned: CUDA knows no other host memory. Precondition: not empty.
bool Transfer::is_pinned(std::span<const std::byte> bytes) const {
    if (bytes.size() < worth_asking) return false;
    const auto known = [&](const std::byte& byte) {
        CUmemorytype type{};
        return context_.table().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                      reinterpret_cast<CUdeviceptr>(&byte)) == CUDA_SUCCESS &&
               type == CU_MEMORYTYPE_HOST;
    };
    return known(bytes.front()) && known(bytes.back());
}

Result<void> Transfer::write(CUdeviceptr address, std::span<const std::byte> from) {
    const Context::Scope scope = TRY(context_.enter());
    const std::lock_guard lock(copy_mutex_);
    TRY(prepare(up_));
    const auto wait = [&](const StagingBuffer& staging) { return wait_for(staging); };
    const auto write = [&]() -> Result<void> {
        if (!is_pinned(from))
            return write_staged(up_, from, wait,
                                [&](const StagingBuffer& staging, std::size_t offset, std::size_t bytes) {
                                    return up(address + offset, staging.bytes(), bytes, staging);
                                });
        TRY(wait_for(up_[0]));
        TRY(up(address, from.data(), from.size(), up_[0]));
        return wait_for(up_[0]);  // the caller may change its memory after the call
    };
    auto written = write();
    if (!written) synchronize();  // so that no staging buffer is refilled while it is being copied
    return written;
}

Result<void> Transfer::read(CUdeviceptr address, std::span<std::byte> to) {
    const Context::Scope scope = TRY(context_.enter());
    const std::lock_guard lock(copy_mutex_);
    TRY(prepare(down_));
    const auto wait = [&](const StagingBuffer& staging) { return wait_for(staging); };
    const auto read = [&]() -> Result<void> {
        if (!is_pinned(to))
            return read_staged(down_, to, wait,
                               [&](const StagingBuffer& staging, std::size_t offset, std::size_t bytes) {
                                   return down(staging.bytes(), address + offset, bytes, staging);
                               });
        TRY(down(to.data(), address, to.size(), down_[0]));
        return wait_for(down_[0]);
    };
    auto done = read();
    if (!done) synchronize();  // so that nothing is copied into the caller's memory after the call
    return done;
}

}  // namespace muster::cuda
