// context.hpp - a device's primary context: one per process and device, shared by all sessions, and with whoever else in the
// process uses CUDA's runtime.
//
//     const Context::Scope scope = TRY(context.enter());       // current on this thread until the scope ends
//     TRY(context.check("cuMemAlloc", [&] { return context.table().cuMemAlloc(&address, bytes); }));
//
// After what CUDA calls a sticky error (an illegal address, a failed launch) every call on the context gives that error,
// whoever makes it: the context is lost. It notices so in check(), and no call reaches it any more: what belonged to it is
// gone with it. The next that asks the instance for the device's context gets a new one: the primary context is reset, which
// takes nothing that worked from anybody in the process, but leaves others' handles to it dangling. Threads: any.
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
    /// pooled: the device allocates in the order of a stream, from a pool. Errors: unavailable, out_of_memory, device_lost.
    static Result<std::shared_ptr<Context>> retain(const DriverTable& table, CUdevice device, bool pooled);
    /// Releases it, unless it was reset.
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    const DriverTable& table() const { return table_; }
    /// Null: the device has none.
    CUmemoryPool pool() const { return pool_; }

    /// As long as it lives the context is the calling thread's; what was before comes back.
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
    /// Also within another scope of the same thread. Errors: device_lost.
    Result<Scope> enter() const;
    /// The same for those who give something back, which can't fail: none where the context is lost, and that with it.
    std::optional<Scope> enter_to_free() const;

    /// The door (check.hpp), which notices that the context is lost. Precondition: it is entered.
    template <class Call>
    Result<void> check(std::string_view name, Call&& call) const {
        auto result = cuda::check(name, std::forward<Call>(call));
        if (!result && result.error().code == ErrorCode::device_lost) lost_.store(true);
        return result;
    }
    bool lost() const { return lost_.load(); }

    /// Precondition: it is lost; the caller hasn't entered. Afterwards the device has no context, until one is retained.
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
    // reset() waits for those inside; who enters afterwards sees that it is lost. So both are sequentially consistent.
    mutable std::atomic<bool> lost_{false};
    mutable std::atomic<int> inside_{0};
};

/// What who uses a lost context is told.
Error lost_error();

}  // namespace muster::cuda
