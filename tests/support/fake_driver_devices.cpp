// The fake driver's devices and contexts.
#include <support/fake_driver_state.hpp>

namespace muster::test {

void FakeDriver::State::fill_devices() {
    table.cuInit = [](unsigned) { return Call("cuInit")->fake.init; };
    table.cuDriverGetVersion = [](int* version) {
        *version = Call("cuDriverGetVersion")->fake.version;
        return CUDA_SUCCESS;
    };
    table.cuDeviceGetCount = [](int* count) {
        *count = static_cast<int>(Call("cuDeviceGetCount")->fake.devices.size());
        return CUDA_SUCCESS;
    };
    table.cuDeviceGet = [](CUdevice* device, int ordinal) {
        *device = ordinal;
        const bool there = static_cast<std::size_t>(ordinal) < Call("cuDeviceGet")->fake.devices.size();
        return there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    };
    table.cuDeviceGetName = [](char* name, int bytes, CUdevice device) {
        Call call("cuDeviceGetName");
        const std::string& given = call->fake.devices[static_cast<std::size_t>(device)].name;
        name[given.copy(name, static_cast<std::size_t>(bytes) - 1)] = '\0';
        return CUDA_SUCCESS;
    };
    table.cuDeviceGetUuid = [](CUuuid* uuid, CUdevice device) {
        Call call("cuDeviceGetUuid");
        std::memcpy(uuid, call->fake.devices[static_cast<std::size_t>(device)].uuid.data(), sizeof *uuid);
        return CUDA_SUCCESS;
    };
    table.cuDeviceTotalMem = [](std::size_t* bytes, CUdevice device) {
        *bytes = Call("cuDeviceTotalMem")->fake.devices[static_cast<std::size_t>(device)].memory_bytes;
        return CUDA_SUCCESS;
    };
    table.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice ordinal) {
        Call call("cuDeviceGetAttribute");
        const FakeDevice& device = call->fake.devices[static_cast<std::size_t>(ordinal)];
        const std::map<int, int> values{
            {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
            {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
            {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
            {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
            {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, INT32_MAX},
            {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
            {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
            {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
            {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
            {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, device.cooperative},
            {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device.multiprocessors},
            {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device.shared_bytes},
            {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device.major},
            {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device.minor},
            {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device.pools},
            {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1'980'000},
            {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
            {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0x3b},
            {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
            {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
            {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device.prohibited ? 2 : 0}};
        const auto found = values.find(which);
        if (found == values.end())
            return call->complain(fmt::format("attribute {} isn't known", static_cast<int>(which)));
        *value = found->second;
        return CUDA_SUCCESS;
    };
}

void FakeDriver::State::fill_contexts() {
    table.cuDevicePrimaryCtxRetain = [](CUcontext* handle, CUdevice device) {
        Call call("cuDevicePrimaryCtxRetain");
        Context*& context = call->primary[device];
        if (!context) {
            context = call->add(call->contexts);
            context->device = device;
        }
        if (context->broken != CUDA_SUCCESS && !call->fake.retains_broken) return context->broken;
        ++context->retained;
        *handle = as<CUcontext>(context);
        return CUDA_SUCCESS;
    };
    table.cuDevicePrimaryCtxRelease = [](CUdevice device) {
        Call call("cuDevicePrimaryCtxRelease");
        const auto found = call->primary.find(device);
        if (found == call->primary.end()) return CUDA_ERROR_INVALID_CONTEXT;  // like after a reset
        Context* const context = found->second;
        if (--context->retained != 0) return CUDA_SUCCESS;
        if (context->broken == CUDA_SUCCESS && call->holds_anything(context))
            call->complain("cuDevicePrimaryCtxRelease: something is left in the context");
        call->destroy(call.lock, context);
        return CUDA_SUCCESS;
    };
    table.cuDevicePrimaryCtxReset = [](CUdevice device) {
        Call call("cuDevicePrimaryCtxReset");
        const auto found = call->primary.find(device);
        if (found == call->primary.end()) return CUDA_ERROR_INVALID_CONTEXT;
        if (!call->fake.resets) return found->second->broken;
        call->destroy(call.lock, found->second);
        return CUDA_SUCCESS;
    };
    table.cuCtxPushCurrent = [](CUcontext handle) {
        Call call("cuCtxPushCurrent");
        Context* const context = call->find(call->contexts, handle, call.name);
        if (!context) return CUDA_ERROR_INVALID_CONTEXT;
        pushed_contexts.push_back(context);
        return CUDA_SUCCESS;
    };
    table.cuCtxPopCurrent = [](CUcontext* handle) {
        Call call("cuCtxPopCurrent");
        if (pushed_contexts.empty()) return call->complain("cuCtxPopCurrent: the thread has no context");
        *handle = as<CUcontext>(pushed_contexts.back());
        pushed_contexts.pop_back();
        return CUDA_SUCCESS;
    };
}

}  // namespace muster::test
