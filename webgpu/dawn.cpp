// The functions that Dawn adds to webgpu.h and that are about computing. Those about textures,
// and about memory that is shared with other interfaces, are left out: they are behind features
// that no adapter of ours has.
#include <muster/webgpu/header.hpp>

#ifdef MUSTER_WEBGPU_HAS_DAWN_H

#include <muster/webgpu/queue.hpp>

using namespace muster;
using namespace muster::webgpu;

WGPUInstance wgpuAdapterGetInstance(WGPUAdapter adapter) {
    adapter->instance->add_ref();
    return adapter->instance.get();
}

/// Null if it can't be made.
WGPUDevice wgpuAdapterCreateDevice(WGPUAdapter adapter, WGPUDeviceDescriptor const* descriptor) {
    WGPUDevice made = nullptr;
    WGPURequestDeviceCallbackInfo info = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowSpontaneous;
    info.userdata1 = &made;
    info.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView, void* to, void*) {
        *static_cast<WGPUDevice*>(to) = device;
    };
    wgpuAdapterRequestDevice(adapter, descriptor, info);
    return made;
}

WGPUAdapter wgpuDeviceGetAdapter(WGPUDevice device) {
    device->adapter->add_ref();
    return device->adapter.get();
}

void wgpuDeviceTick(WGPUDevice device) { wgpuInstanceProcessEvents(&device->instance()); }

void wgpuDeviceForceLoss(WGPUDevice device, WGPUDeviceLostReason reason, WGPUStringView message) {
    device->lose(reason, label_of(message));
}

void wgpuDeviceInjectError(WGPUDevice device, WGPUErrorType type, WGPUStringView message) {
    device->report(type, label_of(message));
}

// Programs in C++ free what an adapter has filled in, also where it has none of it.
void wgpuAdapterPropertiesMemoryHeapsFreeMembers(WGPUAdapterPropertiesMemoryHeaps) {}
void wgpuAdapterPropertiesSubgroupMatrixConfigsFreeMembers(WGPUAdapterPropertiesSubgroupMatrixConfigs) {}

/// Never called: what muster has to say goes to its log.
void wgpuDeviceSetLoggingCallback(WGPUDevice, WGPULoggingCallbackInfo) {}

#endif
