// handle.hpp - RAII owners of CUDA objects.
//
//     UniqueEvent event(context);
//     TRY(context.check("cuEventCreate", [&] { return table.cuEventCreate(event.out(), CU_EVENT_DEFAULT); }));
//
// Owners must be destroyed before the context. Objects of a lost context are gone with it. Threads: movable
// values, one thread at a time.
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
    /// Output argument for the call that creates the object. Precondition: no object is owned yet.
    T* out() { return &handle_; }

  private:
    const Context* context_ = nullptr;
    T handle_{};
};

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
