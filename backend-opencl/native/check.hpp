// check.hpp - this backend's door to OpenCL: codes are cl_int values.
//
//     TRY(api.clWaitForEvents(1, &event));
//     UniqueBuffer buffer(api);
//     TRY(make(buffer, api.clCreateBuffer, context, cl_mem_flags{CL_MEM_READ_WRITE}, bytes, nullptr));
//
// Calls whose failure is of no consequence go past it: (void)api.clFlush.pointer(queue). Threads: any.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <muster/backend_sdk.hpp>

namespace muster::opencl {

/// None for CL_SUCCESS. Distinct error codes for lack of memory, a lost device and code
/// that the driver refuses.
std::optional<Error> translate(cl_int code);

template <class Pointer>
using Function = NativeFunction<Pointer, translate>;

/// Calls a function that returns what it made, and its code through its last argument.
template <class Owner, class Pointer, class... Arguments>
Result<void> make(Owner& owner, const Function<Pointer>& function, Arguments... arguments) {
    const auto call = [&] {
        cl_int code = CL_SUCCESS;
        *owner.out() = function.pointer(arguments..., &code);
        return code;
    };
    return check_native(function.name, call, translate);
}

}  // namespace muster::opencl
