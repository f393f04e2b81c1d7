// What an adapter of libmuster_webgpu says of itself, in C.
#include <stdio.h>

#include <webgpu.h>

static void got(WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView message, void* to, void* unused) {
    (void)unused;
    if (status != WGPURequestAdapterStatus_Success) fprintf(stderr, "%.*s\n", (int)message.length, message.data);
    *(WGPUAdapter*)to = adapter;
}

int main(void) {
    WGPUInstance instance = wgpuCreateInstance(NULL);
    WGPUAdapter adapter = NULL;
    WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowSpontaneous;
    info.callback = got;
    info.userdata1 = &adapter;
    wgpuInstanceRequestAdapter(instance, NULL, info);
    if (!adapter) return 1;
    WGPUAdapterInfo told = WGPU_ADAPTER_INFO_INIT;
    wgpuAdapterGetInfo(adapter, &told);
    printf("%.*s\n", (int)told.description.length, told.description.data);
    wgpuAdapterInfoFreeMembers(told);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
    return 0;
}
