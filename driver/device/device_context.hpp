// device_context.hpp - a device that a session has opened: memory, executables, dispatches,
// health. Internal to driver/.
//
// A device that a call reports as lost, or that is quarantined, stays lost for this session. A quarantined
// device is stuck in a kernel: its resources are leaked on purpose, because freeing them would wait for the
// kernel. So are, in a child of fork(), those of the devices that its parent had open. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/device/ticket.hpp>
#include <muster/driver/grid_barriers/split_executor.hpp>
#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/helper/compile_later.hpp>
#include <muster/driver/policy/policy.hpp>
#include <muster/driver/support/linked_queue.hpp>
#include <muster/driver/support/recycling.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/driver/validation/validator.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

class DeviceContext;

/// Device memory, together with its device, which it keeps alive.
class ResidentMemory {
  public:
    /// A list node, so that the memory of a quarantined device can be kept for ever without an allocation.
    struct Node {
        std::shared_ptr<const void> owner;  // of the host's memory that is wrapped, if it has one
        std::unique_ptr<Memory> memory;
        std::unique_ptr<Node> next;
    };

    ResidentMemory(std::shared_ptr<DeviceContext> device, std::unique_ptr<Memory> memory,
                   std::shared_ptr<const void> owner = {})
        : device_(std::move(device)), node_(std::make_unique<Node>(std::move(owner), std::move(memory))) {
        count(node_->memory->bytes());
    }
    ResidentMemory(const ResidentMemory&) = delete;
    ResidentMemory& operator=(const ResidentMemory&) = delete;
    ~ResidentMemory();  // leaks the memory of a quarantined device

    DeviceContext& device() const { return *device_; }
    Memory& memory() const { return *node_->memory; }

  private:
    void count(std::uint64_t bytes) const;

    std::shared_ptr<DeviceContext> device_;
    std::unique_ptr<Node> node_;
};

/// A program loaded on a device: one of `executable` and `split` is set. Must not
/// outlive the device's context.
struct LoadedProgram {
    Artifact artifact;
    std::unique_ptr<Executable> executable;
    std::unique_ptr<grid_barriers::SplitExecutable> split;  // if the program has grid barriers

    /// This, or what has taken its place: better code for the same program.
    const LoadedProgram& latest() const {
        const LoadedProgram* const other = better.load(std::memory_order_acquire);
        return other != nullptr ? *other : *this;
    }
    bool is_quick = false;  // the device could make better code
    std::atomic<const LoadedProgram*> better{nullptr};
    std::shared_ptr<const LoadedProgram> owned_better;  // the same as `better`
};

/// The number of programs of this process whose code was exchanged for better.
std::uint64_t codes_exchanged();

/// The number of devices that this process has lost so far. Cached routes may be stale once it changes.
std::uint64_t devices_lost();

/// The tickets that are in flight, oldest first; adding one allocates nothing.
class InFlight {
  public:
    const std::shared_ptr<Ticket::State>& first() const { return tickets_.first(); }
    void push(std::shared_ptr<Ticket::State> ticket);
    void pop();
    /// May be called from any thread, even during a push or pop.
    std::size_t size() const { return size_.load(std::memory_order_relaxed); }

  private:
    LinkedQueue<std::shared_ptr<Ticket::State>> tickets_;
    std::atomic<std::size_t> size_{0};
};

class DeviceContext : public std::enable_shared_from_this<DeviceContext> {
  public:
    static constexpr std::chrono::seconds answer_timeout{5};

    /// If this device was quarantined before, in a kernel that may still run, it is used only if it ends
    /// another kernel within `answer_timeout`. Errors: unavailable, if it doesn't; those of the backend.
    static Result<std::shared_ptr<DeviceContext>> open(std::shared_ptr<Backend> backend,
                                                       std::uint32_t ordinal, Validation validation,
                                                       Optimize optimize);
    ~DeviceContext();
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;

    const std::string& id() const { return id_; }  // "cuda:0"
    const DeviceInfo& info() const { return info_; }
    /// Null if dispatches aren't validated.
    Validator* validator() const { return validator_.get(); }

    /// The reason why the device can no longer be used; none while it can.
    std::optional<Error> lost() const {
        if (!is_lost()) return std::nullopt;
        return why_lost();
    }
    bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }
    bool quarantined() const { return quarantined_.load(std::memory_order_acquire); }
    void quarantine(std::string_view why);

    /// True if buffers on this device keep their bytes on the host, too, until a kernel writes them,
    /// so that they outlive it.
    bool keeps_host_copies() const { return keeps_host_copies_; }
    void keep_host_copies() { keeps_host_copies_ = true; }  // before another thread has the device

    /// Errors: invalid_argument for a spec that the backend doesn't declare for code that runs.
    Result<void> check_specs(const Specs& specs);
    /// Compiles and loads the program on the first call, or loads one of `codes`, of an artifact file; later
    /// calls return it from the cache. Failures aren't cached.
    /// After a compilation has overrun its budget (zero means no limit), the next call waits for it again.
    /// Errors: compile_timed_out, those of the device.
    Result<std::shared_ptr<const LoadedProgram>> load(const ValidProgram& program,
                                                      const CompileOptions& options,
                                                      std::chrono::nanoseconds budget,
                                                      std::span<const Artifact> codes = {});

    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes);
    /// Null if the device can't wrap memory.
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host);
    /// Precondition of write and read: no dispatch in flight uses the memory.
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from);
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to);

    /// Submits a launch of the program, whose `executable` it has. It is within the device's limits, or
    /// covers the whole grid if the program has grid barriers.
    Result<Submitted> submit(const LoadedProgram& program, const Launch& launch);

    /// True if the device copies and fills without kernels (transfer()).
    bool has_transfers() const { return has_transfers_; }
    Result<Submitted> transfer(const MemoryTransfer& transfer);

    /// The allocator of dispatch states; it reuses the memory of released ones.
    const RecyclingAllocator<Ticket::State>& tickets() const { return tickets_; }
    /// Waits for the oldest dispatch if the most that may be in flight already are. Errors: timed_out.
    Result<void> make_room();
    /// Keeps a dispatch's state alive until the dispatch has ended.
    void track(std::shared_ptr<Ticket::State> ticket);
    /// Waits for all dispatches in flight. Returns false if one still runs at the deadline.
    bool drain(std::chrono::steady_clock::time_point deadline);

    /// Marks the device as lost if the error is device_lost, and adds the device to the error's context.
    Error record_loss(Error error);

  private:
    DeviceContext(std::shared_ptr<Backend> backend, std::unique_ptr<Device> device, Validation validation,
                  Optimize optimize);
    Result<void> check_answers();
    void stay_in_parent();  // called in the child, where no other thread runs
    template <class T>
    Result<T> with_loss_recorded(Result<T> result);
    Result<Submitted> submit_unless_lost(const LoadedProgram& program, const Launch& launch);
    void check_submitted(Result<Submitted>& submitted);
    Error why_lost() const;  // precondition: the device is lost
    void lose(Error why);    // precondition: health_mutex_ is locked
    void prune(std::unique_lock<std::mutex>& flight);

    using Loaded = std::shared_ptr<const LoadedProgram>;
    struct CacheEntry {
        std::uint64_t used = 0;  // number of the last use; cache_mutex_ guards it
        std::mutex mutex;
        Loaded loaded;
        std::shared_ptr<Compilation<Loaded>> running;  // a compilation under a budget
    };
    std::shared_ptr<CacheEntry> cache_entry(const ValidProgram& program, const CompileOptions& options);
    std::shared_ptr<CacheEntry> drop_least_recently_used();  // precondition: cache_mutex_ is locked
    routing::CodeSources sources_from(std::span<const Artifact> codes) const;
    using Made = std::shared_ptr<LoadedProgram>;
    Result<Made> compile(const ValidProgram& program, const CompileOptions& options,
                         const routing::CodeSources& sources, Optimize optimize);
    void optimize_later(const Made& quick, const ValidProgram& program, const CompileOptions& options,
                        const routing::CodeSources& sources);
    using LoadedKey = std::pair<Fingerprint, CompileOptions>;

    std::shared_ptr<Backend> backend_;
    std::unique_ptr<Device> device_;
    grid_barriers::SplitExecutor split_executor_{*device_};
    DeviceInfo info_;
    std::string id_;
    const bool has_transfers_;

    mutable std::mutex health_mutex_;
    std::optional<Error> lost_;
    std::atomic<bool> is_lost_{false};  // true once lost_ is set; read on each call without a lock
    std::atomic<bool> quarantined_{false};
    std::atomic<bool> stayed_in_parent_{false};
    bool keeps_host_copies_ = false;
    const std::unique_ptr<Validator> validator_;
    const Optimize optimize_;

    friend struct Quarantine;
    std::shared_ptr<DeviceContext> next_quarantined_;
    DeviceContext *previous_open_ = nullptr, *next_open_ = nullptr;  // Quarantine guards them

    std::mutex cache_mutex_;
    std::map<LoadedKey, std::shared_ptr<CacheEntry>> cache_;
    std::uint64_t cache_uses_ = 0;

    friend ResidentMemory;
    std::atomic<std::uint64_t> resident_bytes_{0};

    const RecyclingAllocator<Ticket::State> tickets_;
    std::mutex flight_mutex_;
    InFlight in_flight_;
};

}  // namespace muster
