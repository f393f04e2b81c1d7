// split_executor.hpp - runs programs with grid barriers on a device, and keeps their dispatches
// in order with all others.
//
// If the device has grid barriers and the grid fits (Executable::resident_workgroups), a program runs in one
// launch. Otherwise it is split at its barriers (foundation/split/grid_split.hpp): its parts are compiled
// once, the scratch memory between them comes from a pool, and each part's grid is folded by itself. Programs
// whose host steps must wait for a part (gridUniformLoad) are submitted by a thread of the executor's own;
// later submissions queue behind them. Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/grid_barriers/scratch_pool.hpp>
#include <muster/driver/grid_barriers/split_run.hpp>
#include <muster/driver/grid_barriers/submit_queue.hpp>
#include <muster/driver/routing/compile_for.hpp>

namespace muster::grid_barriers {

/// The code of a program with grid barriers: as written, if the device has them, or in parts.
struct SplitArtifact {
    ValidProgram program;
    CompileOptions options;
    routing::CodeSources sources = {};
    std::optional<Artifact> whole;
    std::optional<SplitProgram> split;
    std::vector<Artifact> parts;

    /// Returns one artifact for the whole program; the parts' bytes follow one another.
    Artifact joined() const;
};

/// A program with grid barriers, loaded. Takes grids of any size.
class SplitExecutable {
  public:
    SplitExecutable(Device& device, SplitArtifact artifact)
        : device_(device), artifact_(std::move(artifact)) {}
    Result<void> load();

    /// Returns the executable that runs a grid in one launch; null if the grid doesn't fit.
    const Executable* whole(Extent3 grid) const;
    /// Returns the parts. On a device with grid barriers they are compiled when a grid first needs them.
    Result<const LoadedParts*> parts() const;

  private:
    Result<void> load_parts(SplitArtifact& artifact) const;

    Device& device_;
    SplitArtifact artifact_;
    std::unique_ptr<Executable> whole_;
    mutable std::mutex mutex_;
    mutable std::optional<LoadedParts> parts_;  // not changed once set
};

class SplitExecutor {
  public:
    /// The device must outlive the executor.
    explicit SplitExecutor(Device& device) : device_(device) {}

    Result<SplitArtifact> compile(const ValidProgram& program, const CompileOptions& options,
                                  const routing::CodeSources& sources = {}) const;
    Result<std::unique_ptr<SplitExecutable>> load(SplitArtifact artifact);

    /// Submits a launch over the whole grid, whatever the device's limits; its `executable` isn't read.
    Result<Submitted> submit(const SplitExecutable& program, const Launch& launch);
    /// Submits any other launch: at once, or behind the split programs that still have parts to submit.
    Result<Submitted> submit(const Launch& launch);
    Result<Submitted> transfer(const MemoryTransfer& transfer);  // likewise

    /// Returns what `call` returns. If it runs out of memory, frees the scratch kept for
    /// later and calls it once more.
    template <class Call>
    auto with_room(Call&& call) -> decltype(call()) {
        auto made = call();
        const bool lacks_memory = !made && made.error().code == ErrorCode::out_of_memory;
        return lacks_memory && scratch_.clear() ? call() : std::move(made);
    }
    /// Submits nothing more. Returns at once.
    void abandon() { queue_.abandon(); }

  private:
    Result<Submitted> queue(std::unique_ptr<QueuedWork> work);
    Result<Submitted> submit_parts(const LoadedParts& parts, const Launch& launch);

    Device& device_;
    ScratchPool scratch_;
    SubmitQueue queue_;  // destroyed first: its remaining jobs need the other members
};

}  // namespace muster::grid_barriers
