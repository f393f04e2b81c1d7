// instance.hpp - the instance: the root of all objects, and of the futures of their operations.
#pragma once

#include <functional>
#include <memory>

#include <muster/foundation/base/result.hpp>
#include <muster/webgpu/future.hpp>
#include <muster/webgpu/object.hpp>

struct WGPUInstanceImpl final : muster::webgpu::Object {
    WGPUInstanceImpl(bool has_timed_waits, std::size_t most_waited)
        : Object(muster::webgpu::Kind::instance, {}),
          has_timed_waits(has_timed_waits),
          most_waited(most_waited) {}

    const bool has_timed_waits;
    const std::size_t most_waited;  // futures of one timed wait
    const std::shared_ptr<muster::webgpu::Futures> futures = std::make_shared<muster::webgpu::Futures>();

  protected:
    void last_release() override;  // cancels what is left
};

namespace muster::webgpu {

using Instance = ::WGPUInstanceImpl;

/// The mode of a callback. Programs that leave it out have their callbacks at once:
/// wgpu-native calls them so.
WGPUCallbackMode mode_of(WGPUCallbackMode given);

/// Adds an operation that has already ended.
WGPUFuture done(Instance& instance, WGPUCallbackMode mode, std::function<void(bool is_cancelled)> callback);

/// Logs a mistake that webgpu.h reports with a status alone ("Implementation-Defined Logging").
void log_misuse(std::string_view call, const Error& error);

}  // namespace muster::webgpu
