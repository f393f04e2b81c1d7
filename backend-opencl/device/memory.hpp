// memory.hpp - a buffer on the device, or over the caller's memory.
//
// OpenCL lets the host access such memory while it is mapped, and kernels while it isn't: it is mapped from
// the beginning, and each launch unmaps it before and maps it again behind (launch.cpp). Threads: any; the
// device's mutex guards mapped().
#pragma once

#include <muster/backend-opencl/native/api.hpp>

namespace muster::opencl {

/// The address of mapped memory, as make() takes it.
struct MappedAddress {
    void* address = nullptr;
    void** out() { return &address; }
};

class DeviceMemory final : public Memory {
  public:
    DeviceMemory(UniqueBuffer buffer, std::uint64_t bytes) : buffer_(std::move(buffer)), bytes_(bytes) {}
    /// Over the caller's memory: once mapped, it is unmapped on `copies` before the buffer is released.
    DeviceMemory(UniqueBuffer buffer, std::uint64_t bytes, const Api& api, cl_command_queue copies)
        : buffer_(std::move(buffer)), bytes_(bytes), api_(&api), copies_(copies) {}
    ~DeviceMemory() override {
        if (host() != nullptr) unmap();
    }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    std::uint64_t bytes() const override { return bytes_; }
    cl_mem buffer() const { return buffer_.get(); }

    /// The caller's memory as the host sees it; null: the buffer is the device's own, or a
    /// lost device has kept it.
    MappedAddress& mapped() { return mapped_; }
    std::byte* host() const { return static_cast<std::byte*>(mapped_.address); }

  private:
    void unmap();

    UniqueBuffer buffer_;
    std::uint64_t bytes_;
    MappedAddress mapped_;
    const Api* api_ = nullptr;
    cl_command_queue copies_ = nullptr;
};

/// Precondition of both: `memory` was made by this backend; the driver ensures it.
inline DeviceMemory& of_device(Memory& memory) { return static_cast<DeviceMemory&>(memory); }
inline const DeviceMemory& of_device(const Memory& memory) {
    return static_cast<const DeviceMemory&>(memory);
}

}  // namespace muster::opencl
