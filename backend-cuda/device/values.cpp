#include <algorithm>
#include <cstring>

#include <muster/backend-cuda/device/values.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cuda {
namespace {

constexpr std::uint64_t size_step = 1024;

}  // namespace

Values::Unused& Values::of_size(std::uint64_t bytes) {
    const auto found = std::ranges::find(unused_, bytes, &Unused::bytes);
    if (found != unused_.end()) return *found;
    return unused_.emplace_back(Unused{.bytes = bytes, .made = 0, .buffers = {}});
}

Result<Values::ValueBuffer> Values::place(std::span<const std::byte> value) {
    Unused& unused = of_size(round_up(std::max<std::uint64_t>(value.size(), 1), size_step));
    std::unique_ptr<Memory> memory;
    if (!unused.buffers.empty()) {
        memory = std::move(unused.buffers.back());
        unused.buffers.pop_back();
    } else {
        memory = std::make_unique<Memory>();
        memory->host = TRY(make_host_memory(context_, unused.bytes));
        memory->device = TRY(DeviceMemory::allocate(transfer_, unused.bytes));
        unused.buffers.reserve(++unused.made);  // so that returning a buffer never allocates
    }
    std::memcpy(memory->host.get(), value.data(), value.size());
    return ValueBuffer(*this, std::move(memory));
}

Result<void> Values::copy(const ValueBuffer& buffer, std::size_t bytes, CUstream stream) {
    return context_.check("cuMemcpyHtoDAsync", [&] {
        return context_.table().cuMemcpyHtoDAsync(buffer.memory().device->address(),
                                                  buffer.memory().host.get(), bytes, stream);
    });
}

void Values::give(std::unique_ptr<Memory> buffer) noexcept {
    of_size(buffer->device->bytes()).buffers.push_back(std::move(buffer));
}

}  // namespace muster::cuda
