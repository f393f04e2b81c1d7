// api.hpp - the functions of OpenCL that this backend calls, all of version 1.2, looked up in libOpenCL
// when it is first needed.
//
// Once opened the library stays open: the drivers that it loads start threads. A failure
// isn't cached. Threads: any.
#pragma once

#include <muster/backend-opencl/native/check.hpp>

namespace muster::opencl {

// clang-format off
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the one list of names; a row makes the member and its look-up
#define MUSTER_OPENCL_FUNCTIONS(row) \
    row(clGetPlatformIDs) row(clGetDeviceIDs) row(clGetDeviceInfo) row(clCreateContext) row(clReleaseContext) \
    row(clCreateCommandQueue) row(clReleaseCommandQueue) row(clFlush) row(clFinish) row(clCreateBuffer) \
    row(clReleaseMemObject) row(clCreateProgramWithSource) row(clCreateProgramWithBinary) row(clBuildProgram) \
    row(clGetProgramInfo) row(clGetProgramBuildInfo) row(clReleaseProgram) row(clCreateKernel) row(clSetKernelArg) \
    row(clGetKernelWorkGroupInfo) row(clReleaseKernel) row(clEnqueueNDRangeKernel) row(clEnqueueFillBuffer) \
    row(clEnqueueCopyBuffer) \
    row(clEnqueueReadBuffer) row(clEnqueueWriteBuffer) row(clEnqueueMapBuffer) row(clEnqueueUnmapMemObject) \
    row(clWaitForEvents) row(clGetEventInfo) row(clGetEventProfilingInfo) row(clReleaseEvent)
// clang-format on

/// A plain value, so that a test can substitute its own.
struct Api {
#define MUSTER_OPENCL_MEMBER(name) \
    Function<decltype(&::name)> name{#name};  // NOLINT(bugprone-macro-parentheses)
    MUSTER_OPENCL_FUNCTIONS(MUSTER_OPENCL_MEMBER)
#undef MUSTER_OPENCL_MEMBER
};

/// The process's functions. Errors: not_found (no libOpenCL), unavailable (it can't be opened, or
/// is older than OpenCL 1.2).
Result<std::shared_ptr<const Api>> process_api();

/// An owner of an object of OpenCL's (unique_handle.hpp).
template <class T, auto release>
void destroy(const Api& api, T handle) {
    (void)(api.*release).pointer(handle);
}
template <class T, auto release>
using Unique = UniqueHandle<T, Api, destroy<T, release>>;

using UniqueContext = Unique<cl_context, &Api::clReleaseContext>;
using UniqueQueue = Unique<cl_command_queue, &Api::clReleaseCommandQueue>;
using UniqueBuffer = Unique<cl_mem, &Api::clReleaseMemObject>;
using UniqueProgram = Unique<cl_program, &Api::clReleaseProgram>;
using UniqueKernel = Unique<cl_kernel, &Api::clReleaseKernel>;
using UniqueEvent = Unique<cl_event, &Api::clReleaseEvent>;

}  // namespace muster::opencl
