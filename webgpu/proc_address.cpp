// wgpuGetProcAddress: what this library exports, by name.
#include <string>

#include <muster/driver/platform/driver_library.hpp>
#include <muster/webgpu/object.hpp>

WGPUProc wgpuGetProcAddress(WGPUStringView name) {
    const std::string text = muster::webgpu::label_of(name);
    if (!text.starts_with("wgpu")) return nullptr;
    return reinterpret_cast<WGPUProc>(
        muster::exported_beside(reinterpret_cast<void*>(&wgpuGetProcAddress), text.c_str()));
}
