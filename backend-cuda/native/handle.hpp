// handle.hpp - RAII owners of CUDA objects (unique_handle.hpp). Objects of a lost context are gone with it.
#pragma once

#include <muster/backend-cuda/native/context.hpp>
#include <muster/driver/support/unique_handle.hpp>

namespace muster::cuda {

template <class T, auto function>
void destroy(const Context& context, T handle) {
    if (const auto scope = context.enter_to_free()) (void)(context.table().*function)(handle);
}
template <class T, auto function>
using Unique = UniqueHandle<T, Context, destroy<T, function>>;

using UniqueEvent = Unique<CUevent, &DriverTable::cuEventDestroy>;
using UniqueHostMemory = Unique<void*, &DriverTable::cuMemFreeHost>;
using UniqueModule = Unique<CUmodule, &DriverTable::cuModuleUnload>;
using UniqueStream = Unique<CUstream, &DriverTable::cuStreamDestroy>;

/// Errors of all three: out_of_memory, device_lost. Precondition: the context is entered.
Result<UniqueEvent> make_event(const Context& context, unsigned flags);
/// A stream that waits for no other stream, including the default one.
Result<UniqueStream> make_stream(const Context& context);
/// Pinned memory, which the device copies directly.
Result<UniqueHostMemory> make_host_memory(const Context& context, std::size_t bytes);

}  // namespace muster::cuda
