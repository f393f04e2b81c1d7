// check.hpp - calls OpenCL, names the call in errors, and translates its code.
//
//     TRY(check("clFlush", [&] { return api.clFlush(queue); }));
//     UniqueEvent event(api);
//     TRY(make("clCreateBuffer", memory, [&](cl_int* code) { return api.clCreateBuffer(..., code); }));
//
// Threads: any.
#pragma once

#include <muster/backend-opencl/native/api.hpp>

namespace muster::opencl {

/// None for CL_SUCCESS. Distinct error codes for lack of memory, a lost device and code that the driver refuses.
std::optional<Error> translate(cl_int code);

template <class Call>
Result<void> check(std::string_view name, Call&& call) {
    return check_native(name, std::forward<Call>(call), translate);
}

/// An owner of an object of OpenCL's (unique_handle.hpp).
template <class T, auto release>
void destroy(const Api& api, T handle) {
    (void)(api.*release)(handle);
}
template <class T, auto release>
using Unique = UniqueHandle<T, Api, destroy<T, release>>;

using UniqueContext = Unique<cl_context, &Api::clReleaseContext>;
using UniqueQueue = Unique<cl_command_queue, &Api::clReleaseCommandQueue>;
using UniqueBuffer = Unique<cl_mem, &Api::clReleaseMemObject>;
using UniqueProgram = Unique<cl_program, &Api::clReleaseProgram>;
using UniqueKernel = Unique<cl_kernel, &Api::clReleaseKernel>;
using UniqueEvent = Unique<cl_event, &Api::clReleaseEvent>;

/// Makes an object with a call that returns it, and its code through a pointer.
template <class Owner, class Call>
Result<void> make(std::string_view name, Owner& owner, Call&& call) {
    return check(name, [&] {
        cl_int code = CL_SUCCESS;
        *owner.out() = call(&code);
        return code;
    });
}

}  // namespace muster::opencl
