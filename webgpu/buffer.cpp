#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/policy/log.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/buffer.hpp>
#include <muster/webgpu/chain.hpp>
#include <muster/webgpu/queue.hpp>

namespace muster::webgpu {

HostMemory HostMemory::allocate(std::uint64_t bytes, std::uint64_t offset) {
    HostMemory made;
    const std::uint64_t alignment = bytes < least_shared ? usual_alignment : page;
    const std::uint64_t before = offset % alignment;
    if (bytes > SIZE_MAX / 2) return made;
    made.memory_.reset(std::calloc(bytes + before + alignment, 1));
    if (!made.memory_) return made;
    const auto address = reinterpret_cast<std::uintptr_t>(made.memory_.get());
    made.begin_ = static_cast<std::byte*>(made.memory_.get()) + (alignment - address % alignment) + before;
    return made;
}

/// A mapping that waits for the work submitted before it.
class MapEvent final : public Event {
  public:
    MapEvent(Ref<GpuBuffer> buffer, WGPUMapMode mode, std::uint64_t offset, std::uint64_t bytes,
             const WGPUBufferMapCallbackInfo& info, SubmittedWork work)
        : Event(mode_of(info.mode), &buffer->device->queue()),
          buffer_(std::move(buffer)),
          mode_(mode),
          offset_(offset),
          bytes_(bytes),
          info_(info),
          work_(std::move(work)) {}

    /// Ends it before it has begun. Precondition: the buffer's mutex is locked.
    void abort(std::string_view why) { abortion_ = why; }

    bool is_ready() override {
        {
            const std::lock_guard lock(buffer_->mutex_);
            if (!abortion_.empty()) return true;
        }
        return work_.is_done();
    }
    void wait(std::chrono::nanoseconds most) override { work_.wait(most); }
    bool on_ready(std::function<void()> then) override { return work_.on_done(std::move(then)); }

    void call(bool is_cancelled) override {
        std::string message;
        const WGPUMapAsyncStatus status = end(is_cancelled, message);
        if (info_.callback != nullptr)
            info_.callback(status, view_of(message), info_.userdata1, info_.userdata2);
    }

  private:
    WGPUMapAsyncStatus end(bool is_cancelled, std::string& message) {
        const std::lock_guard lock(buffer_->mutex_);
        if (buffer_->pending_.get() == this) buffer_->pending_.reset();
        if (is_cancelled) {
            message = "The instance was released.";
            return WGPUMapAsyncStatus_CallbackCancelled;
        }
        if (!abortion_.empty()) {
            message = abortion_;
            return WGPUMapAsyncStatus_Aborted;
        }
        auto mapped = buffer_->begin_mapping(mode_, offset_, bytes_);
        if (mapped) return WGPUMapAsyncStatus_Success;
        message = mapped.error().to_string();
        return mapped.error().code == ErrorCode::device_lost ? WGPUMapAsyncStatus_Aborted
                                                             : WGPUMapAsyncStatus_Error;
    }

    const Ref<GpuBuffer> buffer_;
    const WGPUMapMode mode_;
    const std::uint64_t offset_, bytes_;
    const WGPUBufferMapCallbackInfo info_;
    const SubmittedWork work_;
    std::string abortion_;  // guarded by the buffer's mutex
};

namespace {

struct UsageName {
    WGPUBufferUsage bit;
    std::string_view name;
};
constexpr std::array usages{
    UsageName{WGPUBufferUsage_MapRead, "MapRead"},   UsageName{WGPUBufferUsage_MapWrite, "MapWrite"},
    UsageName{WGPUBufferUsage_CopySrc, "CopySrc"},   UsageName{WGPUBufferUsage_CopyDst, "CopyDst"},
    UsageName{WGPUBufferUsage_Index, "Index"},       UsageName{WGPUBufferUsage_Vertex, "Vertex"},
    UsageName{WGPUBufferUsage_Uniform, "Uniform"},   UsageName{WGPUBufferUsage_Storage, "Storage"},
    UsageName{WGPUBufferUsage_Indirect, "Indirect"}, UsageName{WGPUBufferUsage_QueryResolve, "QueryResolve"}};

std::string shown(WGPUBufferUsage usage) {
    std::vector<std::string_view> names;
    for (const UsageName& each : usages)
        if ((usage & each.bit) != 0) names.push_back(each.name);
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, " | "));
}

/// The rules of createBuffer.
Result<void> check(const GpuDevice& device, const WGPUBufferDescriptor& descriptor) {
    TRY(check_chain(descriptor.nextInChain, "WGPUBufferDescriptor"));
    const std::string label = descriptor.label.data ? label_of(descriptor.label) : std::string();
    const std::string buffer = label.empty() ? "The buffer" : fmt::format("The buffer \"{}\"", label);
    const WGPUBufferUsage usage = descriptor.usage;
    constexpr WGPUBufferUsage all = (WGPUBufferUsage_QueryResolve << 1) - 1;
    if (usage == WGPUBufferUsage_None || (usage & ~all) != 0)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} has the usage 0x{:x}, {}.", buffer, usage,
                                usage == 0 ? "which allows no use" : "with bits that mean nothing"),
                    "combine values of WGPUBufferUsage");
    const auto only_with = [&](WGPUBufferUsage map, WGPUBufferUsage copy) -> Result<void> {
        if ((usage & map) == 0 || (usage & ~(map | copy)) == 0) return {};
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} has the usage {}; {} goes with {} alone.", buffer, shown(usage),
                                shown(map), shown(copy)),
                    "copy to or from another buffer, which is mapped");
    };
    TRY(only_with(WGPUBufferUsage_MapRead, WGPUBufferUsage_CopyDst));
    TRY(only_with(WGPUBufferUsage_MapWrite, WGPUBufferUsage_CopySrc));
    if (descriptor.size > device.limits.maxBufferSize)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("{} has {} bytes; the device's maxBufferSize is {}.", buffer, descriptor.size,
                                device.limits.maxBufferSize),
                    "use several buffers, or require a larger limit of the device");
    if (descriptor.mappedAtCreation != 0)
        TRY(check_multiple("size of a buffer mapped at creation", descriptor.size, 4));
    return {};
}

/// True for devices whose kernels use the host's memory as it is: a CPU any, those that share it whole pages.
bool computes_in_host_memory(const GpuDevice& device, std::uint64_t bytes) {
    const DeviceInfo& info = device.adapter->chosen.device;
    if (info.kind == DeviceKind::cpu && !info.software_emulated) return true;
    return shares_host_memory(info) && bytes >= HostMemory::least_shared && bytes % HostMemory::page == 0;
}

Result<std::shared_ptr<Storage>> make_storage(GpuDevice& device, const WGPUBufferDescriptor& descriptor) {
    if (descriptor.size == 0 || device.is_lost()) return nullptr;
    MemoryCharge charge = TRY(MemoryCharge::take(*device.adapter, descriptor.size));
    const bool is_mappable = descriptor.mappedAtCreation != 0 ||
                             (descriptor.usage & (WGPUBufferUsage_MapRead | WGPUBufferUsage_MapWrite)) != 0;
    if (!is_mappable || !computes_in_host_memory(device, descriptor.size)) {
        auto buffer = device.session.buffer(descriptor.size);
        if (!buffer && buffer.error().code == ErrorCode::limit_exceeded)  // of memory, not of WebGPU
            buffer.error().code = ErrorCode::out_of_memory;
        return std::make_shared<Storage>(Storage{std::move(charge), {}, TRY(std::move(buffer))});
    }
    HostMemory host = HostMemory::allocate(descriptor.size);
    if (!host)
        return fail(ErrorCode::out_of_memory,
                    fmt::format("The host has no {} bytes left for a buffer.", descriptor.size),
                    "use smaller buffers, or destroy some");
    muster::Buffer buffer = TRY(device.session.buffer_over(std::span(host.begin(), descriptor.size)));
    return std::make_shared<Storage>(Storage{std::move(charge), std::move(host), std::move(buffer)});
}

}  // namespace

Result<void> check_multiple(std::string_view what, std::uint64_t value, std::uint64_t of) {
    if (value % of == 0) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("The {} is {}, which isn't a multiple of {}.", what, value, of),
                fmt::format("use a multiple of {}", of));
}

Result<void> check_range(const GpuBuffer& buffer, std::string_view what, std::uint64_t offset,
                         std::uint64_t bytes) {
    if (offset <= buffer.size && bytes <= buffer.size - offset) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("The {} has {} bytes from byte {} on; the {} has {}.", what, bytes, offset,
                            buffer.shown(), buffer.size),
                "stay within the buffer");
}

Result<void> check_usage(const GpuBuffer& buffer, WGPUBufferUsage wanted, std::string_view use) {
    if (buffer.has(wanted)) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("The {} is {}, and its usage is {}, without {}.", buffer.shown(), use,
                            shown(buffer.usage), shown(wanted)),
                fmt::format("create it with WGPUBufferUsage_{}", shown(wanted)));
}

}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

WGPUBufferImpl::WGPUBufferImpl(Ref<GpuDevice> device, const WGPUBufferDescriptor& descriptor, bool is_valid,
                               std::shared_ptr<Storage> storage)
    : DeviceObject(Kind::buffer, std::move(device), label_of(descriptor.label), is_valid),
      size(descriptor.size),
      usage(descriptor.usage),
      storage_(std::move(storage)) {
    this->device->add_buffer(this);
}

WGPUBufferImpl::~WGPUBufferImpl() { device->remove_buffer(this); }

std::shared_ptr<Storage> WGPUBufferImpl::storage() const {
    const std::lock_guard lock(mutex_);
    return storage_;
}

Result<void> WGPUBufferImpl::free_for_work() const {
    const std::lock_guard lock(mutex_);
    if (is_destroyed_)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The {} is used after it was destroyed.", shown()),
                    "destroy it once all work that uses it has been submitted");
    if (mapping_ || pending_)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The {} is used while it is {}.", shown(),
                                mapping_ ? "mapped" : "about to be mapped"),
                    "unmap it before (wgpuBufferUnmap)");
    return {};
}

WGPUBufferMapState WGPUBufferImpl::map_state() const {
    const std::lock_guard lock(mutex_);
    return mapping_   ? WGPUBufferMapState_Mapped
           : pending_ ? WGPUBufferMapState_Pending
                      : WGPUBufferMapState_Unmapped;
}

Result<void> WGPUBufferImpl::map_at_creation() {
    const std::lock_guard lock(mutex_);
    Mapping made{.mode = WGPUMapMode_Write, .offset = 0, .bytes = size, .copy = {}};
    if (storage_ && storage_->host) {
        made.begin = storage_->host.begin();
    } else {
        made.copy = HostMemory::allocate(size);
        if (!made.copy)
            return fail(ErrorCode::out_of_memory,
                        fmt::format("The host has no {} bytes left to map the {}.", size, shown()),
                        "write it from the queue (wgpuQueueWriteBuffer)");
        made.begin = made.copy.begin();
    }
    mapping_ = std::move(made);
    return {};
}

/// The rules of mapAsync. Precondition: the mutex is locked.
Result<void> WGPUBufferImpl::check_map(WGPUMapMode mode, std::uint64_t offset, std::uint64_t bytes) const {
    if (mapping_ || pending_)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The {} is already {}.", shown(), mapping_ ? "mapped" : "about to be mapped"),
                    "unmap it before (wgpuBufferUnmap)");
    TRY(usable_by(*device));
    if (is_destroyed_)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The {} is mapped after it was destroyed.", shown()), "destroy it later");
    if (mode != WGPUMapMode_Read && mode != WGPUMapMode_Write)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The mode of mapping the {} is {}.", shown(), mode),
                    "use WGPUMapMode_Read or WGPUMapMode_Write, not both");
    TRY(check_usage(*this, mode == WGPUMapMode_Read ? WGPUBufferUsage_MapRead : WGPUBufferUsage_MapWrite,
                    mode == WGPUMapMode_Read ? "mapped for reading" : "mapped for writing"));
    TRY(check_multiple("offset of a mapping", offset, 8));
    TRY(check_multiple("size of a mapping", bytes, 4));
    return check_range(*this, "mapping", offset, bytes);
}

WGPUFuture WGPUBufferImpl::map(WGPUMapMode mode, std::uint64_t offset, std::uint64_t bytes,
                               const WGPUBufferMapCallbackInfo& info) {
    if (bytes == WGPU_WHOLE_MAP_SIZE) bytes = size - std::min(offset, size);
    std::shared_ptr<MapEvent> event;
    Result<void> valid;
    SubmittedWork work = device->queue().submitted();  // before the lock: the queue locks buffers
    {
        const std::lock_guard lock(mutex_);
        if (!device->is_lost()) valid = check_map(mode, offset, bytes);
        if (valid && !device->is_lost()) {
            event = std::make_shared<MapEvent>(this, mode, offset, bytes, info, std::move(work));
            pending_ = event;
        }
    }
    if (event) return device->instance().futures->add(std::move(event));
    device->attempt("wgpuBufferMapAsync", [&] { return valid; });
    const bool is_lost = valid.has_value();
    return done(device->instance(), info.mode, [=, valid = std::move(valid)](bool is_cancelled) {
        if (info.callback == nullptr) return;
        const std::string message = is_cancelled ? "The instance was released."
                                    : is_lost    ? "The device is lost."
                                                 : valid.error().to_string();
        info.callback(is_cancelled ? WGPUMapAsyncStatus_CallbackCancelled
                      : is_lost    ? WGPUMapAsyncStatus_Aborted
                                   : WGPUMapAsyncStatus_Error,
                      view_of(message), info.userdata1, info.userdata2);
    });
}

/// Precondition: the mutex is locked, and work that uses the buffer has ended.
Result<void> WGPUBufferImpl::begin_mapping(WGPUMapMode mode, std::uint64_t offset, std::uint64_t bytes) {
    if (device->is_lost()) return fail(ErrorCode::device_lost, "The device is lost.", "request another one");
    Mapping made{.mode = mode, .offset = offset, .bytes = bytes, .copy = {}};
    if (storage_ && storage_->host) {
        TRY(storage_->buffer.sync());  // from now on the host's
        made.begin = storage_->host.begin() + offset;
    } else {
        made.copy = HostMemory::allocate(bytes, offset);
        if (!made.copy)
            return fail(ErrorCode::out_of_memory,
                        fmt::format("The host has no {} bytes left to map the {}.", bytes, shown()),
                        "map a part of it");
        made.begin = made.copy.begin();
        if (storage_) TRY(storage_->buffer.read_bytes({made.begin, bytes}, offset));
    }
    mapping_ = std::move(made);
    return {};
}

Result<std::span<std::byte>> WGPUBufferImpl::mapped_range(std::uint64_t offset, std::uint64_t bytes,
                                                          Access access) {
    const std::lock_guard lock(mutex_);
    if (!mapping_)
        return fail(ErrorCode::invalid_argument, fmt::format("The {} isn't mapped.", shown()),
                    pending_ ? "wait for the callback of wgpuBufferMapAsync" : "map it (wgpuBufferMapAsync)");
    // The Python package wgpu reads through wgpuBufferGetMappedRange, which wgpu-native allows.
    if (access == Access::pointer && mapping_->mode == WGPUMapMode_Read)
        log_once(
            LogLevel::info, "webgpu mapped range",
            fmt::format(
                "wgpuBufferGetMappedRange is called for the {}, which is mapped for reading: what is written "
                "there is lost. wgpuBufferGetConstMappedRange is for reading.",
                shown()));
    if (access == Access::write && mapping_->mode != WGPUMapMode_Write)
        return fail(ErrorCode::invalid_argument, fmt::format("The {} is mapped for reading alone.", shown()),
                    "map it for writing");
    TRY(check_multiple("offset of a mapped range", offset, 8));
    TRY(check_multiple("size of a mapped range", bytes, 4));
    const std::uint64_t end = mapping_->offset + mapping_->bytes;
    if (offset < mapping_->offset || offset > end || bytes > end - offset)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The range has {} bytes from byte {} on; of the {}, bytes {} to {} are mapped.",
                        bytes, offset, shown(), mapping_->offset, end),
            "stay within what is mapped");
    return std::span(mapping_->begin + (offset - mapping_->offset), bytes);
}

/// Precondition: the mutex is locked.
std::optional<WGPUBufferImpl::Mapping> WGPUBufferImpl::end_mapping(std::shared_ptr<MapEvent>& pending) {
    pending = std::exchange(pending_, nullptr);
    return std::exchange(mapping_, std::nullopt);
}

void WGPUBufferImpl::unmap() {
    std::shared_ptr<MapEvent> pending;
    Result<void> written;
    {
        const std::lock_guard lock(mutex_);
        const auto mapping = end_mapping(pending);
        if (pending) pending->abort("The buffer was unmapped before the mapping began.");
        if (mapping && mapping->mode == WGPUMapMode_Write && mapping->copy && storage_ && !device->is_lost())
            written = storage_->buffer.write_bytes({mapping->begin, mapping->bytes}, mapping->offset);
    }
    device->attempt("wgpuBufferUnmap", [&] { return written; });
    if (pending && pending->mode() == WGPUCallbackMode_AllowSpontaneous)
        device->instance().futures->call_spontaneously(pending->id());
}

void WGPUBufferImpl::destroy() {
    std::shared_ptr<MapEvent> pending;
    std::shared_ptr<Storage> storage;  // freed without the lock
    {
        const std::lock_guard lock(mutex_);
        (void)end_mapping(pending);
        if (pending) pending->abort("The buffer was destroyed before the mapping began.");
        is_destroyed_ = true;
        storage = std::move(storage_);
    }
    if (pending && pending->mode() == WGPUCallbackMode_AllowSpontaneous)
        device->instance().futures->call_spontaneously(pending->id());
}

WGPUBuffer wgpuDeviceCreateBuffer(WGPUDevice device, WGPUBufferDescriptor const* descriptor) {
    constexpr std::string_view call = "wgpuDeviceCreateBuffer";
    std::shared_ptr<Storage> storage;
    bool has_memory = true;
    const bool is_valid = device->attempt(call, [&]() -> Result<void> {
        TRY(check(*device, *descriptor));
        auto made = make_storage(*device, *descriptor);
        if (made) {
            storage = *std::move(made);
            return {};
        }
        has_memory = made.error().code != ErrorCode::out_of_memory;
        return std::unexpected(std::move(made).error());
    });
    const bool maps = descriptor->mappedAtCreation != 0;
    if (maps && !has_memory) return nullptr;
    auto* buffer = new GpuBuffer(device, *descriptor, is_valid, std::move(storage));
    if (maps && !device->attempt(call, [&] { return buffer->map_at_creation(); })) {
        buffer->release();
        return nullptr;
    }
    return buffer;
}

MUSTER_WEBGPU_OBJECT(Buffer)
void wgpuBufferDestroy(WGPUBuffer buffer) { buffer->destroy(); }
void wgpuBufferUnmap(WGPUBuffer buffer) { buffer->unmap(); }
uint64_t wgpuBufferGetSize(WGPUBuffer buffer) { return buffer->size; }
WGPUBufferUsage wgpuBufferGetUsage(WGPUBuffer buffer) { return buffer->usage; }
WGPUBufferMapState wgpuBufferGetMapState(WGPUBuffer buffer) { return buffer->map_state(); }

WGPUFuture wgpuBufferMapAsync(WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size,
                              WGPUBufferMapCallbackInfo info) {
    return buffer->map(mode, offset, size, info);
}

namespace {

void* mapped(std::string_view call, GpuBuffer& buffer, std::size_t offset, std::size_t size,
             GpuBuffer::Access access) {
    if (size == WGPU_WHOLE_MAP_SIZE) size = buffer.size - std::min<std::uint64_t>(offset, buffer.size);
    const auto range = buffer.mapped_range(offset, size, access);
    if (range) return range->data();
    log_misuse(call, range.error());
    return nullptr;
}

}  // namespace

void* wgpuBufferGetMappedRange(WGPUBuffer buffer, size_t offset, size_t size) {
    return mapped("wgpuBufferGetMappedRange", *buffer, offset, size, GpuBuffer::Access::pointer);
}
void const* wgpuBufferGetConstMappedRange(WGPUBuffer buffer, size_t offset, size_t size) {
    return mapped("wgpuBufferGetConstMappedRange", *buffer, offset, size, GpuBuffer::Access::read);
}

WGPUStatus wgpuBufferReadMappedRange(WGPUBuffer buffer, size_t offset, void* data, size_t size) {
    const auto range = buffer->mapped_range(offset, size, GpuBuffer::Access::read);
    if (!range) return log_misuse("wgpuBufferReadMappedRange", range.error()), WGPUStatus_Error;
    if (size != 0) std::memcpy(data, range->data(), size);
    return WGPUStatus_Success;
}

WGPUStatus wgpuBufferWriteMappedRange(WGPUBuffer buffer, size_t offset, void const* data, size_t size) {
    const auto range = buffer->mapped_range(offset, size, GpuBuffer::Access::write);
    if (!range) return log_misuse("wgpuBufferWriteMappedRange", range.error()), WGPUStatus_Error;
    if (size != 0) std::memcpy(range->data(), data, size);
    return WGPUStatus_Success;
}
