// buffer.hpp - buffers, and their mapping to the host's memory.
//
// A buffer that a program may map lies in host memory of its own on devices that compute there, so that
// mapping copies nothing: kernels use that memory in place. On other devices the mapped part is copied when
// the mapping begins, and when it ends. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include <muster/driver/device/buffer.hpp>
#include <muster/webgpu/device.hpp>
#include <muster/webgpu/memory.hpp>

namespace muster::webgpu {

/// Zeroed host memory, aligned as well as mapped pointers should be. Pages that are
/// never written take no memory.
class HostMemory {
  public:
    static constexpr std::size_t usual_alignment = 256, page = 4096;
    /// The least bytes that devices which share the host's memory take as they are, from a page's beginning.
    static constexpr std::size_t least_shared = 1 << 16;
    /// Memory for bytes that begin at this offset of something aligned, to pages if they are
    /// many; empty if there is none.
    static HostMemory allocate(std::uint64_t bytes, std::uint64_t offset = 0);
    HostMemory() = default;
    explicit operator bool() const { return memory_ != nullptr; }
    std::byte* begin() const { return begin_; }

  private:
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> memory_;
    std::byte* begin_ = nullptr;
};

/// The bytes of a buffer. Work in flight keeps them.
struct Storage {
    MemoryCharge charge;
    HostMemory host;  // in which the buffer's bytes lie, if it is there
    muster::Buffer buffer;
};

class MapEvent;

}  // namespace muster::webgpu

struct WGPUBufferImpl final : muster::webgpu::DeviceObject {
    WGPUBufferImpl(muster::webgpu::Ref<muster::webgpu::GpuDevice> device,
                   const WGPUBufferDescriptor& descriptor, bool is_valid,
                   std::shared_ptr<muster::webgpu::Storage> storage);
    ~WGPUBufferImpl() override;

    const std::uint64_t size;
    const WGPUBufferUsage usage;

    bool has(WGPUBufferUsage wanted) const { return (usage & wanted) == wanted; }
    /// Null for a buffer that is invalid, destroyed or empty.
    std::shared_ptr<muster::webgpu::Storage> storage() const;
    /// Errors: invalid_argument, if work can't use it now: it is mapped, about to be, or destroyed.
    muster::Result<void> free_for_work() const;

    WGPUBufferMapState map_state() const;
    WGPUFuture map(WGPUMapMode mode, std::uint64_t offset, std::uint64_t bytes,
                   const WGPUBufferMapCallbackInfo& info);
    /// Maps all of the buffer for writing, as it is created. Errors: out_of_memory.
    muster::Result<void> map_at_creation();
    /// `pointer` may be used for either, so that it is given for any mapping.
    enum class Access : std::uint8_t { read, write, pointer };
    /// The mapped bytes. Ranges may overlap. Errors: invalid_argument.
    muster::Result<std::span<std::byte>> mapped_range(std::uint64_t offset, std::uint64_t bytes,
                                                      Access access);
    void unmap();
    void destroy();

  private:
    friend class muster::webgpu::MapEvent;
    struct Mapping {
        WGPUMapMode mode = WGPUMapMode_Read;
        std::uint64_t offset = 0, bytes = 0;
        muster::webgpu::HostMemory copy;  // unless the bytes lie in host memory
        std::byte* begin = nullptr;
    };
    muster::Result<void> check_map(WGPUMapMode mode, std::uint64_t offset, std::uint64_t bytes) const;
    muster::Result<void> begin_mapping(WGPUMapMode mode, std::uint64_t offset, std::uint64_t bytes);
    std::optional<Mapping> end_mapping(std::shared_ptr<muster::webgpu::MapEvent>& pending);

    mutable std::mutex mutex_;  // guards what follows
    std::shared_ptr<muster::webgpu::Storage> storage_;
    bool is_destroyed_ = false;
    std::optional<Mapping> mapping_;
    std::shared_ptr<muster::webgpu::MapEvent> pending_;
};

namespace muster::webgpu {

using GpuBuffer = ::WGPUBufferImpl;

/// Checks that the bytes [offset, offset + bytes) are in the buffer. Errors: invalid_argument.
Result<void> check_range(const GpuBuffer& buffer, std::string_view what, std::uint64_t offset,
                         std::uint64_t bytes);
/// Checks that a number is a multiple. Errors: invalid_argument.
Result<void> check_multiple(std::string_view what, std::uint64_t value, std::uint64_t of);
/// Checks the usage. `use`: "copied from". Errors: invalid_argument.
Result<void> check_usage(const GpuBuffer& buffer, WGPUBufferUsage wanted, std::string_view use);

}  // namespace muster::webgpu
