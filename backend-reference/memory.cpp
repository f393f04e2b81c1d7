#include <cstdlib>

#include <fmt/format.h>

#include <muster/backend-reference/memory.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::reference {
namespace {

class HostMemory final : public Memory {
  public:
    HostMemory() = default;
    ~HostMemory() override {
        if (!is_borrowed_) std::free(data_);
    }
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    /// Zeroed. Returns false if there is no memory.
    bool allocate(std::uint64_t bytes) {
        data_ = static_cast<std::byte*>(std::calloc(bytes, 1));
        bytes_ = bytes;
        return data_ != nullptr;
    }
    void borrow(std::span<std::byte> host) {
        data_ = host.data();
        bytes_ = host.size();
        is_borrowed_ = true;
    }
    std::uint64_t bytes() const override { return bytes_; }
    std::span<std::byte> all() const { return {data_, bytes_}; }

  private:
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0;
    bool is_borrowed_ = false;
};

}  // namespace

Result<std::unique_ptr<Memory>> allocate_host(std::uint64_t bytes) {
    auto memory = std::make_unique<HostMemory>();
    TRY(check_errno("calloc", [&] { return memory->allocate(bytes) ? 0 : ENOMEM; }));
    return memory;
}

std::unique_ptr<Memory> wrap_host(std::span<std::byte> host) {
    auto memory = std::make_unique<HostMemory>();
    memory->borrow(host);
    return memory;
}

std::span<std::byte> host_bytes(const Memory& memory) { return static_cast<const HostMemory&>(memory).all(); }

}  // namespace muster::reference
