// split_run.hpp - one dispatch of a split program: its parts submitted as the host's walk asks for
// them. Internal to driver/.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/grid_barriers/parts_in_flight.hpp>
#include <muster/driver/grid_barriers/scratch_pool.hpp>
#include <muster/driver/grid_barriers/submit_queue.hpp>
#include <muster/foundation/split/grid_walk.hpp>

namespace muster::grid_barriers {

/// A launch that outlives its call: it copies the bindings and their values.
class OwnedLaunch {
  public:
    explicit OwnedLaunch(const Launch& launch);
    OwnedLaunch(const OwnedLaunch&) = delete;
    OwnedLaunch& operator=(const OwnedLaunch&) = delete;
    const Launch& operator*() const { return launch_; }
    const Launch* operator->() const { return &launch_; }

  private:
    std::vector<BoundMemory> bindings_;
    std::vector<std::vector<std::uint32_t>> values_;
    Launch launch_;
};

/// A split program, loaded: its parts, and a kernel that does nothing, to wait for earlier submissions.
struct LoadedParts {
    SplitProgram program;
    std::vector<std::unique_ptr<Executable>> parts;
    std::unique_ptr<Executable> idle_kernel;  // null if the host never waits
};

class SplitRun final : public SubmitQueue::Job, private GridHost {
  public:
    /// Makes a run and takes its scratch. `launch` is over the whole grid. Errors: limit_exceeded (the
    /// scratch is too large), out_of_memory.
    static Result<std::unique_ptr<SplitRun>> make(Device& device, ScratchPool& pool, const LoadedParts& parts,
                                                  const Launch& launch);
    ~SplitRun() override;

    /// Returns true if the host must wait for parts or for earlier submissions.
    bool must_wait() const;
    /// Submits parts without waiting. Returns true if the dispatch needs no further
    /// call, also after an error.
    bool start();
    bool run(const std::atomic<bool>& abandoned, Moment deadline) override;
    void give_up(Error why) override { work_->close(std::move(why)); }
    bool keeps_deadlines() const override;
    const std::shared_ptr<PartsInFlight>& work() const { return work_; }

  private:
    SplitRun(Device& device, ScratchPool& pool, const LoadedParts& parts, const Launch& launch);
    Result<void> take_scratch();
    bool advance();
    void close(std::optional<Error> why);

    Result<void> run(std::uint32_t part, std::span<const std::uint32_t> host_values) override;
    Result<bool> is_settled() override;
    Result<void> read(std::uint32_t binding, std::uint64_t offset, std::span<std::uint32_t> into) override;
    Result<std::optional<std::uint32_t>> fetch() override;
    Result<void> submit(std::uint32_t part, std::span<const BoundMemory> bindings);
    Result<bool> read_ahead();
    Result<void> check_not_given_up() const;
    Result<void> read_device(const Memory& memory, std::uint64_t offset, std::span<std::uint32_t> into);
    Result<bool> advance_until_deadline();

    Device& device_;
    ScratchPool& pool_;
    const LoadedParts& parts_;
    OwnedLaunch launch_;
    GridWalk walk_;
    std::shared_ptr<PartsInFlight> work_;
    std::shared_ptr<Memory> scratch_;
    std::uint64_t scratch_bytes_ = 0;
    const std::atomic<bool>* abandoned_ = nullptr;  // null while it may not wait
    Moment deadline_ = Moment::max();
    bool has_read_ahead_ = false;
    std::map<std::uint32_t, std::vector<std::uint32_t>>
        read_;  // contents of small bindings that never change, read ahead
};

/// Other work, queued behind a split program that waits.
class QueuedWork : public SubmitQueue::Job {
  public:
    explicit QueuedWork(Device& device) : device_(device) {}
    bool run(const std::atomic<bool>& abandoned, Moment deadline) final;
    void give_up(Error why) final { work_->close(std::move(why)); }
    const std::shared_ptr<PartsInFlight>& work() const { return work_; }

  protected:
    Device& device() const { return device_; }

  private:
    virtual Result<Submitted> submit() = 0;

    Device& device_;
    const std::shared_ptr<PartsInFlight> work_ = std::make_shared<PartsInFlight>("", 0);
};

/// A launch of a program that isn't split.
class QueuedLaunch final : public QueuedWork {
  public:
    QueuedLaunch(Device& device, const Launch& launch) : QueuedWork(device), launch_(launch) {}

  private:
    Result<Submitted> submit() override { return device().submit(*launch_); }
    OwnedLaunch launch_;
};

class QueuedTransfer final : public QueuedWork {
  public:
    QueuedTransfer(Device& device, const MemoryTransfer& transfer)
        : QueuedWork(device), transfer_(transfer) {}

  private:
    Result<Submitted> submit() override { return device().transfer(transfer_); }
    const MemoryTransfer transfer_;
};

}  // namespace muster::grid_barriers
