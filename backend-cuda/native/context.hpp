// context.hpp - a device's primary context: one per process and device, shared by all sessions.
//
// Other users of CUDA's runtime in the process share it too.
//
//     const Context::Scope scope = TRY(context.enter());       // current on this thread until the scope ends
//     TRY(context.check("cuMemAlloc", [&] { return context.table().cuMemAlloc(&address, bytes); }));
//
// After an error that CUDA calls sticky (an illegal address, a failed launch), every call on the context
// fails with it: the context is lost. check() notices that, and no further call is made; everything that
// belonged to the context is gone. The next request for the device's context (Instance::context) makes a new
// one by resetting the primary context. Nobody in the process loses anything that still worked, but others'
// handles to the context dangle. Threads: any.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <muster/backend-cuda/native/check.hpp>
#include <muster/backend-cuda/native/loader.hpp>

namespace muster::cuda {

class Context {
  public:
    /// `pooled`: allocates in stream order from a pool. Errors: unavailable, out_of_memory, device_lost.
    static Result<std::shared_ptr<Context>> retain(const DriverTable& table, CUdevice device, bool pooled);
    /// Releases the primary context, unless it was reset.
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    const DriverTable& table() const { return table_; }
    /// Null if the device doesn't support memory pools.
    CUmemoryPool pool() const { return pool_; }

    /// While it lives, the context is current on the calling thread; then the previous one is current again.
    class Scope {
      public:
        Scope(Scope&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
        ~Scope() {
            if (context_) context_->leave();
        }

      private:
        friend class Context;
        explicit Scope(const Context& context) : context_(&context) {}
        const Context* context_;
    };
    /// May be nested on a thread. Errors: device_lost.
    Result<Scope> enter() const;
    /// For destructors: none if the context is lost, since what they would free is gone with it.
    std::optional<Scope> enter_to_free() const;

    /// Calls the driver (check.hpp), and notices if the context is lost.
    /// Precondition: the context is entered.
    template <class Call>
    Result<void> check(std::string_view name, Call&& call) const {
        auto result = cuda::check(name, std::forward<Call>(call));
        if (!result && result.error().code == ErrorCode::device_lost) lost_.store(true);
        return result;
    }
    bool lost() const { return lost_.load(); }

    /// The device's free memory now; none if the driver doesn't tell.
    std::optional<std::uint64_t> free_memory() const;

    /// Precondition: the context is lost, and the caller hasn't entered it. Afterwards the device has no
    /// context until one is retained.
    Result<void> reset();

  private:
    Context(const DriverTable& table, CUdevice device) : table_(table), device_(device) {}
    void leave() const;
    Result<void> make_pool();
    void destroy_pool();

    const DriverTable table_;
    const CUdevice device_;
    CUcontext handle_ = nullptr;
    CUmemoryPool pool_ = nullptr;
    // reset() waits for threads inside; a thread that enters afterwards sees that the context is lost. Both
    // are sequentially consistent for that.
    mutable std::atomic<bool> lost_{false};
    mutable std::atomic<int> inside_{0};
};

/// The error for any use of a lost context.
Error lost_error();

}  // namespace muster::cuda
