#include <cstring>

#include <muster/backend-cuda/device/values.hpp>

namespace muster::cuda {

Result<Values::ValueBuffer> Values::place(std::span<const std::byte> value) {
    ValueBuffer buffer =
        TRY(pool_.take(value.size(), [&](std::uint64_t bytes) -> Result<std::unique_ptr<Memory>> {
            auto memory = std::make_unique<Memory>();
            memory->host = TRY(make_host_memory(context_, bytes));
            memory->device = TRY(DeviceMemory::allocate(transfer_, bytes));
            return memory;
        }));
    std::memcpy(buffer->host.get(), value.data(), value.size());
    return buffer;
}

Result<void> Values::copy(const ValueBuffer& buffer, std::size_t bytes, CUstream stream) {
    return context_.check("cuMemcpyHtoDAsync", [&] {
        return context_.table().cuMemcpyHtoDAsync(buffer->device->address(), buffer->host.get(), bytes,
                                                  stream);
    });
}

}  // namespace muster::cuda
