#include <thread>

#include <muster/backend-cuda/native/context.hpp>

namespace muster::cuda {
namespace {

/// Freed memory that the pool keeps for later buffers, even while nothing runs: getting memory from the
/// system takes hundreds of microseconds. More is returned to the system, for other processes.
constexpr cuuint64_t kept_bytes = cuuint64_t{1} << 30;

}  // namespace

Error lost_error() {
    return {ErrorCode::device_lost,
            "The CUDA device was lost: a kernel, of any session in this process, has failed on it.",
            "open a new session",
            {}};
}

Result<std::shared_ptr<Context>> Context::retain(const DriverTable& table, CUdevice device, bool pooled) {
    CUcontext handle = nullptr;
    TRY(cuda::check("cuDevicePrimaryCtxRetain",
                    [&] { return table.cuDevicePrimaryCtxRetain(&handle, device); }));
    const std::shared_ptr<Context> context(new Context(table, device));
    context->handle_ = handle;
    if (pooled) TRY(context->make_pool());
    return context;
}

Result<void> Context::make_pool() {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;  // the only type of pool allocation
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device_;
    const Scope scope = TRY(enter());
    TRY(check("cuMemPoolCreate", [&] { return table_.cuMemPoolCreate(&pool_, &properties); }));
    cuuint64_t kept = kept_bytes;
    return check("cuMemPoolSetAttribute", [&] {
        return table_.cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
    });
}

void Context::destroy_pool() {
    if (pool_) (void)table_.cuMemPoolDestroy(std::exchange(pool_, nullptr));
}

Context::~Context() {
    if (!handle_) return;
    destroy_pool();
    (void)table_.cuDevicePrimaryCtxRelease(device_);
}

Result<Context::Scope> Context::enter() const {
    ++inside_;
    auto entered = [&]() -> Result<void> {
        if (lost()) return std::unexpected(lost_error());
        return check("cuCtxPushCurrent", [&] { return table_.cuCtxPushCurrent(handle_); });
    }();
    if (entered) return Scope(*this);
    --inside_;
    return std::unexpected(std::move(entered).error());
}

std::optional<std::uint64_t> Context::free_memory() const {
    const auto scope = enter();
    std::size_t free = 0, total = 0;
    if (!scope || !check("cuMemGetInfo", [&] { return table_.cuMemGetInfo(&free, &total); }))
        return std::nullopt;
    return free;
}

std::optional<Context::Scope> Context::enter_to_free() const {
    ++inside_;
    if (!lost() && table_.cuCtxPushCurrent(handle_) == CUDA_SUCCESS) return Scope(*this);
    --inside_;
    return std::nullopt;
}

void Context::leave() const {
    CUcontext popped = nullptr;
    (void)table_.cuCtxPopCurrent(&popped);
    --inside_;
}

Result<void> Context::reset() {
    while (inside_.load() != 0) std::this_thread::yield();  // calls on a lost context return at once
    if (!handle_) return {};
    destroy_pool();
    TRY(cuda::check("cuDevicePrimaryCtxReset", [&] { return table_.cuDevicePrimaryCtxReset(device_); }));
    // A reset doesn't release the primary context, and keeping it is useless.
    (void)table_.cuDevicePrimaryCtxRelease(device_);
    handle_ = nullptr;
    return {};
}

}  // namespace muster::cuda
