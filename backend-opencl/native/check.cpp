#include <muster/backend-opencl/native/check.hpp>

namespace muster::opencl {
namespace {

using enum ErrorCode;

constexpr const char* less_memory = "use less memory at once";
constexpr const char* repair = "reinstall the device's OpenCL driver";

constexpr NativeCode codes[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", not_found, repair},
    {CL_PLATFORM_NOT_FOUND_KHR, "CL_PLATFORM_NOT_FOUND_KHR", not_found, repair},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE", unavailable, repair},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", out_of_memory, less_memory},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", out_of_memory, less_memory},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", out_of_memory, less_memory},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", compile_failed,
     "look at the text (--format clc); if muster made it so, this is an error of muster's"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
     device_lost, "open a new session"},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY", compile_failed, "compile the program on this machine"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS", compile_failed, repair},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", not_found, "load what was compiled for this"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", limit_exceeded,
     "use a smaller workgroup, or fewer variables in the kernel"},
};

}  // namespace

std::optional<Error> translate(cl_int code) {
    if (code == CL_SUCCESS) return std::nullopt;
    return native_error("OpenCL", codes, code, "error", repair);
}

}  // namespace muster::opencl
