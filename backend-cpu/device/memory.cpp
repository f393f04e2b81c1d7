#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include <muster/backend-cpu/device/memory.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

/// Allocations from this size on are mapped: the system zeroes their pages on first touch. Below it, a page
/// costs more than zeroing does.
constexpr std::uint64_t mapped_from = std::uint64_t{256} << 10;
/// Size of a huge page. A large array in 4 KB pages takes longer to touch first, and each
/// page is one more TLB miss.
constexpr std::uint64_t large_page = std::uint64_t{2} << 20;

/// Staggers where large arrays begin within their first page. A load whose address agrees in its low 12 bits
/// with a store in flight waits for that store (4K aliasing). If all arrays began alike, a loop that reads
/// just behind the element that it writes would always wait. Later arrays begin earlier: results are mostly
/// allocated after their inputs, and loads that run ahead of the stores don't alias.
constexpr std::uint64_t stagger_bytes = 192, stagger_steps = 16;
std::uint64_t staggered() {
    static std::atomic<std::uint64_t> allocations = 0;
    const std::uint64_t before = allocations.fetch_add(1, std::memory_order_relaxed) % stagger_steps;
    return (stagger_steps - 1 - before) * stagger_bytes;
}

/// Made before what it owns, so that nothing leaks if there is no memory for the object itself.
class HostMemory final : public Memory {
  public:
    HostMemory() = default;
    void own(std::byte* data, std::uint64_t bytes, void* mapping, std::uint64_t mapped_bytes) {
        data_ = data;
        bytes_ = bytes;
        mapping_ = mapping;
        mapped_bytes_ = mapped_bytes;
    }
    void borrow(std::span<std::byte> host) {
        data_ = host.data();
        bytes_ = host.size();
        is_borrowed_ = true;
    }
    ~HostMemory() override {
        if (is_borrowed_) return;
        if (mapping_ != nullptr)
            platform::unmap_pages(mapping_, mapped_bytes_);
        else
            std::free(data_);
    }
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    std::uint64_t bytes() const override { return bytes_; }
    std::span<std::byte> all() const { return {data_, bytes_}; }

  private:
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0;
    void* mapping_ = nullptr;  // null: data_ comes from the C library's heap
    std::uint64_t mapped_bytes_ = 0;
    bool is_borrowed_ = false;
};

Result<std::unique_ptr<Memory>> allocate_small(std::uint64_t bytes) {
    auto memory = std::make_unique<HostMemory>();
    void* data = nullptr;
    TRY(check_errno("posix_memalign",
                    [&] { return posix_memalign(&data, memory_align, std::max<std::uint64_t>(bytes, 1)); }));
    std::memset(data, 0, bytes);
    memory->own(static_cast<std::byte*>(data), bytes, nullptr, 0);
    return memory;
}

Result<std::unique_ptr<Memory>> allocate_mapped(std::uint64_t bytes) {
    if (bytes > UINT64_MAX / 2)  // no machine has that much, and the sums below can't overflow
        return fail(ErrorCode::out_of_memory, "The system has no 2^63 bytes of memory.",
                    "use less memory at once");
    // The extra room lets the array begin at a huge page.
    const std::uint64_t mapped =
        bytes + (bytes >= large_page ? large_page + stagger_bytes * stagger_steps : 0);
    auto memory = std::make_unique<HostMemory>();
    void* mapping = nullptr;
    TRY(check_errno("mmap", [&] { return platform::map_pages(mapped, mapping); }));
    auto* data = static_cast<std::byte*>(mapping);
    if (bytes >= large_page) {
        const auto address = reinterpret_cast<std::uintptr_t>(data);
        data += round_up(address, large_page) - address;
        platform::prefer_huge_pages(data, bytes);
        data += staggered();
    }
    memory->own(data, bytes, mapping, mapped);
    return memory;
}

}  // namespace

Result<std::unique_ptr<Memory>> allocate_host(std::uint64_t bytes) {
    return bytes < mapped_from ? allocate_small(bytes) : allocate_mapped(bytes);
}

std::unique_ptr<Memory> wrap_host(std::span<std::byte> host) {
    auto memory = std::make_unique<HostMemory>();
    memory->borrow(host);
    return memory;
}

std::span<std::byte> host_bytes(const Memory& memory) { return static_cast<const HostMemory&>(memory).all(); }

}  // namespace muster::cpu
