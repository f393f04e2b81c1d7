// The fake driver's memory and copies.
#include <support/fake_driver_state.hpp>

namespace muster::test {

void FakeDriver::State::fill_memory() {
    table.cuMemGetInfo = [](std::size_t* free, std::size_t* total) {
        Call call("cuMemGetInfo");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        *total = call->fake.devices[static_cast<std::size_t>(context->device)].memory_bytes;
        *free = *total - call->used(context);
        return CUDA_SUCCESS;
    };
    table.cuMemAlloc = [](CUdeviceptr* address, std::size_t bytes) {
        Call call("cuMemAlloc");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        return context ? call->allocate(context, bytes, address, true) : result;
    };
    table.cuMemFree = [](CUdeviceptr address) {
        Call call("cuMemFree");
        CUresult result = CUDA_SUCCESS;
        return call->current(call.name, result) ? call->free(address, call.name) : result;
    };
    table.cuMemPoolCreate = [](CUmemoryPool* pool, const CUmemPoolProps* properties) {
        Call call("cuMemPoolCreate");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        if (properties->location.id != context->device ||
            properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
            return call->complain("cuMemPoolCreate: not of the context's device");
        *pool = as<CUmemoryPool>(new char);
        call->pools.emplace(*pool, context);
        return CUDA_SUCCESS;
    };
    table.cuMemPoolSetAttribute = [](CUmemoryPool pool, CUmemPool_attribute, void*) {
        Call call("cuMemPoolSetAttribute");
        return call->pools.contains(pool) ? CUDA_SUCCESS : call->complain("cuMemPoolSetAttribute: no pool");
    };
    table.cuMemPoolDestroy = [](CUmemoryPool pool) {
        Call call("cuMemPoolDestroy");
        if (call->pools.erase(pool) == 0) return call->complain("cuMemPoolDestroy: no pool");
        delete reinterpret_cast<char*>(pool);
        return CUDA_SUCCESS;
    };
    table.cuMemAllocFromPoolAsync = [](CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool,
                                       CUstream stream) {
        Call call("cuMemAllocFromPoolAsync");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        if (!call->pools.contains(pool)) return call->complain("cuMemAllocFromPoolAsync: no pool");
        result = call->allocate(context, bytes, address, false);
        if (result != CUDA_SUCCESS) return result;
        const auto ready = [at = *address] {
            const std::lock_guard lock(only.load()->mutex);
            only.load()->device_memory.at(at).ready = true;
            return CUDA_SUCCESS;
        };
        return call->enqueue(stream, call.name, {.run = ready, .ready = {}, .host_memory = {}});
    };
    table.cuMemFreeAsync = [](CUdeviceptr address, CUstream stream) {
        Call call("cuMemFreeAsync");
        if (!call->device_memory.contains(address))
            return call->complain("cuMemFreeAsync: the address wasn't allocated");
        const auto free = [address] {
            const std::lock_guard lock(only.load()->mutex);
            return only.load()->free(address, "cuMemFreeAsync");
        };
        return call->enqueue(stream, call.name, {.run = free, .ready = {}, .host_memory = {}});
    };
    table.cuMemHostAlloc = [](void** memory, std::size_t bytes, unsigned) {
        Call call("cuMemHostAlloc");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        Allocation allocation{context, std::make_unique_for_overwrite<std::byte[]>(bytes), bytes, true};
        *memory = allocation.data.get();
        call->host_memory.emplace(reinterpret_cast<std::uintptr_t>(*memory), std::move(allocation));
        return CUDA_SUCCESS;
    };
    table.cuMemFreeHost = [](void* memory) {
        Call call("cuMemFreeHost");
        CUresult result = CUDA_SUCCESS;
        if (!call->current(call.name, result)) return result;
        for (auto& [handle, stream] : call->streams)
            for (const Operation& operation : stream->operations)
                if (operation.host_memory.data() == memory)
                    return call->complain("cuMemFreeHost: it is being copied");
        const bool there = call->host_memory.erase(reinterpret_cast<std::uintptr_t>(memory)) != 0;
        return there ? CUDA_SUCCESS : call->complain("cuMemFreeHost: the address wasn't allocated");
    };
    table.cuPointerGetAttribute = [](void* type, CUpointer_attribute which, CUdeviceptr address) {
        Call call("cuPointerGetAttribute");
        if (which != CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
            return call->complain("cuPointerGetAttribute: another attribute");
        for (const auto& [begin, allocation] : call->host_memory)
            if (begin <= address && address < begin + allocation.bytes) {
                *static_cast<CUmemorytype*>(type) = CU_MEMORYTYPE_HOST;
                return CUDA_SUCCESS;
            }
        return CUDA_ERROR_INVALID_VALUE;
    };
}

void FakeDriver::State::fill_copies() {
    table.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
        Call call("cuMemcpyHtoDAsync");
        if (!call->holding(call->host_memory, reinterpret_cast<std::uintptr_t>(from), bytes, call.name) ||
            !call->holding(call->device_memory, to, bytes, call.name))
            return CUDA_ERROR_INVALID_VALUE;
        const auto copy = [=] {
            std::byte* const at = only.load()->fake.memory(to, bytes);
            if (at) std::memcpy(at, from, bytes);
            return CUDA_SUCCESS;
        };
        return call->enqueue(
            stream, call.name,
            {.run = copy, .ready = {}, .host_memory = {static_cast<const std::byte*>(from), bytes}});
    };
    table.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
        Call call("cuMemcpyDtoHAsync");
        if (!call->holding(call->host_memory, reinterpret_cast<std::uintptr_t>(to), bytes, call.name) ||
            !call->holding(call->device_memory, from, bytes, call.name))
            return CUDA_ERROR_INVALID_VALUE;
        const auto copy = [=] {
            const std::byte* const at = only.load()->fake.memory(from, bytes);
            if (at) std::memcpy(to, at, bytes);
            return CUDA_SUCCESS;
        };
        return call->enqueue(
            stream, call.name,
            {.run = copy, .ready = {}, .host_memory = {static_cast<const std::byte*>(to), bytes}});
    };
    table.cuMemsetD8Async = [](CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
        Call call("cuMemsetD8Async");
        if (!call->holding(call->device_memory, to, bytes, call.name)) return CUDA_ERROR_INVALID_VALUE;
        const auto set = [=] {
            std::byte* const at = only.load()->fake.memory(to, bytes);
            if (at) std::memset(at, value, bytes);
            return CUDA_SUCCESS;
        };
        return call->enqueue(stream, call.name, {.run = set, .ready = {}, .host_memory = {}});
    };
    table.cuMemcpyDtoDAsync = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
        Call call("cuMemcpyDtoDAsync");
        if (!call->holding(call->device_memory, to, bytes, call.name) ||
            !call->holding(call->device_memory, from, bytes, call.name))
            return CUDA_ERROR_INVALID_VALUE;
        const auto copy = [=] {
            std::byte* const into = only.load()->fake.memory(to, bytes);
            const std::byte* const at = only.load()->fake.memory(from, bytes);
            if (into && at) std::memcpy(into, at, bytes);
            return CUDA_SUCCESS;
        };
        return call->enqueue(stream, call.name, {.run = copy, .ready = {}, .host_memory = {}});
    };
    table.cuMemsetD32Async = [](CUdeviceptr to, unsigned int value, std::size_t count, CUstream stream) {
        Call call("cuMemsetD32Async");
        const std::size_t bytes = count * sizeof value;
        if (to % sizeof value != 0 || !call->holding(call->device_memory, to, bytes, call.name))
            return CUDA_ERROR_INVALID_VALUE;
        const auto set = [=] {
            std::byte* const at = only.load()->fake.memory(to, bytes);
            if (at) std::fill_n(reinterpret_cast<unsigned int*>(at), count, value);
            return CUDA_SUCCESS;
        };
        return call->enqueue(stream, call.name, {.run = set, .ready = {}, .host_memory = {}});
    };
}

}  // namespace muster::test
