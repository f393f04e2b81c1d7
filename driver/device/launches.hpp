// launches.hpp - submits bound launches to one device under one ticket, with their buffers locked: one, or
// those of a sequence, which are prepared once. Internal to driver/.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <muster/driver/contract/grid.hpp>
#include <muster/driver/device/binding.hpp>
#include <muster/driver/device/buffer_state.hpp>
#include <muster/driver/device/device_context.hpp>
#include <muster/driver/device/ticket.hpp>
#include <muster/driver/support/inline_vector.hpp>

namespace muster {

/// A grid, folded for a device.
struct FoldedDispatch {
    Extent3 groups;
    FoldedGrid parts;
};

/// A dispatch whose arguments are bound and whose grid is folded.
struct BoundLaunch {
    const LoadedProgram* loaded =
        nullptr;  // null: a transfer; its arguments are a word, a copy's source, the target
    std::span<const BoundArgument> arguments;
    FoldedDispatch grid;
    const ValidProgram* program = nullptr;  // as its author wrote it; null: it isn't validated
    std::size_t step = 0;                   // of a sequence, for errors
    /// Grids of further launches behind it that differ in nothing else, each in one
    /// part and a step of its own.
    std::span<const Extent3> more = {};
    WordGuard* guard = nullptr;  // PartOfGrid::guard
};

/// The distinct buffers of launches.
class UsedBuffers {
  public:
    void add(std::span<const BoundArgument> bound) {
        for (const BoundArgument& argument : bound)
            if (const auto* range = std::get_if<BoundRange>(&argument.what)) states_.push_back(range->buffer);
    }
    /// Drops what was added twice. Called once all are added, before the functions below.
    void finish() {
        if (states_.size() < 2) return;
        std::ranges::sort(states_);  // the lock order, the same in all threads
        states_.truncate(states_.size() - std::ranges::unique(states_).size());
    }
    std::size_t size() const { return states_.size(); }

    using Locks = InlineVector<std::unique_lock<std::mutex>, usual_bindings>;
    /// Locks all buffers once none is in use on another device, so that they can be moved to this one. Waits
    /// with no buffer locked, so that a concurrent read of one keeps its own timeout.
    Result<void> lock_for(const DeviceContext& device, Locks& locks) const;
    /// Moves the buffers, those of the launches, to the device. Precondition: they are locked.
    Result<void> move_to(DeviceContext& device, std::span<const BoundLaunch> launches) const;
    /// Records the ticket as the buffers' last use. Can't fail: precondition: locked, and
    /// ticket->memory has the capacity.
    void used_by(const std::shared_ptr<Ticket::State>& ticket) const;
    /// A number that grows whenever the memory of one of the buffers changes. Precondition: they are locked.
    std::uint64_t moves() const;

  private:
    Buffer::State* busy_elsewhere(const DeviceContext& device) const;

    InlineVector<Buffer::State*, usual_bindings> states_;
};

/// Launches as their device takes them, to be submitted many times: small and in a row, since a
/// sequence may have thousands.
class PreparedLaunches {
  public:
    PreparedLaunches() = default;
    /// Copies the values that the launches bind. Precondition: what else `launches` refer
    /// to outlives this object.
    explicit PreparedLaunches(std::span<const BoundLaunch> launches);
    PreparedLaunches(const PreparedLaunches&) = delete;
    PreparedLaunches& operator=(const PreparedLaunches&) = delete;

    std::size_t size() const { return size_; }
    /// Submits the launches one by one, and adds them to `ticket`. After an error, earlier ones may be in
    /// flight: `began` tells. Precondition: `buffers` are those of the launches, locked and on the device.
    Result<void> submit(DeviceContext& device, const UsedBuffers& buffers, Ticket::State& ticket,
                        bool& began);

  private:
    struct LaunchPart {
        const LoadedProgram* loaded = nullptr;
        std::size_t step = 0;
        Launch launch = {};
        std::span<const Extent3> more = {};  // BoundLaunch::more
    };
    Result<void> submit_one(DeviceContext& device, const LaunchPart& part, const Launch& launch,
                            std::size_t step, Ticket::State& ticket, bool& began) const;
    void add(const BoundLaunch& launch);
    void find_memory();

    std::vector<LaunchPart> parts_;
    std::size_t size_ = 0;  // submissions
    // Bindings and values of all launches, in their order; neither grows once `parts_` refers to it:
    std::vector<BoundMemory> memory_;
    std::vector<std::byte> values_;
    std::vector<const Buffer::State*> buffers_;      // of each of memory_; null: a value
    std::uint64_t moves_ = 0;                        // of the buffers, when memory_ was right
    std::uint64_t exchanged_ = codes_exchanged();    // before the executables of parts_ were taken
    const BoundArgument* last_arguments_ = nullptr;  // of the launch that was added last
    bool is_one_step_ = true;
};

/// Moves the buffers to the device and submits the launch. After an error, parts of it may be in flight:
/// `began` tells. Precondition: `buffers` are those of the launch.
Result<Ticket> submit_launch(const std::shared_ptr<DeviceContext>& device, const UsedBuffers& buffers,
                             const BoundLaunch& launch, bool& began);
/// Likewise, of the launches of a sequence, in their order. Precondition: `prepared` was made of them.
Result<Ticket> submit_launches(const std::shared_ptr<DeviceContext>& device, const UsedBuffers& buffers,
                               std::span<const BoundLaunch> launches, PreparedLaunches& prepared,
                               bool& began);

}  // namespace muster
