#include <string>
#include <type_traits>

#include <fmt/format.h>

#include <muster/backend-cuda/native/check.hpp>
#include <muster/backend-cuda/native/loader.hpp>
#include <muster/driver/platform/driver_library.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cuda {
namespace {

constexpr const char* library_name = "libcuda.so.1";
constexpr const char* install =
    "install NVIDIA's driver, 525 or later, or emit code for a machine that has one: muster emit PROGRAM "
    "--backend cuda";

Error unopened(const Error& why) {
    if (why.code == ErrorCode::refused) return why;
    return {why.code,
            why.code == ErrorCode::not_found
                ? fmt::format("This machine has no NVIDIA driver ({}).", library_name)
                : fmt::format("NVIDIA's driver can't be opened: {}.", why.message),
            install,
            {}};
}

template <class Visit>
void for_each_function(DriverTable& table, Visit&& visit) {
    visit("cuInit", table.cuInit);
    visit("cuDriverGetVersion", table.cuDriverGetVersion);
    visit("cuDeviceGet", table.cuDeviceGet);
    visit("cuDeviceGetCount", table.cuDeviceGetCount);
    visit("cuDeviceGetName", table.cuDeviceGetName);
    visit("cuDeviceGetUuid", table.cuDeviceGetUuid);
    visit("cuDeviceTotalMem", table.cuDeviceTotalMem);
    visit("cuDeviceGetAttribute", table.cuDeviceGetAttribute);
    visit("cuDevicePrimaryCtxRetain", table.cuDevicePrimaryCtxRetain);
    visit("cuDevicePrimaryCtxRelease", table.cuDevicePrimaryCtxRelease);
    visit("cuDevicePrimaryCtxReset", table.cuDevicePrimaryCtxReset);
    visit("cuCtxPushCurrent", table.cuCtxPushCurrent);
    visit("cuCtxPopCurrent", table.cuCtxPopCurrent);
    visit("cuStreamCreate", table.cuStreamCreate);
    visit("cuStreamDestroy", table.cuStreamDestroy);
    visit("cuStreamWaitEvent", table.cuStreamWaitEvent);
    visit("cuStreamSynchronize", table.cuStreamSynchronize);
    visit("cuEventCreate", table.cuEventCreate);
    visit("cuEventDestroy", table.cuEventDestroy);
    visit("cuEventRecord", table.cuEventRecord);
    visit("cuEventQuery", table.cuEventQuery);
    visit("cuEventElapsedTime", table.cuEventElapsedTime);
    visit("cuMemGetInfo", table.cuMemGetInfo);
    visit("cuMemAlloc", table.cuMemAlloc);
    visit("cuMemFree", table.cuMemFree);
    visit("cuMemPoolCreate", table.cuMemPoolCreate);
    visit("cuMemPoolDestroy", table.cuMemPoolDestroy);
    visit("cuMemPoolSetAttribute", table.cuMemPoolSetAttribute);
    visit("cuMemAllocFromPoolAsync", table.cuMemAllocFromPoolAsync);
    visit("cuMemFreeAsync", table.cuMemFreeAsync);
    visit("cuMemHostAlloc", table.cuMemHostAlloc);
    visit("cuMemFreeHost", table.cuMemFreeHost);
    visit("cuMemcpyHtoDAsync", table.cuMemcpyHtoDAsync);
    visit("cuMemcpyDtoHAsync", table.cuMemcpyDtoHAsync);
    visit("cuMemcpyDtoDAsync", table.cuMemcpyDtoDAsync);
    visit("cuMemsetD8Async", table.cuMemsetD8Async);
    visit("cuMemsetD32Async", table.cuMemsetD32Async);
    visit("cuPointerGetAttribute", table.cuPointerGetAttribute);
    visit("cuModuleLoadDataEx", table.cuModuleLoadDataEx);
    visit("cuModuleUnload", table.cuModuleUnload);
    visit("cuModuleGetFunction", table.cuModuleGetFunction);
    visit("cuFuncGetAttribute", table.cuFuncGetAttribute);
    visit("cuFuncSetAttribute", table.cuFuncSetAttribute);
    visit("cuOccupancyMaxActiveBlocksPerMultiprocessor", table.cuOccupancyMaxActiveBlocksPerMultiprocessor);
    visit("cuLaunchKernel", table.cuLaunchKernel);
    visit("cuLaunchKernelEx", table.cuLaunchKernelEx);
}

/// The CUDA version that the library reports, for messages; the library may be of any age.
std::string version_of(const DriverLibrary& library) {
    const auto ask = reinterpret_cast<PFN_cuDriverGetVersion_v2020>(library.find("cuDriverGetVersion"));
    int version = 0;
    if (!ask || ask(&version) != CUDA_SUCCESS || version == 0) return "of an unknown version";
    return fmt::format("for CUDA {}.{}", version / 1000, version % 1000 / 10);
}

Result<DriverTable> functions_of(const DriverLibrary& library) {
    // cuGetProcAddress as of CUDA 12.0: finds each function in the requested version.
    const auto find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(library.find("cuGetProcAddress_v2"));
    std::string missing = find ? "" : "cuGetProcAddress";
    CUresult result = CUDA_SUCCESS;
    DriverTable table;
    const auto fill = [&](const char* name, auto& function) {
        void* address = nullptr;
        CUdriverProcAddressQueryResult status{};
        if (result == CUDA_SUCCESS)
            result = find(name, &address, oldest_version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status);
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
        if (!function && missing.empty()) missing = name;
    };
    if (find) for_each_function(table, fill);
    if (missing.empty()) return table;
    if (result == CUDA_ERROR_STUB_LIBRARY) return std::unexpected(*translate(result));
    return fail(
        ErrorCode::unavailable,
        fmt::format("NVIDIA's driver is {}, and has no {} of CUDA 12.0.", version_of(library), missing),
        "install a newer driver, 525 or later");
}

}  // namespace

Result<DriverTable> open_libcuda() {
    auto library = DriverLibrary::open(library_name);
    if (!library) return std::unexpected(unopened(library.error()));
    const DriverTable table = TRY(functions_of(*library));
    library->keep();
    return table;
}

}  // namespace muster::cuda
