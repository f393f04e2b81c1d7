#include <fmt/format.h>

#include <muster/backend-opencl/native/check.hpp>

namespace muster::opencl {
namespace {

struct Meaning {
    cl_int code;
    const char* name;
    ErrorCode means;
    const char* fix;
};
constexpr const char* less_memory = "use less memory at once";
constexpr const char* repair = "reinstall the device's OpenCL driver";

constexpr Meaning meanings[] = {
    {CL_COMPILER_NOT_AVAILABLE, "COMPILER_NOT_AVAILABLE", ErrorCode::unavailable, repair},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "MEM_OBJECT_ALLOCATION_FAILURE", ErrorCode::out_of_memory,
     less_memory},
    {CL_OUT_OF_RESOURCES, "OUT_OF_RESOURCES", ErrorCode::out_of_memory, less_memory},
    {CL_OUT_OF_HOST_MEMORY, "OUT_OF_HOST_MEMORY", ErrorCode::out_of_memory, less_memory},
    {CL_BUILD_PROGRAM_FAILURE, "BUILD_PROGRAM_FAILURE", ErrorCode::compile_failed,
     "look at the text (--format clc); if muster made it so, this is an error of muster's"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
     ErrorCode::device_lost, "open a new session"},
    {CL_INVALID_BINARY, "INVALID_BINARY", ErrorCode::compile_failed, "compile the program on this machine"},
    {CL_INVALID_BUILD_OPTIONS, "INVALID_BUILD_OPTIONS", ErrorCode::compile_failed, repair},
    {CL_INVALID_KERNEL_NAME, "INVALID_KERNEL_NAME", ErrorCode::not_found, "load what was compiled for this"},
    {CL_INVALID_WORK_GROUP_SIZE, "INVALID_WORK_GROUP_SIZE", ErrorCode::limit_exceeded,
     "use a smaller workgroup, or fewer variables in the kernel"},
};

}  // namespace

std::optional<Error> translate(cl_int code) {
    if (code == CL_SUCCESS) return std::nullopt;
    for (const Meaning& row : meanings)
        if (row.code == code)
            return Error{row.means, fmt::format("OpenCL says: CL_{}.", row.name), row.fix, {}};
    return Error{ErrorCode::internal, fmt::format("OpenCL says: error {}.", code), repair, {}};
}

}  // namespace muster::opencl
