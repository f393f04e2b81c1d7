#include <cstdlib>

#include <fmt/format.h>

#include <muster/backend-reference/memory.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::reference {
namespace {

class HostMemory final : public Memory {
  public:
    HostMemory(std::byte* data, std::uint64_t bytes) : data_(data), bytes_(bytes) {}
    ~HostMemory() override { std::free(data_); }
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    std::uint64_t bytes() const override { return bytes_; }
    std::span<std::byte> all() const { return {data_, bytes_}; }

  private:
    std::byte* data_;
    std::uint64_t bytes_;
};

}  // namespace

Result<std::unique_ptr<Memory>> allocate_host(std::uint64_t bytes) {
    std::byte* data = nullptr;
    TRY(check_errno("calloc", [&] {
        data = static_cast<std::byte*>(std::calloc(bytes, 1));
        return data ? 0 : ENOMEM;
    }));
    return std::make_unique<HostMemory>(data, bytes);
}

std::span<std::byte> host_bytes(const Memory& memory) { return static_cast<const HostMemory&>(memory).all(); }

}  // namespace muster::reference
