#include <muster/backend-cuda/device/memory.hpp>

namespace muster::cuda {

Result<std::unique_ptr<DeviceMemory>> DeviceMemory::allocate(Transfer& transfer, std::uint64_t bytes) {
    return std::make_unique<DeviceMemory>(transfer, TRY(transfer.allocate(bytes)), bytes);
}

}  // namespace muster::cuda
