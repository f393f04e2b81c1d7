#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/grid_barriers/split_executor.hpp>
#include <muster/driver/grid_barriers/splitting_backend.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/routing/grid_barriers.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::grid_barriers {
namespace {

/// A loaded program with grid barriers. It takes a grid of any size: `resident_workgroups` stays as it is.
struct WholeProgram final : Executable {
    explicit WholeProgram(std::unique_ptr<SplitExecutable> of) : program(std::move(of)) {}
    const std::unique_ptr<SplitExecutable> program;
};

class SplittingDevice final : public Device {
  public:
    SplittingDevice(std::shared_ptr<Backend> backend, std::unique_ptr<Device> inside)
        : backend_(std::move(backend)),
          inside_(std::move(inside)),
          info_(with_grid_barriers(inside_->info())) {}

    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;
    Result<Submitted> submit(const Launch& launch) override;
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        return executor_.with_room([&] { return inside_->allocate(bytes); });
    }
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) override { return inside_->wrap(host); }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return inside_->write(memory, offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return inside_->read(memory, offset, to);
    }
    bool has_transfers() const override { return inside_->has_transfers(); }
    Result<Submitted> transfer(const MemoryTransfer& transfer) override {
        return executor_.transfer(transfer);
    }
    void abandon() override {
        executor_.abandon();
        inside_->abandon();
    }

  private:
    const std::shared_ptr<Backend> backend_;
    const std::unique_ptr<Device> inside_;
    SplitExecutor executor_{*inside_};
    const DeviceInfo info_;
};

Result<Artifact> SplittingDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    if (!has_grid_barriers(*program)) return inside_->compile(program, options);
    TRY(supports(inside_->info(), *program, {.compile = options, .inexact_ok = true}));
    SplitArtifact code = TRY(executor_.compile(program, options));
    if (code.whole) code.whole->fingerprint = program->fingerprint();
    for (std::size_t i = 0; i < code.parts.size(); ++i)  // of the part, not of its expansion
        code.parts[i].fingerprint = code.split->parts[i].program->fingerprint();
    Artifact artifact = code.joined();
    artifact.bytes = artifact_file_bytes({program, code.whole ? std::vector{*code.whole} : code.parts});
    artifact.format = parts_format;
    artifact.load_data.clear();
    artifact.in_process = std::make_shared<const SplitArtifact>(std::move(code));
    return artifact;
}

Result<std::unique_ptr<Executable>> SplittingDevice::load(const Artifact& artifact) {
    if (artifact.format != parts_format) return executor_.with_room([&] { return inside_->load(artifact); });
    if (artifact.in_process) {
        const auto& code = *static_cast<const SplitArtifact*>(artifact.in_process.get());
        return std::make_unique<WholeProgram>(TRY(executor_.load(code)));
    }
    ArtifactFile file =
        TRY(during("reading the parts of a program with grid barriers", read_artifact_file(artifact.bytes)));
    const routing::CodeSources stored{
        .given = std::make_shared<const std::vector<Artifact>>(std::move(file.codes))};
    auto parts = TRY(executor_.compile(file.program, artifact.options, stored));
    return std::make_unique<WholeProgram>(TRY(executor_.load(std::move(parts))));
}

Result<Submitted> SplittingDevice::submit(const Launch& launch) {
    const auto* const whole = dynamic_cast<const WholeProgram*>(launch.executable);
    if (whole == nullptr) return executor_.submit(launch);
    if (launch.origin != Extent3{0, 0, 0} || launch.extent != launch.grid)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A launch of a program with grid barriers covers {} x {} x {} of the grid's "
                                "{} x {} x {} workgroups; at a barrier, all of them meet.",
                                launch.extent.x, launch.extent.y, launch.extent.z, launch.grid.x,
                                launch.grid.y, launch.grid.z),
                    "submit the whole grid in one launch");
    return executor_.submit(*whole->program, launch);
}

}  // namespace

DeviceInfo with_grid_barriers(DeviceInfo info) {
    for (const std::string_view id : {grid_barrier_id, grid_uniform_load_id})
        if (std::ranges::find(info.ops.extensions, id) == info.ops.extensions.end())
            info.ops.extensions.emplace_back(id);
    std::ranges::sort(info.ops.extensions);
    return info;
}

Result<std::vector<DeviceInfo>> SplittingBackend::probe() {
    std::vector<DeviceInfo> devices = TRY(inside_->probe());
    for (DeviceInfo& device : devices) device = with_grid_barriers(std::move(device));
    return devices;
}

Result<std::unique_ptr<Device>> SplittingBackend::open(std::uint32_t ordinal) {
    auto device = TRY(inside_->open(ordinal));
    if (!device)
        return fail(ErrorCode::internal, fmt::format("{} opens no device and gives no error.", id()),
                    "report this to who wrote the backend");
    return std::make_unique<SplittingDevice>(inside_, std::move(device));
}

}  // namespace muster::grid_barriers
