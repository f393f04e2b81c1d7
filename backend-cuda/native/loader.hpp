// loader.hpp - opens NVIDIA's driver library, libcuda, when it is first needed, and looks up its functions.
//
// The functions are those that CUDA 12.0 defines, whatever the version of the library and the headers. Once
// opened the library stays open. A failure isn't cached. Threads: any.
#pragma once

#include <muster/backend-cuda/native/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cuda {

/// The driver functions in use. A plain value, so that a test can substitute its own.
struct DriverTable {
    PFN_cuInit_v2000 cuInit = nullptr;
    PFN_cuDriverGetVersion_v2020 cuDriverGetVersion = nullptr;

    PFN_cuDeviceGet_v2000 cuDeviceGet = nullptr;
    PFN_cuDeviceGetCount_v2000 cuDeviceGetCount = nullptr;
    PFN_cuDeviceGetName_v2000 cuDeviceGetName = nullptr;
    PFN_cuDeviceGetUuid_v11040 cuDeviceGetUuid = nullptr;
    PFN_cuDeviceTotalMem_v3020 cuDeviceTotalMem = nullptr;
    PFN_cuDeviceGetAttribute_v2000 cuDeviceGetAttribute = nullptr;

    PFN_cuDevicePrimaryCtxRetain_v7000 cuDevicePrimaryCtxRetain = nullptr;
    PFN_cuDevicePrimaryCtxRelease_v11000 cuDevicePrimaryCtxRelease = nullptr;
    PFN_cuDevicePrimaryCtxReset_v11000 cuDevicePrimaryCtxReset = nullptr;
    PFN_cuCtxPushCurrent_v4000 cuCtxPushCurrent = nullptr;
    PFN_cuCtxPopCurrent_v4000 cuCtxPopCurrent = nullptr;

    PFN_cuStreamCreate_v2000 cuStreamCreate = nullptr;
    PFN_cuStreamDestroy_v4000 cuStreamDestroy = nullptr;
    PFN_cuStreamWaitEvent_v3020 cuStreamWaitEvent = nullptr;
    PFN_cuStreamSynchronize_v2000 cuStreamSynchronize = nullptr;
    PFN_cuEventCreate_v2000 cuEventCreate = nullptr;
    PFN_cuEventDestroy_v4000 cuEventDestroy = nullptr;
    PFN_cuEventRecord_v2000 cuEventRecord = nullptr;
    PFN_cuEventQuery_v2000 cuEventQuery = nullptr;
    PFN_cuEventElapsedTime_v2000 cuEventElapsedTime = nullptr;

    PFN_cuMemGetInfo_v3020 cuMemGetInfo = nullptr;
    PFN_cuMemAlloc_v3020 cuMemAlloc = nullptr;
    PFN_cuMemFree_v3020 cuMemFree = nullptr;
    PFN_cuMemPoolCreate_v11020 cuMemPoolCreate = nullptr;
    PFN_cuMemPoolDestroy_v11020 cuMemPoolDestroy = nullptr;
    PFN_cuMemPoolSetAttribute_v11020 cuMemPoolSetAttribute = nullptr;
    PFN_cuMemAllocFromPoolAsync_v11020 cuMemAllocFromPoolAsync = nullptr;
    PFN_cuMemFreeAsync_v11020 cuMemFreeAsync = nullptr;
    PFN_cuMemHostAlloc_v2020 cuMemHostAlloc = nullptr;
    PFN_cuMemFreeHost_v2000 cuMemFreeHost = nullptr;
    PFN_cuMemcpyHtoDAsync_v3020 cuMemcpyHtoDAsync = nullptr;
    PFN_cuMemcpyDtoHAsync_v3020 cuMemcpyDtoHAsync = nullptr;
    PFN_cuMemcpyDtoDAsync_v3020 cuMemcpyDtoDAsync = nullptr;
    PFN_cuMemsetD8Async_v3020 cuMemsetD8Async = nullptr;
    PFN_cuMemsetD32Async_v3020 cuMemsetD32Async = nullptr;
    PFN_cuPointerGetAttribute_v4000 cuPointerGetAttribute = nullptr;

    PFN_cuModuleLoadDataEx_v2010 cuModuleLoadDataEx = nullptr;
    PFN_cuModuleUnload_v2000 cuModuleUnload = nullptr;
    PFN_cuModuleGetFunction_v2000 cuModuleGetFunction = nullptr;
    PFN_cuFuncGetAttribute_v2020 cuFuncGetAttribute = nullptr;
    PFN_cuFuncSetAttribute_v9000 cuFuncSetAttribute = nullptr;
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 cuOccupancyMaxActiveBlocksPerMultiprocessor =
        nullptr;
    PFN_cuLaunchKernel_v4000 cuLaunchKernel = nullptr;
    PFN_cuLaunchKernelEx_v11060 cuLaunchKernelEx = nullptr;
};

/// The oldest supported driver, as cuDriverGetVersion reports it: CUDA 12.0.
inline constexpr int oldest_version = 12000;

/// Errors: not_found (no libcuda), unavailable (it can't be opened, or is older than CUDA 12.0).
Result<DriverTable> open_libcuda();

}  // namespace muster::cuda
