// A third-party backend: emits programs as WGSL text, for browsers and other implementations of WebGPU. It
// has no device and runs nothing; it only emits. docs/writing-a-backend.md walks through it, part by part.
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/backend_sdk.hpp>

namespace {

using namespace muster;

// The operations that can be lowered at all, whatever the target: all of muster's core operations, but no
// extensions, which browsers don't know.
const OpSet& supported_ops() { return OpSet::all_core(); }

// Limits that every implementation supports: the default limits of the WebGPU specification, and for private
// memory the limit in section 15.1 of the WGSL specification.
constexpr DeviceLimits webgpu_limits{.max_workgroup_size = {256, 256, 64},
                                     .max_workgroup_invocations = 256,
                                     .max_workgroup_bytes = 16384,
                                     .max_workgroups = {65535, 65535, 65535},
                                     .max_storage_binding_bytes = 134217728,
                                     .max_uniform_binding_bytes = 65536,
                                     .max_storage_bindings = 8,
                                     .max_uniform_bindings = 12,
                                     .max_private_bytes = 8192};

// The target of emission. `exactness` keeps its default, no promises: WGSL lets implementations deviate in
// division and square roots, and with subnormals, infinities and NaN. So muster expands operations that must
// be exact into others before it calls emit().
Target webgpu() {
    Target target;
    target.backend = MUSTER_BACKEND_ID;
    target.arch = "webgpu";
    target.limits = webgpu_limits;
    target.ops = supported_ops();
    return target;
}

// Describes the interface of the emitted code, as a web page needs it: the entry point, the
// workgroup size and the bindings.
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
    std::string_view id() const override { return MUSTER_BACKEND_ID; }

    // Returns an empty list: there is never a device. A backend whose devices may be missing returns
    // an error with the reason.
    Result<std::vector<DeviceInfo>> probe() override { return std::vector<DeviceInfo>{}; }

    // Never called, because probe() finds no device.
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
        return no_such_target("WGSL", arch, "webgpu");
    }

    // Needs no checks of its arguments: the driver guarantees that the program is valid, that describe() made
    // the target, and that formats() and specs() list the format and the specs.
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
        Artifact artifact = make_artifact(*program, request.options);
        artifact.bytes = artifact_bytes(text);
        artifact.format = "wgsl";
        artifact.target = target.to_string();
        artifact.side_files.emplace_back("interface.txt", interface_text(artifact));
        return artifact;
    }
};

Result<std::unique_ptr<Backend>> make_backend() { return std::make_unique<WgslBackend>(); }

// The records. There is no capability record: a backend without the claim to dispatch only emits.
constexpr BackendRegistration registration{
    .id = MUSTER_BACKEND_ID, .factory = make_backend, .supported_ops = supported_ops, .tags = "web"};
constexpr BackendPrecedence precedence{.id = MUSTER_BACKEND_ID, .rank = 500};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);

}  // namespace
