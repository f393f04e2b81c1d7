#include <utility>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/grid_barriers/split_executor.hpp>
#include <muster/driver/routing/grid_barriers.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::grid_barriers {
namespace {

Result<SplitArtifact> compile_parts(Device& device, const ValidProgram& program,
                                    const CompileOptions& options, const routing::CodeSources& sources) {
    SplitArtifact made{.program = program, .options = options, .sources = sources};
    made.split = TRY(during("splitting it at its grid barriers",
                            split_at_grid_barriers(*program, float_results(options))));
    for (const SplitPart& part : made.split->parts)
        made.parts.push_back(TRY(routing::compile_for(device, part.program, options, sources)));
    return made;
}

Result<std::unique_ptr<Executable>> load_idle_kernel(Device& device, const CompileOptions& options,
                                                     const routing::CodeSources& sources) {
    const ValidProgram idle = TRY(idle_kernel());
    Artifact artifact = TRY(routing::compile_for(device, idle, options, sources));
    return routing::load_for(device, idle, options, artifact, sources);
}

}  // namespace

Artifact SplitArtifact::joined() const {
    if (whole) return *whole;
    Artifact all = make_artifact(*program, options);
    for (const Artifact& part : parts) {
        all.format = part.format;
        all.target = part.target;
        all.bytes.insert(all.bytes.end(), part.bytes.begin(), part.bytes.end());
    }
    return all;
}

Result<void> SplitExecutable::load() {
    if (!artifact_.whole) return load_parts(artifact_);
    whole_ = TRY(routing::load_for(device_, artifact_.program, artifact_.options, *artifact_.whole,
                                   artifact_.sources));
    return {};
}

const Executable* SplitExecutable::whole(Extent3 grid) const {
    const Extent3 most = device_.info().limits.max_workgroups;
    const bool fits = grid.x <= most.x && grid.y <= most.y && grid.z <= most.z;
    return whole_ && fits && grid.count() <= whole_->resident_workgroups ? whole_.get() : nullptr;
}

Result<const LoadedParts*> SplitExecutable::parts() const {
    const std::lock_guard lock(mutex_);
    if (!parts_) {
        SplitArtifact made =
            TRY(compile_parts(device_, artifact_.program, artifact_.options, artifact_.sources));
        TRY(load_parts(made));
    }
    return &*parts_;
}

Result<void> SplitExecutable::load_parts(SplitArtifact& artifact) const {
    LoadedParts loaded{.program = *artifact.split};
    for (std::size_t i = 0; i < artifact.parts.size(); ++i)
        loaded.parts.push_back(TRY(routing::load_for(device_, artifact.split->parts[i].program,
                                                     artifact.options, artifact.parts[i], artifact.sources)));
    if (needs_idle_kernel(loaded.program))
        loaded.idle_kernel = TRY(load_idle_kernel(device_, artifact.options, artifact.sources));
    parts_.emplace(std::move(loaded));
    return {};
}

Result<SplitArtifact> SplitExecutor::compile(const ValidProgram& program, const CompileOptions& options,
                                             const routing::CodeSources& sources) const {
    if (!has_own_grid_barriers(device_.info().ops)) return compile_parts(device_, program, options, sources);
    SplitArtifact made{.program = program, .options = options, .sources = sources};
    made.whole = TRY(routing::compile_for(device_, program, options, sources));
    return made;
}

Result<std::unique_ptr<SplitExecutable>> SplitExecutor::load(SplitArtifact artifact) {
    auto made = std::make_unique<SplitExecutable>(device_, std::move(artifact));
    TRY(with_room([&] { return made->load(); }));
    return made;
}

Result<Submitted> SplitExecutor::submit(const SplitExecutable& program, const Launch& launch) {
    const Executable* const whole = program.whole(launch.grid);
    if (whole == nullptr) return submit_parts(*TRY(program.parts()), launch);
    Launch in_one = launch;
    in_one.executable = whole;
    return submit(in_one);
}

Result<Submitted> SplitExecutor::submit(const Launch& launch) {
    if (queue_.is_empty()) return device_.submit(launch);
    return queue(std::make_unique<QueuedLaunch>(device_, launch));
}

Result<Submitted> SplitExecutor::transfer(const MemoryTransfer& transfer) {
    if (queue_.is_empty()) return device_.transfer(transfer);
    return queue(std::make_unique<QueuedTransfer>(device_, transfer));
}

Result<Submitted> SplitExecutor::queue(std::unique_ptr<QueuedWork> queued) {
    const std::shared_ptr<PartsInFlight> work = queued->work();
    work->set_help([this](Moment deadline) { queue_.help(deadline); });
    TRY(queue_.push(std::move(queued)));
    return work;
}

Result<Submitted> SplitExecutor::submit_parts(const LoadedParts& parts, const Launch& launch) {
    auto run = TRY(SplitRun::make(device_, scratch_, parts, launch));
    std::shared_ptr<PartsInFlight> work = run->work();
    const bool at_once = !run->must_wait() && queue_.is_empty();
    if (!at_once || !run->start()) {
        work->set_help([this](Moment deadline) { queue_.help(deadline); });
        if (auto pushed = queue_.push(std::move(run)); !pushed) work->close(std::move(pushed).error());
    }
    if (!work->done()) return work;
    auto ended = work->wait({});
    if (!ended) return std::unexpected(std::move(ended).error());
    return *ended;
}

}  // namespace muster::grid_barriers
