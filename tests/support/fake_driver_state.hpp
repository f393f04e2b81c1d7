// fake_driver_state.hpp - the fake driver's state. Included by its own sources only.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <support/fake_driver.hpp>

namespace muster::test {
namespace fake {

/// One cuEventRecord: done when the stream has reached it.
struct Record {
    bool done = false;
    std::chrono::nanoseconds at{};  // by the device's clock
};

struct Context {
    int device = 0;
    int retained = 0;
    CUresult broken = CUDA_SUCCESS;
};

struct Operation {
    std::function<CUresult()> run;
    std::function<bool()> ready;             // empty: ready
    std::span<const std::byte> host_memory;  // the host memory that it uses
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
    bool ready = true;  // its stream has reached its allocation
};

inline thread_local std::vector<Context*> pushed_contexts;
inline thread_local bool is_inside = false;

template <class T>
using Handles = std::map<const void*, std::unique_ptr<T>>;

}  // namespace fake

using namespace fake;

struct FakeDriver::State {
    FakeDriver& fake;
    cuda::DriverTable table;
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::chrono::nanoseconds time{};  // by the device's clock
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
        T* const handle = new T;
        handles[handle].reset(handle);
        return handle;
    }

    /// The calling thread's context; null, with `result` set, if there is none that works.
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

    /// The allocation that contains all of these bytes; null, with a complaint, if there is none.
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

    /// A stream whose next operation can run; null if there is none.
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
            time += std::max(fake.pace, std::chrono::microseconds(1));
            stream->running = false;
            stream->operations.pop_front();
            if (result != CUDA_SUCCESS) stream->context->broken = result;
            changed.notify_all();
        }
    }
    bool holds_anything(const Context* context) const {
        const auto of_it = [&](const auto& one) { return one.second->context == context; };
        return std::ranges::any_of(streams, of_it) || std::ranges::any_of(events, of_it) ||
               std::ranges::any_of(modules, of_it) || used(context) != 0 ||
               std::ranges::any_of(host_memory, [&](auto& one) { return one.second.context == context; }) ||
               std::ranges::any_of(pools, [&](auto& one) { return one.second == context; });
    }
    /// Waits until nothing of the context runs; operations that haven't begun are dropped.
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

namespace fake {

inline std::atomic<FakeDriver::State*> only{nullptr};

/// Locks the fake and counts the call.
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

}  // namespace fake

}  // namespace muster::test
