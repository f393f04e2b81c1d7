// The fake driver's streams and events.
#include <support/fake_driver_state.hpp>

namespace muster::test {

void FakeDriver::State::fill_streams() {
    table.cuStreamCreate = [](CUstream* handle, unsigned flags) {
        Call call("cuStreamCreate");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        if (flags != CU_STREAM_NON_BLOCKING)
            return call->complain("cuStreamCreate: it waits for the default stream");
        Stream* const stream = call->add(call->streams);
        stream->context = context;
        *handle = as<CUstream>(stream);
        return CUDA_SUCCESS;
    };
    table.cuStreamDestroy = [](CUstream handle) {
        Call call("cuStreamDestroy");
        Stream* const stream = call->find(call->streams, handle, call.name);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (stream->running || !stream->operations.empty()) return call->complain("cuStreamDestroy: it runs");
        call->streams.erase(call->streams.find(handle));
        return CUDA_SUCCESS;
    };
    table.cuStreamSynchronize = [](CUstream handle) {
        Call call("cuStreamSynchronize");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        Stream* const stream = call->find(call->streams, handle, call.name);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        call->changed.wait(call.lock,
                           [&] { return context->broken != CUDA_SUCCESS || stream->operations.empty(); });
        return context->broken;
    };
    table.cuStreamWaitEvent = [](CUstream handle, CUevent waited, unsigned) {
        Call call("cuStreamWaitEvent");
        Event* const event = call->find(call->events, waited, call.name);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        const auto record = event->record;
        return call->enqueue(handle, call.name,
                             {.run = [] { return CUDA_SUCCESS; },
                              .ready = [record] { return !record || record->done; },
                              .host_memory = {}});
    };
    table.cuEventCreate = [](CUevent* handle, unsigned flags) {
        Call call("cuEventCreate");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        Event* const event = call->add(call->events);
        event->context = context;
        event->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
        *handle = as<CUevent>(event);
        return CUDA_SUCCESS;
    };
    table.cuEventDestroy = [](CUevent handle) {
        Call call("cuEventDestroy");
        if (!call->find(call->events, handle, call.name)) return CUDA_ERROR_INVALID_HANDLE;
        call->events.erase(call->events.find(handle));
        return CUDA_SUCCESS;
    };
    table.cuEventRecord = [](CUevent handle, CUstream stream) {
        Call call("cuEventRecord");
        Event* const event = call->find(call->events, handle, call.name);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        auto record = std::make_shared<Record>();
        const CUresult result = call->enqueue(stream, call.name,
                                              {.run =
                                                   [record] {
                                                       const std::lock_guard lock(only.load()->mutex);
                                                       record->at = only.load()->time;
                                                       record->done = true;
                                                       return CUDA_SUCCESS;
                                                   },
                                               .ready = {},
                                               .host_memory = {}});
        if (result == CUDA_SUCCESS) event->record = std::move(record);
        return result;
    };
    table.cuEventQuery = [](CUevent handle) {
        Call call("cuEventQuery");
        CUresult result = CUDA_SUCCESS;
        if (!call->current(call.name, result)) return result;
        Event* const event = call->find(call->events, handle, call.name);
        if (!event) return CUDA_ERROR_INVALID_HANDLE;
        return !event->record || event->record->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    };
    table.cuEventElapsedTime = [](float* milliseconds, CUevent begin, CUevent end) {
        Call call("cuEventElapsedTime");
        CUresult result = CUDA_SUCCESS;
        if (!call->current(call.name, result)) return result;
        const Event* const from = call->find(call->events, begin, call.name);
        const Event* const to = call->find(call->events, end, call.name);
        if (!from || !to || !from->timed || !to->timed || !from->record || !to->record)
            return call->complain("cuEventElapsedTime: events without a time");
        if (!from->record->done || !to->record->done) return CUDA_ERROR_NOT_READY;
        *milliseconds = std::chrono::duration<float, std::milli>(to->record->at - from->record->at).count();
        return CUDA_SUCCESS;
    };
}

}  // namespace muster::test
