// buffer_state.hpp - the current location of a buffer's bytes, and the last dispatch that uses them. Internal to
// driver/.
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

/// Precondition of all functions: the caller has locked `mutex`.
struct Buffer::State {
    std::mutex mutex;
    std::uint64_t bytes = 0;
    std::optional<ElementType> element_type;
    std::vector<std::byte> host;             // the bytes while `memory` is null; empty means all zeros
    std::shared_ptr<ResidentMemory> memory;  // set once the bytes are on a device
    std::shared_ptr<Ticket::State> last_use;

    /// Returns the buffer's memory on the device; moves the bytes there first if they are elsewhere. Precondition: no
    /// dispatch on another device uses them.
    Result<Memory*> on(DeviceContext& device);
    /// Waits for the last dispatch that uses the buffer; `lock` is unlocked during the wait.
    Result<void> idle(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds timeout);
};

}  // namespace muster
