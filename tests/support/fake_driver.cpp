#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <support/fake_driver.hpp>

namespace muster::test {
namespace {

using Clock = std::chrono::steady_clock;

/// One cuEventRecord: done when the stream has come to it.
struct Record {
    bool done = false;
    Clock::time_point at;
};

struct Context {
    int device = 0;
    int retained = 0;
    CUresult broken = CUDA_SUCCESS;
};

struct Operation {
    std::function<CUresult()> run;
    std::function<bool()> ready;             // empty: it is
    std::span<const std::byte> host_memory;  // that it uses
};

struct Stream {
    Context* context = nullptr;
    std::deque<Operation> operations;
    bool running = false;
};

struct Event {
    Context* context = nullptr;
    bool timed = false;
    std::shared_ptr<Record> record;
};

struct Module {
    Context* context = nullptr;
};

struct Function {
    Module* module = nullptr;
    std::string name;
    int most_dynamic_shared = 48 << 10;
};

struct Allocation {
    Context* context = nullptr;
    std::unique_ptr<std::byte[]> data;
    std::uint64_t bytes = 0;
    bool ready = true;  // its stream has come to its allocation
};

thread_local std::vector<Context*> pushed_contexts;
thread_local bool is_inside = false;

template <class T>
using Handles = std::map<const void*, std::unique_ptr<T>>;

}  // namespace

struct FakeDriver::State {
    FakeDriver& fake;
    cuda::DriverTable table;
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> complaints;
    std::map<std::string, std::uint64_t> calls;
    std::map<std::string, FakeKernel> kernels;
    bool endless_end = false, stopped = false;

    Handles<Context> contexts;
    std::map<int, Context*> primary;
    Handles<Stream> streams;
    Handles<Event> events;
    Handles<Module> modules;
    Handles<Function> functions;
    std::map<const void*, Context*> pools;
    std::map<std::uintptr_t, Allocation> device_memory, host_memory;
    std::thread worker;

    explicit State(FakeDriver& of) : fake(of) {}

    CUresult complain(std::string what, CUresult result = CUDA_ERROR_INVALID_VALUE) {
        complaints.push_back(std::move(what));
        return result;
    }

    template <class T, class Handle>
    T* find(Handles<T>& handles, Handle handle, const char* call) {
        const auto found = handles.find(handle);
        if (found != handles.end()) return found->second.get();
        complain(fmt::format("{}: its handle isn't alive", call));
        return nullptr;
    }
    template <class T>
    T* add(Handles<T>& handles) {
        auto made = std::make_unique<T>();
        T* const handle = made.get();
        handles.emplace(handle, std::move(made));
        return handle;
    }

    /// The calling thread's context; null, with `result` set: there is none that works.
    Context* current(const char* call, CUresult& result) {
        if (pushed_contexts.empty()) {
            result = complain(fmt::format("{}: the thread has no context", call), CUDA_ERROR_INVALID_CONTEXT);
            return nullptr;
        }
        Context* const context = pushed_contexts.back();
        if (!contexts.contains(context)) {
            result = complain(fmt::format("{}: the thread's context is gone", call),
                              CUDA_ERROR_CONTEXT_IS_DESTROYED);
            return nullptr;
        }
        result = context->broken;
        return result == CUDA_SUCCESS ? context : nullptr;
    }

    /// Of all allocations the one that has all of these bytes; null, with a complaint.
    Allocation* holding(std::map<std::uintptr_t, Allocation>& memory, std::uintptr_t address,
                        std::uint64_t bytes, const char* call) {
        auto after = memory.upper_bound(address);
        if (after != memory.begin()) {
            auto& [begin, allocation] = *std::prev(after);
            if (address + bytes <= begin + allocation.bytes) return &allocation;
        }
        complain(fmt::format("{}: {} bytes aren't within what was allocated", call, bytes));
        return nullptr;
    }
    std::uint64_t used(const Context* context) const {
        std::uint64_t bytes = 0;
        for (const auto& [address, allocation] : device_memory)
            if (!context || allocation.context == context) bytes += allocation.bytes;
        return bytes;
    }
    CUresult allocate(Context* context, std::size_t bytes, CUdeviceptr* address, bool ready) {
        const FakeDevice& device = fake.devices[static_cast<std::size_t>(context->device)];
        if (bytes == 0) return complain("cuMemAlloc: of no bytes");
        if (used(context) + bytes > device.memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
        Allocation allocation{context, std::make_unique<std::byte[]>(bytes), bytes, ready};
        std::memset(allocation.data.get(), 0xab, bytes);
        *address = reinterpret_cast<CUdeviceptr>(allocation.data.get());
        device_memory.emplace(*address, std::move(allocation));
        return CUDA_SUCCESS;
    }
    CUresult free(CUdeviceptr address, const char* call) {
        if (device_memory.erase(address) == 0)
            return complain(fmt::format("{}: the address wasn't allocated", call));
        return CUDA_SUCCESS;
    }

    CUresult enqueue(CUstream handle, const char* call, Operation operation) {
        CUresult result = CUDA_SUCCESS;
        Context* const context = current(call, result);
        if (!context) return result;
        Stream* const stream = find(streams, handle, call);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (stream->context != context) return complain(fmt::format("{}: another context's stream", call));
        stream->operations.push_back(std::move(operation));
        changed.notify_all();
        return CUDA_SUCCESS;
    }

    /// A stream's next operation that can run; null: none.
    Stream* runnable() {
        for (auto& [handle, stream] : streams)
            if (!stream->operations.empty() && stream->context->broken == CUDA_SUCCESS &&
                (!stream->operations.front().ready || stream->operations.front().ready()))
                return stream.get();
        return nullptr;
    }
    void work() {
        is_inside = true;
        std::unique_lock lock(mutex);
        for (;;) {
            Stream* stream = nullptr;
            changed.wait(lock, [&] { return stopped || (stream = runnable()) != nullptr; });
            if (stopped) return;
            stream->running = true;
            const auto run = stream->operations.front().run;
            lock.unlock();
            if (fake.pace.count() != 0) std::this_thread::sleep_for(fake.pace);
            const CUresult result = run();
            lock.lock();
            stream->running = false;
            stream->operations.pop_front();
            if (result != CUDA_SUCCESS) stream->context->broken = result;
            changed.notify_all();
        }
    }
    /// Until nothing of the context runs; what hasn't begun is dropped.
    void halt(std::unique_lock<std::mutex>& lock, Context* context) {
        changed.wait(lock, [&] {
            return std::ranges::none_of(
                streams, [&](auto& one) { return one.second->context == context && one.second->running; });
        });
    }
    void destroy(std::unique_lock<std::mutex>& lock, Context* context) {
        halt(lock, context);
        const auto of_it = [&](const auto& one) { return one.second->context == context; };
        const auto memory_of_it = [&](const auto& one) { return one.second.context == context; };
        std::erase_if(functions, [&](auto& one) { return one.second->module->context == context; });
        std::erase_if(streams, of_it);
        std::erase_if(events, of_it);
        std::erase_if(modules, of_it);
        std::erase_if(device_memory, memory_of_it);
        std::erase_if(host_memory, memory_of_it);
        primary.erase(context->device);
        contexts.erase(context);
    }

    void fill_devices();
    void fill_contexts();
    void fill_streams();
    void fill_memory();
    void fill_copies();
    void fill_modules();
    CUresult launch(CUfunction handle, const FakeLaunch& launch, CUstream stream, void** extra);
};

namespace {

std::atomic<FakeDriver::State*> only{nullptr};

/// The fake, locked, with the call counted.
struct Call {
    explicit Call(const char* called) : state(*only.load()), lock(state.mutex), name(called) {
        is_inside = true;
        ++state.calls[name];
    }
    ~Call() { is_inside = false; }
    FakeDriver::State* operator->() { return &state; }
    FakeDriver::State& state;
    std::unique_lock<std::mutex> lock;
    const char* name;
};

template <class Handle, class T>
Handle as(T* object) {
    return reinterpret_cast<Handle>(object);
}

}  // namespace

void FakeDriver::State::fill_devices() {
    table.cuInit = [](unsigned) { return Call("cuInit")->fake.init; };
    table.cuDriverGetVersion = [](int* version) {
        *version = Call("cuDriverGetVersion")->fake.version;
        return CUDA_SUCCESS;
    };
    table.cuDeviceGetCount = [](int* count) {
        *count = static_cast<int>(Call("cuDeviceGetCount")->fake.devices.size());
        return CUDA_SUCCESS;
    };
    table.cuDeviceGet = [](CUdevice* device, int ordinal) {
        *device = ordinal;
        const bool there = static_cast<std::size_t>(ordinal) < Call("cuDeviceGet")->fake.devices.size();
        return there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    };
    table.cuDeviceGetName = [](char* name, int bytes, CUdevice device) {
        Call call("cuDeviceGetName");
        const std::string& given = call->fake.devices[static_cast<std::size_t>(device)].name;
        name[given.copy(name, static_cast<std::size_t>(bytes) - 1)] = '\0';
        return CUDA_SUCCESS;
    };
    table.cuDeviceGetUuid = [](CUuuid* uuid, CUdevice device) {
        Call call("cuDeviceGetUuid");
        std::memcpy(uuid, call->fake.devices[static_cast<std::size_t>(device)].uuid.data(), sizeof *uuid);
        return CUDA_SUCCESS;
    };
    table.cuDeviceTotalMem = [](std::size_t* bytes, CUdevice device) {
        *bytes = Call("cuDeviceTotalMem")->fake.devices[static_cast<std::size_t>(device)].memory_bytes;
        return CUDA_SUCCESS;
    };
    table.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice ordinal) {
        Call call("cuDeviceGetAttribute");
        const FakeDevice& device = call->fake.devices[static_cast<std::size_t>(ordinal)];
        const std::map<int, int> values{
            {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
            {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
            {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
            {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
            {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, INT32_MAX},
            {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
            {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
            {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
            {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
            {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
            {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device.shared_bytes},
            {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device.major},
            {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device.minor},
            {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device.pools},
            {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device.prohibited ? 2 : 0}};
        const auto found = values.find(which);
        if (found == values.end())
            return call->complain(fmt::format("attribute {} isn't known", static_cast<int>(which)));
        *value = found->second;
        return CUDA_SUCCESS;
    };
}

void FakeDriver::State::fill_contexts() {
    table.cuDevicePrimaryCtxRetain = [](CUcontext* handle, CUdevice device) {
        Call call("cuDevicePrimaryCtxRetain");
        Context*& context = call->primary[device];
        if (!context) {
            context = call->add(call->contexts);
            context->device = device;
        }
        if (context->broken != CUDA_SUCCESS) return context->broken;
        ++context->retained;
        *handle = as<CUcontext>(context);
        return CUDA_SUCCESS;
    };
    table.cuDevicePrimaryCtxRelease = [](CUdevice device) {
        Call call("cuDevicePrimaryCtxRelease");
        const auto found = call->primary.find(device);
        if (found == call->primary.end()) return CUDA_ERROR_INVALID_CONTEXT;  // as after a reset
        if (--found->second->retained == 0) call->destroy(call.lock, found->second);
        return CUDA_SUCCESS;
    };
    table.cuDevicePrimaryCtxReset = [](CUdevice device) {
        Call call("cuDevicePrimaryCtxReset");
        const auto found = call->primary.find(device);
        if (found == call->primary.end())
            return call->complain("cuDevicePrimaryCtxReset: there is no context");
        if (!call->fake.resets) return found->second->broken;
        call->destroy(call.lock, found->second);
        return CUDA_SUCCESS;
    };
    table.cuCtxPushCurrent = [](CUcontext handle) {
        Call call("cuCtxPushCurrent");
        Context* const context = call->find(call->contexts, handle, call.name);
        if (!context) return CUDA_ERROR_INVALID_CONTEXT;
        pushed_contexts.push_back(context);
        return CUDA_SUCCESS;
    };
    table.cuCtxPopCurrent = [](CUcontext* handle) {
        Call call("cuCtxPopCurrent");
        if (pushed_contexts.empty()) return call->complain("cuCtxPopCurrent: the thread has no context");
        *handle = as<CUcontext>(pushed_contexts.back());
        pushed_contexts.pop_back();
        return CUDA_SUCCESS;
    };
}

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
        call->streams.erase(handle);
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
        call->events.erase(handle);
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
                                                       record->at = Clock::now();
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

void FakeDriver::State::fill_memory() {
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
        Allocation allocation{context, std::make_unique<std::byte[]>(bytes), bytes, true};
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
}

void FakeDriver::State::fill_modules() {
    table.cuModuleLoadDataEx = [](CUmodule* handle, const void* image, unsigned count, CUjit_option* options,
                                  void** values) {
        Call call("cuModuleLoadDataEx");
        CUresult result = CUDA_SUCCESS;
        Context* const context = call->current(call.name, result);
        if (!context) return result;
        const std::string_view text(static_cast<const char*>(image));
        if (text.starts_with("cubin")) {
            if (!call->fake.takes_cubin) return CUDA_ERROR_INVALID_IMAGE;
        } else if (!text.starts_with(".version ")) {
            for (unsigned i = 0; i < count; ++i)
                if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
                    std::strcpy(static_cast<char*>(values[i]), "ptxas fatal: what is that?");
            return CUDA_ERROR_INVALID_PTX;
        } else if (text.substr(9, 3) > call->fake.newest_ptx) {
            return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
        }
        Module* const module = call->add(call->modules);
        module->context = context;
        *handle = as<CUmodule>(module);
        return CUDA_SUCCESS;
    };
    table.cuModuleUnload = [](CUmodule handle) {
        Call call("cuModuleUnload");
        CUresult result = CUDA_SUCCESS;
        if (!call->current(call.name, result)) return result;
        Module* const module = call->find(call->modules, handle, call.name);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        std::erase_if(call->functions, [&](auto& one) { return one.second->module == module; });
        call->modules.erase(handle);
        return CUDA_SUCCESS;
    };
    table.cuModuleGetFunction = [](CUfunction* handle, CUmodule of, const char* name) {
        Call call("cuModuleGetFunction");
        Module* const module = call->find(call->modules, of, call.name);
        if (!module) return CUDA_ERROR_INVALID_HANDLE;
        if (!call->kernels.contains(name)) return CUDA_ERROR_NOT_FOUND;
        Function* const function = call->add(call->functions);
        function->module = module;
        function->name = name;
        *handle = as<CUfunction>(function);
        return CUDA_SUCCESS;
    };
    table.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction handle) {
        Call call("cuFuncGetAttribute");
        const Function* const function = call->find(call->functions, handle, call.name);
        if (!function || which != CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
        *value = call->kernels.at(function->name).static_shared_bytes;
        return CUDA_SUCCESS;
    };
    table.cuFuncSetAttribute = [](CUfunction handle, CUfunction_attribute which, int value) {
        Call call("cuFuncSetAttribute");
        Function* const function = call->find(call->functions, handle, call.name);
        if (!function || which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
            return CUDA_ERROR_INVALID_VALUE;
        const FakeDevice& device =
            call->fake.devices[static_cast<std::size_t>(function->module->context->device)];
        if (value > device.shared_bytes)
            return call->complain("cuFuncSetAttribute: more than the device has");
        function->most_dynamic_shared = value;
        return CUDA_SUCCESS;
    };
    table.cuLaunchKernel = [](CUfunction function, unsigned x, unsigned y, unsigned z, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, CUstream stream, void** parameters,
                              void** extra) {
        Call call("cuLaunchKernel");
        if (parameters) return call->complain("cuLaunchKernel: parameters one by one");
        return call->launch(function, {{}, {x, y, z}, {bx, by, bz}, shared}, stream, extra);
    };
}

CUresult FakeDriver::State::launch(CUfunction handle, const FakeLaunch& launch, CUstream stream,
                                   void** extra) {
    const Function* const function = find(functions, handle, "cuLaunchKernel");
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    const FakeKernel& kernel = kernels.at(function->name);
    if (extra[0] != CU_LAUNCH_PARAM_BUFFER_POINTER || extra[2] != CU_LAUNCH_PARAM_BUFFER_SIZE ||
        extra[4] != CU_LAUNCH_PARAM_END)
        return complain("cuLaunchKernel: not a block of parameters");
    const std::size_t bytes = *static_cast<std::size_t*>(extra[3]);
    if (bytes != kernel.parameter_bytes)
        return complain(
            fmt::format("cuLaunchKernel: {} bytes of parameters, not {}", bytes, kernel.parameter_bytes));
    if (launch.grid.count() == 0 || launch.grid.y > 65535 || launch.grid.z > 65535 ||
        launch.workgroup.count() > 1024)
        return complain("cuLaunchKernel: its grid");
    if (launch.dynamic_shared_bytes > static_cast<std::uint32_t>(function->most_dynamic_shared))
        return complain("cuLaunchKernel: more shared memory than was allowed");
    const auto* const begin = static_cast<const std::byte*>(extra[1]);
    const auto run = [launch, run = kernel.run, block = std::vector(begin, begin + bytes)] {
        FakeLaunch given = launch;
        given.block = block;
        return run ? run(given) : CUDA_SUCCESS;
    };
    std::function<bool()> ready;
    if (kernel.endless) ready = [this] { return endless_end; };
    return enqueue(stream, "cuLaunchKernel", {.run = run, .ready = ready, .host_memory = {}});
}

FakeDriver::FakeDriver() : state_(new State(*this)) {
    only = state_;
    state_->fill_devices();
    state_->fill_contexts();
    state_->fill_streams();
    state_->fill_memory();
    state_->fill_copies();
    state_->fill_modules();
    state_->worker = std::thread([this] { state_->work(); });
}

FakeDriver::~FakeDriver() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopped = true;
        state_->changed.notify_all();
    }
    state_->worker.join();
    only = nullptr;
    delete state_;
}

const cuda::DriverTable& FakeDriver::table() const { return state_->table; }

void FakeDriver::set_kernel(const std::string& name, FakeKernel kernel) {
    const std::lock_guard lock(state_->mutex);
    state_->kernels.insert_or_assign(name, std::move(kernel));
}

std::vector<std::string> FakeDriver::complaints() const {
    const std::lock_guard lock(state_->mutex);
    return state_->complaints;
}

std::size_t FakeDriver::alive() const {
    const std::lock_guard lock(state_->mutex);
    return state_->contexts.size() + state_->streams.size() + state_->events.size() + state_->modules.size() +
           state_->pools.size() + state_->device_memory.size() + state_->host_memory.size();
}

std::size_t FakeDriver::alive_contexts() const {
    const std::lock_guard lock(state_->mutex);
    return state_->contexts.size();
}

std::size_t FakeDriver::pushed() { return pushed_contexts.size(); }

bool FakeDriver::inside() { return is_inside; }

std::uint64_t FakeDriver::calls(const std::string& name) const {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->calls.find(name);
    return found == state_->calls.end() ? 0 : found->second;
}

std::uint64_t FakeDriver::device_bytes() const {
    const std::lock_guard lock(state_->mutex);
    return state_->used(nullptr);
}

void FakeDriver::end_endless() {
    const std::lock_guard lock(state_->mutex);
    state_->endless_end = true;
    state_->changed.notify_all();
}

void FakeDriver::drain() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] {
        return std::ranges::all_of(state_->streams, [](auto& one) { return one.second->operations.empty(); });
    });
}

std::byte* FakeDriver::memory(CUdeviceptr address, std::uint64_t bytes) {
    const std::lock_guard lock(state_->mutex);
    Allocation* const found = state_->holding(state_->device_memory, address, bytes, "an access");
    if (!found) return nullptr;
    if (!found->ready) state_->complain("an access: before the stream has come to the allocation");
    return reinterpret_cast<std::byte*>(address);
}

std::span<std::byte> FakeDriver::pinned(std::size_t bytes) {
    const std::lock_guard lock(state_->mutex);
    Allocation allocation{nullptr, std::make_unique<std::byte[]>(bytes), bytes, true};
    std::byte* const at = allocation.data.get();
    state_->host_memory.emplace(reinterpret_cast<std::uintptr_t>(at), std::move(allocation));
    return {at, bytes};
}

}  // namespace muster::test
