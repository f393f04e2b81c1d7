// buffer_state.hpp - where a buffer's bytes are now, and what uses them. Internal to driver/.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <muster/driver/session/device_context.hpp>
#include <muster/driver/session/ticket_state.hpp>

namespace muster {

/// All functions: precondition: `mutex` is held.
struct Buffer::State {
    std::mutex mutex;
    std::uint64_t bytes = 0;
    std::optional<ElementType> element_type;
    std::vector<std::byte> host;             // while memory is null; empty: all zeros
    std::shared_ptr<ResidentMemory> memory;  // once a device has it
    std::shared_ptr<Ticket::State> last_use;

    /// Moves the bytes to the device, where they aren't there already, and gives them. Precondition: no dispatch
    /// on another device uses them.
    Result<Memory*> on(DeviceContext& device);
    /// Waits for the last dispatch that uses the buffer; lets go of `lock` meanwhile.
    Result<void> idle(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds timeout);
};

}  // namespace muster
