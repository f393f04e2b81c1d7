// handle.hpp - CUDA's objects with an owner.
//
//     UniqueEvent event(context);
//     TRY(context.check("cuEventCreate", [&] { return table.cuEventCreate(event.out(), CU_EVENT_DEFAULT); }));
//
// Destroyed with their owner, before the context; those of a lost context are gone with it. Threads: values that move.
#pragma once

#include <utility>

#include <muster/backend-cuda/native/context.hpp>

namespace muster::cuda {

template <class T, auto destroy>
class Unique {
  public:
    Unique() = default;
    explicit Unique(const Context& context) : context_(&context) {}
    Unique(Unique&& other) noexcept : context_(other.context_), handle_(std::exchange(other.handle_, T{})) {}
    Unique& operator=(Unique&& other) noexcept {
        std::swap(context_, other.context_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Unique() {
        if (handle_ == T{}) return;
        if (const auto scope = context_->enter_to_free()) (void)(context_->table().*destroy)(handle_);
    }
    T get() const { return handle_; }
    /// Where a call puts what it creates. Precondition: it holds nothing yet.
    T* out() { return &handle_; }

  private:
    const Context* context_ = nullptr;
    T handle_{};
};

using UniqueEvent = Unique<CUevent, &DriverTable::cuEventDestroy>;
using UniqueHostMemory = Unique<void*, &DriverTable::cuMemFreeHost>;
using UniqueModule = Unique<CUmodule, &DriverTable::cuModuleUnload>;
using UniqueStream = Unique<CUstream, &DriverTable::cuStreamDestroy>;

/// Errors of all: out_of_memory, device_lost. Precondition: the context is entered.
Result<UniqueEvent> make_event(const Context& context, unsigned flags);
/// That waits for no other stream, the default one included.
Result<UniqueStream> make_stream(const Context& context);
/// Pinned, so that the device copies it by itself.
Result<UniqueHostMemory> make_host_memory(const Context& context, std::size_t bytes);

}  // namespace muster::cuda
