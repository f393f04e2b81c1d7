// memory.hpp - a buffer on the device. Threads: any.
#pragma once

#include <muster/backend-opencl/native/api.hpp>

namespace muster::opencl {

class DeviceMemory final : public Memory {
  public:
    DeviceMemory(UniqueBuffer buffer, std::uint64_t bytes) : buffer_(std::move(buffer)), bytes_(bytes) {}
    std::uint64_t bytes() const override { return bytes_; }
    cl_mem buffer() const { return buffer_.get(); }

  private:
    UniqueBuffer buffer_;
    std::uint64_t bytes_;
};

/// Precondition: `memory` was allocated by this backend; the driver ensures it.
inline cl_mem buffer_of(const Memory& memory) { return static_cast<const DeviceMemory&>(memory).buffer(); }

}  // namespace muster::opencl
