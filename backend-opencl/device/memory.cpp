#include <muster/backend-opencl/device/memory.hpp>

namespace muster::opencl {

// Waits, since the caller may free the memory next. A failure leaves nothing to do.
void DeviceMemory::unmap() {
    UniqueEvent unmapped(*api_);
    const cl_int code =
        api_->clEnqueueUnmapMemObject.pointer(copies_, buffer(), mapped_.address, 0, nullptr, unmapped.out());
    if (code != CL_SUCCESS) return;
    const cl_event event = unmapped.get();
    (void)api_->clWaitForEvents.pointer(1, &event);
}

}  // namespace muster::opencl
