// device.hpp - devices: a session of muster's on the adapter's device, and where errors go.
//
// An error goes to the innermost error scope of its thread that takes its type, else to the
// program's callback, else to the log (webgpu.h, "Error Scopes"). A device that is lost reports
// nothing more. Threads: any.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/webgpu/adapter.hpp>

struct WGPUQueueImpl;

namespace muster::webgpu {

class LostEvent;
struct BindGroupEntries;  // bind_group_layout.hpp
class DeviceObject;

/// The type of the standard's errors that an error of muster's is.
WGPUErrorType type_of(ErrorCode code);

}  // namespace muster::webgpu

struct WGPUDeviceImpl final : muster::webgpu::Object {
    struct Options {
        std::string label;
        WGPULimits limits;
        std::vector<WGPUFeatureName> features;
        WGPUUncapturedErrorCallbackInfo on_error;
        std::shared_ptr<muster::webgpu::LostEvent> lost;
        WGPUFuture lost_future;
    };
    WGPUDeviceImpl(muster::webgpu::Ref<muster::webgpu::Adapter> adapter, muster::Session session,
                   Options options);
    ~WGPUDeviceImpl() override;

    const muster::webgpu::Ref<muster::webgpu::Adapter> adapter;
    muster::Session session;  // a handle
    const WGPULimits limits;
    const std::vector<WGPUFeatureName> features;
    const muster::CompileOptions compile;
    const WGPUFuture lost_future;

    muster::webgpu::Instance& instance() const { return *adapter->instance; }
    WGPUQueueImpl& queue() const { return *queue_; }
    bool has(WGPUFeatureName feature) const;
    bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }

    void report(WGPUErrorType type, std::string_view message) noexcept;
    /// Reports an error of muster's; one of a lost device loses this one.
    void report(const muster::Error& error) noexcept;
    /// Runs a step of a call, and reports its error. False: there was one.
    template <class Step>
    bool attempt(std::string_view call, Step&& step) noexcept;

    void push_scope(WGPUErrorFilter filter);
    struct Popped {
        bool is_there = false;
        WGPUErrorType type = WGPUErrorType_NoError;
        std::string message = {};
    };
    Popped pop_scope();

    void destroy();
    void lose(WGPUDeviceLostReason reason, const std::string& message);

    /// The objects that destroy() ends.
    void add_buffer(WGPUBufferImpl* buffer);
    void remove_buffer(WGPUBufferImpl* buffer);
    /// The one object for all layouts with equal entries.
    std::shared_ptr<const muster::webgpu::BindGroupEntries> interned(
        muster::webgpu::BindGroupEntries entries);

  protected:
    void last_release() override;

  private:
    const WGPUUncapturedErrorCallbackInfo on_error_;
    const std::shared_ptr<muster::webgpu::LostEvent> lost_;
    const std::uint64_t number_;  // of this process: error scopes are kept by it
    std::atomic<bool> is_lost_{false};
    std::unique_ptr<WGPUQueueImpl> queue_;
    std::mutex mutex_;  // guards what follows
    std::unordered_set<WGPUBufferImpl*> buffers_;
    std::vector<std::weak_ptr<const muster::webgpu::BindGroupEntries>> layouts_;
};

namespace muster::webgpu {

using GpuDevice = ::WGPUDeviceImpl;

/// An object of a device. An invalid one stands for what couldn't be made: its uses are errors.
class DeviceObject : public Object {
  public:
    DeviceObject(Kind kind, Ref<GpuDevice> device, std::string label, bool is_valid)
        : Object(kind, std::move(label)), device(std::move(device)), is_valid_(is_valid) {}
    const Ref<GpuDevice> device;
    bool is_valid() const { return is_valid_; }

    /// Errors: invalid_argument, if the object is invalid, or of another device than `user`.
    Result<void> usable_by(const GpuDevice& user) const;

  private:
    const bool is_valid_;
};

}  // namespace muster::webgpu

template <class Step>
bool WGPUDeviceImpl::attempt(std::string_view call, Step&& step) noexcept {
    try {
        muster::Result<void> result = step();
        if (result) return true;
        report(std::move(result).error().during("calling " + std::string(call)));
    } catch (const std::bad_alloc&) {
        report(WGPUErrorType_OutOfMemory, "The host has no memory left.");
    } catch (const std::exception& thrown) {
        report(WGPUErrorType_Internal, thrown.what());
    }
    return false;
}
