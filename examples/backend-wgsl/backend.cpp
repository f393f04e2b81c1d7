// A backend by someone else: programs as WGSL text, for browsers and other engines of WebGPU. It has no device and
// runs nothing; it only emits. docs/writing-a-backend.md walks through it, part by part.
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/foundation/wgsl/print/print.hpp>

namespace {

using namespace muster;

// What can be lowered at all, whatever the target: every operation of muster's own, and no extensions, which browsers
// don't know.
const OpSet& supported_ops() { return OpSet::all_core(); }

// What every engine has: the default limits of the WebGPU specification, and section 15.1 of WGSL's for private memory.
constexpr DeviceLimits webgpu_limits{.max_workgroup_size = {256, 256, 64},
                                     .max_workgroup_invocations = 256,
                                     .max_workgroup_bytes = 16384,
                                     .max_workgroups = {65535, 65535, 65535},
                                     .max_storage_binding_bytes = 134217728,
                                     .max_uniform_binding_bytes = 65536,
                                     .max_storage_bindings = 8,
                                     .max_uniform_bindings = 12,
                                     .max_private_bytes = 8192};

// The machine that code is emitted for. Exactness stays as it is by default, without a promise: WGSL gives implementations
// room in division and square roots, with subnormals, infinities and NaN. So muster writes those that have to be exact in
// other operations before they come here.
Target webgpu() {
    Target target;
    target.backend = "wgsl";
    target.arch = "webgpu";
    target.limits = webgpu_limits;
    target.ops = supported_ops();
    target.scalars.set();
    return target;
}

// How to call what was emitted: the entry point, the workgroup's size and the bindings, as a page would need them.
std::string interface_text(const Artifact& artifact) {
    const Extent3 size = artifact.workgroup_size;
    std::string text = "entry " + artifact.entry + ", workgroups of " + std::to_string(size.x) + " x " +
                       std::to_string(size.y) + " x " + std::to_string(size.z) + "\n";
    for (const BindingLayout& binding : artifact.bindings)
        text += "group " + std::to_string(binding.group) + ", binding " + std::to_string(binding.binding) +
                ": " + binding.name + ": " + binding.type + ", at least " +
                std::to_string(binding.min_bytes) + " bytes\n";
    return text;
}

class WgslBackend final : public Backend {
  public:
    std::string_view id() const override { return "wgsl"; }

    // No device: an empty list is an answer. Where there should be one, an error says why there isn't.
    Result<std::vector<DeviceInfo>> probe() override { return std::vector<DeviceInfo>{}; }

    // Never called, because there is no device to ask for.
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return fail(ErrorCode::unsupported, "The WGSL backend runs nothing.", "emit the text instead");
    }

    std::string default_arch() const override { return "webgpu"; }

    std::span<const std::string> formats() const override {
        static const std::array<std::string, 1> all{"wgsl"};
        return all;
    }

    std::span<const SpecInfo> specs() const override {
        static const std::array<SpecInfo, 1> all{{{"comment", "a line to put on top"}}};
        return all;
    }

    Result<Target> describe(std::string_view arch) override {
        if (arch == "webgpu") return webgpu();
        return fail(ErrorCode::not_found, "The WGSL backend has no target \"" + std::string(arch) + "\".",
                    "ask for \"webgpu\", its only one");
    }

    // The program is valid, the target is one of ours, format and specs are among those that we named: the driver has seen to
    // that.
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        std::string text;
        for (const auto& [key, value] : request.options.specs) {
            if (value.find_first_of("\r\n") != std::string::npos)
                return fail(ErrorCode::invalid_argument, "The comment has more than one line.",
                            "give one line");
            text += "// " + value + "\n";
        }
        text += wgsl::print(*program);
        Artifact artifact;
        artifact.bytes.resize(text.size());
        std::memcpy(artifact.bytes.data(), text.data(), text.size());
        artifact.format = "wgsl";
        artifact.target = target.to_string();
        artifact.entry = program->entry();
        artifact.workgroup_size = program->workgroup_size();
        artifact.bindings = binding_layouts(*program);
        artifact.files.assign(program->files().begin(), program->files().end());
        artifact.fingerprint = program->fingerprint();
        artifact.options = request.options;
        artifact.side_files.emplace_back("interface.txt", interface_text(artifact));
        return artifact;
    }
};

Result<std::unique_ptr<Backend>> make_backend() { return std::make_unique<WgslBackend>(); }

// The records. No capability record: without the claim to dispatch, it is a backend that only emits.
constexpr BackendRegistration registration{
    .id = "wgsl", .factory = make_backend, .supported_ops = supported_ops, .tags = "web"};
constexpr BackendPrecedence precedence{.id = "wgsl", .rank = 500};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);

}  // namespace
