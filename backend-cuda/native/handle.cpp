#include <muster/backend-cuda/native/handle.hpp>

namespace muster::cuda {

Result<UniqueEvent> make_event(const Context& context, unsigned flags) {
    UniqueEvent event(context);
    TRY(context.check("cuEventCreate", [&] { return context.table().cuEventCreate(event.out(), flags); }));
    return event;
}

Result<UniqueStream> make_stream(const Context& context) {
    UniqueStream stream(context);
    TRY(context.check("cuStreamCreate",
                      [&] { return context.table().cuStreamCreate(stream.out(), CU_STREAM_NON_BLOCKING); }));
    return stream;
}

Result<UniqueHostMemory> make_host_memory(const Context& context, std::size_t bytes) {
    UniqueHostMemory memory(context);
    TRY(context.check("cuMemHostAlloc",
                      [&] { return context.table().cuMemHostAlloc(memory.out(), bytes, 0); }));
    return memory;
}

}  // namespace muster::cuda
