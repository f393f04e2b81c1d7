// memory.hpp - device memory, which backs buffers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <muster/backend-cuda/device/transfer.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::cuda {

class DeviceMemory final : public Memory {
  public:
    DeviceMemory(Transfer& transfer, CUdeviceptr address, std::uint64_t bytes)
        : transfer_(transfer), address_(address), bytes_(bytes) {}
    ~DeviceMemory() override { transfer_.free(address_); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    std::uint64_t bytes() const override { return bytes_; }
    CUdeviceptr address() const { return address_; }

    /// Not zeroed. Errors: out_of_memory, device_lost.
    static Result<std::unique_ptr<DeviceMemory>> allocate(Transfer& transfer, std::uint64_t bytes);

  private:
    Transfer& transfer_;
    const CUdeviceptr address_;
    const std::uint64_t bytes_;
};

/// Precondition: `memory` was allocated by this backend; the driver ensures it.
inline const DeviceMemory& on_device(const Memory& memory) {
    return static_cast<const DeviceMemory&>(memory);
}

}  // namespace muster::cuda
