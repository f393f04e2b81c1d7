// wgpuGetProcAddress: what this library exports, by name.
#include <string>

#include <dlfcn.h>

#include <muster/webgpu/object.hpp>

WGPUProc wgpuGetProcAddress(WGPUStringView name) {
    const std::string text = muster::webgpu::label_of(name);
    if (!text.starts_with("wgpu")) return nullptr;
    // This library itself, though the program may have opened it for nobody else to see.
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&wgpuGetProcAddress), &here) == 0) return nullptr;
    void* const own = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (own == nullptr) return nullptr;
    void* const found = dlsym(own, text.c_str());
    dlclose(own);
    return reinterpret_cast<WGPUProc>(found);
}
