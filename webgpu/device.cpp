#include <algorithm>
#include <condition_variable>
#include <ranges>
#include <unordered_map>

#include <fmt/format.h>

#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/bind_group_layout.hpp>
#include <muster/webgpu/buffer.hpp>
#include <muster/webgpu/chain.hpp>
#include <muster/webgpu/device.hpp>
#include <muster/webgpu/queue.hpp>

namespace muster::webgpu {

/// True if the last release of a device calls a spontaneous callback. Dawn does, and its webgpu_cpp.h frees
/// the callback then. wgpu-native doesn't, and the Python package wgpu logs every call as an error.
#ifdef MUSTER_WEBGPU_HAS_DAWN_H
constexpr bool tells_of_release = true;
#else
constexpr bool tells_of_release = false;
#endif

/// The end of a device: its future is there from the beginning.
class LostEvent final : public Event {
  public:
    explicit LostEvent(const WGPUDeviceLostCallbackInfo& info) : Event(mode_of(info.mode)), info_(info) {}

    /// Called once the device exists, and with null before its last reference is gone.
    void set_device(GpuDevice* device) {
        const std::lock_guard lock(mutex_);
        device_ = device;
    }
    /// False: it has been lost before.
    bool lose(WGPUDeviceLostReason reason, std::string message) {
        {
            const std::lock_guard lock(mutex_);
            if (is_lost_) return false;
            is_lost_ = true;
            reason_ = reason;
            message_ = std::move(message);
        }
        lost_.notify_all();
        return true;
    }
    bool is_ready() override {
        const std::lock_guard lock(mutex_);
        return is_lost_;
    }
    void wait(std::chrono::nanoseconds most) override {
        std::unique_lock lock(mutex_);
        lost_.wait_for(lock, most, [&] { return is_lost_; });
    }
    /// A spontaneous callback isn't called any more: the program lets go of the device,
    /// which it needn't be told.
    void let_go() {
        const std::lock_guard lock(mutex_);
        is_silent_ = mode() == WGPUCallbackMode_AllowSpontaneous && !tells_of_release;
    }
    void call(bool is_cancelled) override {
        std::unique_lock lock(mutex_);
        if (info_.callback == nullptr || is_silent_) return;
        const WGPUDevice device = device_;
        const WGPUDeviceLostReason reason = is_cancelled ? WGPUDeviceLostReason_CallbackCancelled : reason_;
        const std::string message = is_cancelled ? "The instance was released." : message_;
        lock.unlock();
        info_.callback(&device, reason, view_of(message), info_.userdata1, info_.userdata2);
    }

  private:
    const WGPUDeviceLostCallbackInfo info_;
    std::mutex mutex_;
    std::condition_variable lost_;
    GpuDevice* device_ = nullptr;
    bool is_lost_ = false, is_silent_ = false;
    WGPUDeviceLostReason reason_ = WGPUDeviceLostReason_Unknown;
    std::string message_;
};

namespace {

struct Scope {
    WGPUErrorFilter filter;
    WGPUErrorType type = WGPUErrorType_NoError;
    std::string message = {};
};

/// The error scopes of this thread, for each device.
std::unordered_map<std::uint64_t, std::vector<Scope>>& scopes() {
    thread_local std::unordered_map<std::uint64_t, std::vector<Scope>> own;
    return own;
}

bool takes(WGPUErrorFilter filter, WGPUErrorType type) {
    return (filter == WGPUErrorFilter_Validation && type == WGPUErrorType_Validation) ||
           (filter == WGPUErrorFilter_OutOfMemory && type == WGPUErrorType_OutOfMemory) ||
           (filter == WGPUErrorFilter_Internal && type == WGPUErrorType_Internal);
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

CompileOptions compile_options() {
    return {.precision = environment_webgpu_precision().value_or(Precision::exact)};
}

Result<void> check_features(const Adapter& adapter, std::span<const WGPUFeatureName> required) {
    for (const WGPUFeatureName feature : required)
        if (!adapter.has(feature))
            return fail(ErrorCode::unsupported,
                        fmt::format("The adapter {} doesn't have the required feature {}.", adapter.id(),
                                    name_of(feature)),
                        "ask wgpuAdapterHasFeature before, or for another adapter");
    return {};
}

/// A device without its handle of the program.
struct Opened {
    Session session;
    WGPULimits limits;
    std::vector<WGPUFeatureName> features;
};

Result<Opened> open(const Adapter& adapter, const WGPUDeviceDescriptor* descriptor) {
    (void)TRY(environment_webgpu_precision());
    std::vector<WGPUFeatureName> features;
    const WGPULimits* required = nullptr;
    if (descriptor != nullptr) {
#ifdef MUSTER_WEBGPU_HAS_WGPU_H
        // Neither has anything for this room: a path for traces, and limits of bindings that aren't buffers.
        constexpr std::array chained{static_cast<WGPUSType>(WGPUSType_DeviceExtras)};
        constexpr std::array limits{static_cast<WGPUSType>(WGPUSType_NativeLimits),
                                    WGPUSType_CompatibilityModeLimits};
#else
        constexpr std::array<WGPUSType, 0> chained{};
        constexpr std::array limits{WGPUSType_CompatibilityModeLimits};
#endif
        TRY(check_chain(descriptor->nextInChain, "WGPUDeviceDescriptor", chained));
        TRY(check_chain(descriptor->defaultQueue.nextInChain, "WGPUQueueDescriptor"));
        required = descriptor->requiredLimits;
        if (required != nullptr) TRY(check_chain(required->nextInChain, "WGPULimits", limits));
        features.assign(descriptor->requiredFeatures,
                        descriptor->requiredFeatures + descriptor->requiredFeatureCount);
    }
    TRY(check_features(adapter, features));
    // Every device has the core, as every adapter does.
    if (std::ranges::find(features, WGPUFeatureName_CoreFeaturesAndLimits) == features.end())
        features.push_back(WGPUFeatureName_CoreFeaturesAndLimits);
    const WGPULimits limits = TRY(granted(adapter.limits, required));
    Session session = TRY(Session::open({.policy = {.choice = Pinned{adapter.id()}}}));
    return Opened{std::move(session), limits, std::move(features)};
}

}  // namespace

WGPUErrorType type_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::out_of_memory: return WGPUErrorType_OutOfMemory;
        case ErrorCode::internal:
        case ErrorCode::compile_failed:
        case ErrorCode::compile_timed_out:
        case ErrorCode::timed_out:
        case ErrorCode::io_failed: return WGPUErrorType_Internal;
        case ErrorCode::invalid_argument:
        case ErrorCode::invalid_program:
        case ErrorCode::unsupported:
        case ErrorCode::limit_exceeded:
        case ErrorCode::not_found:
        case ErrorCode::conflict:
        case ErrorCode::refused:
        case ErrorCode::unavailable:
        case ErrorCode::device_lost: break;
    }
    return WGPUErrorType_Validation;
}

Result<void> DeviceObject::usable_by(const GpuDevice& user) const {
    if (device.get() != &user)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The {} is of another device, {}, than the {}.", shown(), device->shown(),
                                user.shown()),
                    "use objects of one device together");
    if (!is_valid_)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The {} is invalid: it couldn't be made.", shown()),
                    "correct the error that its creation reported");
    return {};
}

}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

WGPUDeviceImpl::WGPUDeviceImpl(Ref<Adapter> adapter, Session session, Options options)
    : Object(Kind::device, std::move(options.label)),
      adapter(std::move(adapter)),
      session(std::move(session)),
      limits(options.limits),
      features(std::move(options.features)),
      compile(compile_options()),
      lost_future(options.lost_future),
      on_error_(options.on_error),
      lost_(std::move(options.lost)),
      number_(next_number()),
      queue_(std::make_unique<WGPUQueueImpl>(*this)) {
    lost_->set_device(this);
}

WGPUDeviceImpl::~WGPUDeviceImpl() = default;

bool WGPUDeviceImpl::has(WGPUFeatureName feature) const {
    return std::ranges::find(features, feature) != features.end();
}

void WGPUDeviceImpl::report(WGPUErrorType type, std::string_view message) noexcept {
    if (is_lost()) return;
    try {
        if (const auto own = scopes().find(number_); own != scopes().end())
            for (Scope& scope : own->second | std::views::reverse) {
                if (!takes(scope.filter, type)) continue;
                if (scope.type == WGPUErrorType_NoError) {
                    scope.type = type;
                    scope.message = message;
                }
                return;
            }
        if (on_error_.callback == nullptr) return log(LogLevel::error, message);
        const WGPUDevice self = this;
        on_error_.callback(&self, type, view_of(message), on_error_.userdata1, on_error_.userdata2);
    } catch (const std::exception&) {  // no memory for the message: nothing can tell
    }
}

void WGPUDeviceImpl::report(const Error& error) noexcept {
    try {
        const std::string text = error.to_string();
        if (error.code == ErrorCode::device_lost) return lose(WGPUDeviceLostReason_Unknown, text);
        report(type_of(error.code), text);
    } catch (const std::exception&) {
        report(WGPUErrorType_OutOfMemory, "The host has no memory left.");
    }
}

void WGPUDeviceImpl::push_scope(WGPUErrorFilter filter) { scopes()[number_].push_back({filter}); }

WGPUDeviceImpl::Popped WGPUDeviceImpl::pop_scope() {
    const auto own = scopes().find(number_);
    if (own == scopes().end()) return {};
    Scope scope = std::move(own->second.back());
    own->second.pop_back();
    if (own->second.empty()) scopes().erase(own);
    return {true, scope.type, std::move(scope.message)};
}

void WGPUDeviceImpl::lose(WGPUDeviceLostReason reason, const std::string& message) {
    is_lost_.store(true, std::memory_order_release);
    if (!lost_->lose(reason, message)) return;
    if (lost_->mode() == WGPUCallbackMode_AllowSpontaneous)
        instance().futures->call_spontaneously(lost_future.id);
}

void WGPUDeviceImpl::destroy() {
    std::vector<Ref<GpuBuffer>> buffers;
    {
        const std::lock_guard lock(mutex_);
        for (GpuBuffer* buffer : buffers_)
            if (buffer->try_keep()) buffers.push_back(Ref<GpuBuffer>::adopt(buffer));
    }
    is_lost_.store(true, std::memory_order_release);
    for (const Ref<GpuBuffer>& buffer : buffers) buffer->destroy();
    queue_->close();
    lose(WGPUDeviceLostReason_Destroyed, "The device was destroyed.");
}

void WGPUDeviceImpl::last_release() {
    lost_->set_device(nullptr);
    lost_->let_go();
    destroy();
    Object::last_release();
}

void WGPUDeviceImpl::add_buffer(GpuBuffer* buffer) {
    const std::lock_guard lock(mutex_);
    buffers_.insert(buffer);
}

void WGPUDeviceImpl::remove_buffer(GpuBuffer* buffer) {
    const std::lock_guard lock(mutex_);
    buffers_.erase(buffer);
}

std::shared_ptr<const BindGroupEntries> WGPUDeviceImpl::interned(BindGroupEntries entries) {
    const std::lock_guard lock(mutex_);
    std::erase_if(layouts_, [](const auto& each) { return each.expired(); });
    for (const auto& each : layouts_)
        if (auto known = each.lock(); known && *known == entries) return known;
    auto made = std::make_shared<const BindGroupEntries>(std::move(entries));
    layouts_.push_back(made);
    return made;
}

WGPUFuture wgpuAdapterRequestDevice(WGPUAdapter adapter, WGPUDeviceDescriptor const* descriptor,
                                    WGPURequestDeviceCallbackInfo info) {
    Instance& instance = *adapter->instance;
    auto lost = std::make_shared<LostEvent>(descriptor != nullptr ? descriptor->deviceLostCallbackInfo
                                                                  : WGPUDeviceLostCallbackInfo{});
    const WGPUFuture lost_future = instance.futures->add(lost);
    auto opened = open(*adapter, descriptor);
    if (!opened) {
        lost->lose(WGPUDeviceLostReason_FailedCreation, opened.error().to_string());
        if (lost->mode() == WGPUCallbackMode_AllowSpontaneous)
            instance.futures->call_spontaneously(lost_future.id);
        return done(instance, info.mode, [=, error = opened.error()](bool is_cancelled) {
            if (info.callback == nullptr) return;
            info.callback(
                is_cancelled ? WGPURequestDeviceStatus_CallbackCancelled : WGPURequestDeviceStatus_Error,
                nullptr, view_of(error.to_string()), info.userdata1, info.userdata2);
        });
    }
    auto* device = new GpuDevice(
        adapter, std::move(opened->session),
        {descriptor != nullptr ? label_of(descriptor->label) : std::string(), opened->limits,
         std::move(opened->features),
         descriptor != nullptr ? descriptor->uncapturedErrorCallbackInfo : WGPUUncapturedErrorCallbackInfo{},
         std::move(lost), lost_future});
    if (descriptor != nullptr) device->queue().set_label(label_of(descriptor->defaultQueue.label));
    log(LogLevel::info,
        fmt::format("The WebGPU {} is on {}. {}", device->shown(), adapter->id(), adapter->chosen.reasons));
    return done(instance, info.mode, [=](bool is_cancelled) {
        if (is_cancelled || info.callback == nullptr) device->release();
        if (info.callback == nullptr) return;
        if (is_cancelled)
            return info.callback(WGPURequestDeviceStatus_CallbackCancelled, nullptr,
                                 view_of("The instance was released."), info.userdata1, info.userdata2);
        info.callback(WGPURequestDeviceStatus_Success, device, {}, info.userdata1, info.userdata2);
    });
}

MUSTER_WEBGPU_OBJECT(Device)
void wgpuDeviceDestroy(WGPUDevice device) { device->destroy(); }

WGPUStatus wgpuDeviceGetAdapterInfo(WGPUDevice device, WGPUAdapterInfo* info) {
    return wgpuAdapterGetInfo(device->adapter.get(), info);
}

void wgpuDeviceGetFeatures(WGPUDevice device, WGPUSupportedFeatures* features) {
    fill(*features, device->features);
}
WGPUBool wgpuDeviceHasFeature(WGPUDevice device, WGPUFeatureName feature) { return device->has(feature); }

WGPUStatus wgpuDeviceGetLimits(WGPUDevice device, WGPULimits* limits) {
    if (const auto filled = fill(*limits, device->limits); !filled) {
        log_misuse("wgpuDeviceGetLimits", filled.error());
        return WGPUStatus_Error;
    }
    return WGPUStatus_Success;
}

WGPUFuture wgpuDeviceGetLostFuture(WGPUDevice device) { return device->lost_future; }

WGPUQueue wgpuDeviceGetQueue(WGPUDevice device) {
    device->queue().add_ref();
    return &device->queue();
}

void wgpuDevicePushErrorScope(WGPUDevice device, WGPUErrorFilter filter) {
    device->attempt("wgpuDevicePushErrorScope", [&]() -> Result<void> {
        if (filter < WGPUErrorFilter_Validation || filter > WGPUErrorFilter_Internal)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("The error filter is {}, which is none.", static_cast<unsigned>(filter)),
                        "use WGPUErrorFilter_Validation, _OutOfMemory or _Internal");
        device->push_scope(filter);
        return {};
    });
}

WGPUFuture wgpuDevicePopErrorScope(WGPUDevice device, WGPUPopErrorScopeCallbackInfo info) {
    return done(device->instance(), info.mode, [info, popped = device->pop_scope()](bool is_cancelled) {
        if (info.callback == nullptr) return;
        const auto answer = [&](WGPUPopErrorScopeStatus status, WGPUErrorType type,
                                std::string_view message) {
            info.callback(status, type, view_of(message), info.userdata1, info.userdata2);
        };
        if (is_cancelled)
            return answer(WGPUPopErrorScopeStatus_CallbackCancelled, WGPUErrorType_NoError,
                          "The instance was released.");
        if (!popped.is_there)
            return answer(
                WGPUPopErrorScopeStatus_Error, WGPUErrorType_NoError,
                "This thread has no error scope of the device.\nFix: call wgpuDevicePushErrorScope before");
        answer(WGPUPopErrorScopeStatus_Success, popped.type, popped.message);
    });
}
