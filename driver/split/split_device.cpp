#include <utility>

#include <fmt/format.h>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/routing/grid_barriers.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/driver/split/split_device.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster {

/// What a program with grid barriers was compiled to: as it is, or its parts.
struct SplitArtifact {
    ValidProgram program;
    CompileOptions options;
    bool is_whole = false;
    std::optional<SplitProgram> split;
    std::vector<Artifact> parts;
};

namespace {

/// As the device takes it: without the mathematical functions that it isn't asked for.
Result<Artifact> compile_on(Device& device, const ValidProgram& program, const CompileOptions& options) {
    const DeviceInfo& info = device.info();
    return device.compile(TRY(expand_for(program, info.ops, info.exactness, options)), options);
}

Result<SplitArtifact> compile_parts(Device& device, const ValidProgram& program,
                                    const CompileOptions& options) {
    SplitArtifact made{.program = program, .options = options};
    made.split = TRY(during("splitting it at its grid barriers",
                            split_at_grid_barriers(*program, float_results(options))));
    for (const SplitPart& part : made.split->parts)
        made.parts.push_back(TRY(compile_on(device, part.program, options)));
    return made;
}

/// The parts' code, one after the other; how they are loaded again lies beside it.
Artifact joined(const ValidProgram& program, std::shared_ptr<const SplitArtifact> split) {
    Artifact all;
    all.entry = program->entry();
    all.workgroup_size = program->workgroup_size();
    all.bindings = binding_layouts(*program);
    all.files.assign(program->files().begin(), program->files().end());
    all.options = split->options;
    for (const Artifact& part : split->parts) {
        all.format = part.format;
        all.target = part.target;
        all.bytes.insert(all.bytes.end(), part.bytes.begin(), part.bytes.end());
    }
    all.split = std::move(split);
    return all;
}

Result<split::LoadedParts> load_parts(Device& device, const SplitArtifact& artifact) {
    split::LoadedParts loaded{.program = *artifact.split};
    for (const Artifact& part : artifact.parts) loaded.parts.push_back(TRY(device.load(part)));
    return loaded;
}

/// What `call` returns; where it lacks memory, once more without the scratch that is only kept for later.
template <class Call>
auto with_room(split::ScratchPool& scratch, Call&& call) -> decltype(call()) {
    auto made = call();
    const bool lacks_memory = !made && made.error().code == ErrorCode::out_of_memory;
    return lacks_memory && scratch.clear() ? call() : std::move(made);
}

}  // namespace

/// A program with grid barriers, which takes grids of any size.
class SplitDevice::WholeGrids final : public Executable {
  public:
    WholeGrids(SplitDevice& device, const SplitArtifact& artifact) : device_(device), artifact_(artifact) {
        takes_whole_grids = true;
    }

    Result<void> load(const Artifact& from) {
        if (!artifact_.is_whole) return load_split(artifact_);
        whole_ = TRY(device_.inner_->load(from));
        return {};
    }

    /// Null where the grid doesn't fit.
    const Executable* whole(Extent3 grid) const {
        const Extent3 most = device_.info().limits.max_workgroups;
        const bool fits = grid.x <= most.x && grid.y <= most.y && grid.z <= most.z;
        return whole_ && fits && grid.count() <= whole_->resident_workgroups ? whole_.get() : nullptr;
    }

    /// Where it runs as it is, the parts are made when a grid first needs them.
    Result<const split::LoadedParts*> parts() const {
        const std::lock_guard lock(mutex_);
        if (!parts_)
            TRY(load_split(TRY(compile_parts(*device_.inner_, artifact_.program, artifact_.options))));
        return &*parts_;
    }

  private:
    Result<void> load_split(const SplitArtifact& artifact) const {
        split::LoadedParts loaded = TRY(load_parts(*device_.inner_, artifact));
        if (loaded.program.waits || !loaded.program.host_reads.empty() || loaded.program.censuses > 0)
            loaded.nothing = TRY(device_.load_nothing(artifact.options));
        parts_.emplace(std::move(loaded));
        return {};
    }

    SplitDevice& device_;
    SplitArtifact artifact_;
    std::unique_ptr<Executable> whole_;
    mutable std::mutex mutex_;
    mutable std::optional<split::LoadedParts> parts_;  // not changed once there are some
};

Result<std::unique_ptr<Executable>> SplitDevice::load_nothing(const CompileOptions& options) {
    const ValidProgram nothing = TRY(validate(TRY(IrBuilder("muster_nothing", {1, 1, 1}).finish())));
    return inner_->load(TRY(inner_->compile(nothing, options)));
}

Result<Artifact> SplitDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    if (!has_grid_barriers(*program)) return compile_on(*inner_, program, options);
    if (!has_own_grid_barriers(info().ops))
        return joined(program,
                      std::make_shared<const SplitArtifact>(TRY(compile_parts(*inner_, program, options))));
    Artifact artifact = TRY(compile_on(*inner_, program, options));
    artifact.split = std::make_shared<const SplitArtifact>(
        SplitArtifact{.program = program, .options = options, .is_whole = true});
    return artifact;
}

Result<std::unique_ptr<Executable>> SplitDevice::load(const Artifact& artifact) {
    return with_room(scratch_, [&]() -> Result<std::unique_ptr<Executable>> {
        if (!artifact.split) return inner_->load(artifact);
        auto made = std::make_unique<WholeGrids>(*this, *artifact.split);
        TRY(made->load(artifact));
        return made;
    });
}

Result<std::unique_ptr<Memory>> SplitDevice::allocate(std::uint64_t bytes) {
    return with_room(scratch_, [&] { return inner_->allocate(bytes); });
}

Result<Submitted> SplitDevice::submit(const Launch& launch) {
    if (!launch.executable->takes_whole_grids) return pass(launch);
    const auto& program = static_cast<const WholeGrids&>(*launch.executable);
    const Executable* const whole = program.whole(launch.grid);
    if (whole == nullptr) return submit_parts(*TRY(program.parts()), launch);
    Launch as_it_is = launch;
    as_it_is.executable = whole;
    return pass(as_it_is);
}

Result<Submitted> SplitDevice::pass(const Launch& launch) {
    if (queue_.is_empty()) return inner_->submit(launch);
    auto queued = std::make_unique<split::QueuedLaunch>(*inner_, launch);
    const std::shared_ptr<split::PartsInFlight> work = queued->work();
    work->set_help([this](Moment deadline) { queue_.help(deadline); });
    TRY(queue_.push(std::move(queued)));
    return work;
}

Result<Submitted> SplitDevice::submit_parts(const split::LoadedParts& parts, const Launch& launch) {
    auto run = TRY(split::SplitRun::make(*inner_, scratch_, parts, launch));
    std::shared_ptr<split::PartsInFlight> work = run->work();
    const bool at_once = !run->waits() && queue_.is_empty();
    if (!at_once || !run->start()) {
        work->set_help([this](Moment deadline) { queue_.help(deadline); });
        if (auto pushed = queue_.push(std::move(run)); !pushed) work->close(std::move(pushed).error());
    }
    if (!work->done()) return work;
    auto ended = work->wait({});
    if (!ended) return std::unexpected(std::move(ended).error());
    return *ended;
}

void SplitDevice::abandon() {
    queue_.abandon();
    inner_->abandon();
}

}  // namespace muster
