// A backend that only emits, as on a machine without the device. It is the only backend of a tool of its own.
#include <algorithm>
#include <array>
#include <cstring>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/inventory.hpp>

namespace muster {
namespace {

const OpSet& all_exact() { return OpSet::all_exact(); }

class Emitter final : public Backend {
  public:
    std::string_view id() const override { return "emitter"; }
    Result<std::vector<DeviceInfo>> probe() override {
        return fail(ErrorCode::unavailable, "No emitter is plugged in.", "plug one in");
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return fail(ErrorCode::unavailable, "No emitter is plugged in.");
    }
    std::string default_arch() const override { return "e1"; }
    std::span<const std::string> formats() const override {
        static const std::array<std::string, 2> all{"text", "shout"};
        return all;
    }
    std::span<const SpecInfo> specs() const override {
        static const std::array<SpecInfo, 1> all{{{"level", "how much to optimise"}}};
        return all;
    }
    Result<Target> describe(std::string_view arch) override {
        if (arch != "e1" && arch != "e2") return fail(ErrorCode::not_found, "There are e1 and e2.");
        Target target{.backend = "emitter", .arch = std::string(arch)};
        target.limits = {.max_workgroup_size = {1024, 1024, 1024},
                         .max_workgroup_invocations = 1024,
                         .max_workgroup_bytes = 1 << 16,
                         .max_workgroups = {65535, 65535, 65535},
                         .max_storage_binding_bytes = std::uint64_t{1} << 31,
                         .max_uniform_binding_bytes = 1 << 16,
                         .max_storage_bindings = 16,
                         .max_uniform_bindings = 16,
                         .max_private_bytes = 1 << 16};
        target.ops = all_exact();
        target.scalars.set();
        target.exactness.round_to_nearest_even = target.exactness.signed_zero_inf_nan = Promise::promised;
        return target;
    }
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        std::string text = "entry " + std::string(program->entry()) + "\n";
        for (const auto& [key, value] : request.options.specs) text += key + " " + value + "\n";
        Artifact artifact;
        artifact.format = request.format.empty() ? "text" : request.format;
        if (artifact.format == "shout") {
            std::ranges::transform(text, text.begin(), [](char c) {
                return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
            });
        }
        artifact.bytes.resize(text.size());
        std::memcpy(artifact.bytes.data(), text.data(), text.size());
        artifact.target = target.to_string();
        artifact.entry = program->entry();
        artifact.workgroup_size = program->workgroup_size();
        artifact.fingerprint = program->fingerprint();
        artifact.files.assign(program->files().begin(), program->files().end());
        const NodeId first = program->block(program->body()).front();
        artifact.debug_map.push_back({1, first, program->location(first)});
        artifact.side_files.emplace_back("emitter_entry.h", "// " + std::string(program->entry()) + "\n");
        return artifact;
    }
};

Result<std::unique_ptr<Backend>> make_emitter() { return std::make_unique<Emitter>(); }

constexpr BackendRegistration registration{
    .id = "emitter", .factory = make_emitter, .supported_ops = all_exact};
MUSTER_SUBMIT(registration);

}  // namespace
}  // namespace muster
