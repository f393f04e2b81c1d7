// buffer_state.hpp - the current location of a buffer's bytes, and the last dispatch that uses
// them. Internal to driver/.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include <muster/driver/device/device_context.hpp>
#include <muster/driver/device/host_bytes.hpp>
#include <muster/driver/device/ticket_state.hpp>
#include <muster/driver/platform/fork.hpp>

namespace muster {

/// Precondition of all functions: the caller has locked `mutex`.
struct Buffer::State {
    const ForkMark made;
    std::mutex mutex;
    std::uint64_t bytes = 0;
    std::optional<ElementType> element_type;
    std::shared_ptr<const void> owner;  // keeps the caller's memory, if it has one (buffer_owner.hpp)
    std::span<std::byte> callers;       // the caller's memory, if the buffer was made over it
    HostBytes own;  // else the bytes while `memory` is null or with `has_copy`; empty: all zeros
    std::shared_ptr<ResidentMemory> memory;  // set once the bytes are on a device
    bool is_wrapped = false;                 // `memory` is `callers`
    bool has_copy = false;    // host() has the bytes, too: no kernel has written them since the host did
    std::uint64_t moves = 0;  // times that `memory` has changed
    std::shared_ptr<Ticket::State> last_use;

    /// Errors: refused, if the buffer is of the process that this one was forked from. Needs no lock.
    Result<void> check_own_process() const;
    /// Returns the buffer's memory on the device; moves the bytes there first if they are elsewhere.
    /// Precondition: no dispatch on another device uses them.
    Result<Memory*> on(DeviceContext& device);
    /// The bytes on the host; empty means all zeros. Precondition: `memory` is null.
    std::span<std::byte> host() { return callers.empty() ? own.all() : callers; }
    /// Writes bytes of the host, where there may be none yet.
    Result<void> write_to_host(std::span<const std::byte> from, std::uint64_t offset);
    /// Moves the bytes to the host. Precondition: no dispatch uses them.
    Result<void> move_to_host();
    /// Called once a dispatch that writes the bytes may have begun.
    void written_by_kernel();
    /// True if the bytes are in memory of a device that is lost.
    bool is_on_lost_device() const { return memory && memory->device().is_lost(); }
    /// If the bytes are on a lost device, takes those of the host in their place. Errors:
    /// device_lost, if the host has none.
    Result<void> leave_lost_device();
    /// Writes bytes to the device that has the buffer, and to the host's copy.
    /// Precondition: `memory` isn't null.
    Result<void> write_to_device(std::span<const std::byte> from, std::uint64_t offset);
    /// Gives up the bytes on a lost device because the host is about to write all of them. Returns false if
    /// they must stay: the policy wants no recovery, or a kernel may still write to the caller's memory.
    bool forget_lost_bytes();
    /// Waits for the last dispatch that uses the buffer; `lock` is unlocked during the wait.
    Result<void> idle(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds timeout);
};

}  // namespace muster
