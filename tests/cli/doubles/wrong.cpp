// A backend whose devices run programs with the interpreter, and fail in five ways when a program divides: the result is
// wrong, the compiler refuses it, the kernel never ends, submitting it never returns, and it ends the process. It is the only
// backend of a tool of its own.
#include <array>
#include <cstdlib>

#include <muster/driver/contract/inventory.hpp>
#include <muster/foundation/base/try.hpp>

#include "support/interpreting_double.hpp"

namespace muster {
namespace {

enum Way : std::uint32_t { wrong_result, no_compiler, never_ends, never_returns, crashes };

const OpSet& all_exact() { return OpSet::all_exact(); }

/// Work that never ends. The device lives longer than the tool.
struct Endless final : Submission {
    Result<Timing> wait(std::chrono::nanoseconds timeout) override {
        test::Gate gate;
        (void)gate.pass(timeout);
        return fail(ErrorCode::timed_out, "The kernel still runs.");
    }
    bool done() const override { return false; }
};

struct Divides final : Executable {
    std::unique_ptr<Executable> executable;
    bool divides = false;
};

class WrongDevice final : public Device {
  public:
    explicit WrongDevice(Way way)
        : way_(way), script_(std::make_shared<test::DeviceScript>()), device_(script_) {
        script_->info = test::fit_device(way);
        script_->info.exactness.mathematics = Promise::no;
    }
    const DeviceInfo& info() const override { return device_.info(); }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override {
        if (way_ == no_compiler && program->required_ops().contains(Op::div))
            return fail(ErrorCode::compile_failed, "The wrong compiler knows no division.", "multiply");
        return device_.compile(program, options);
    }
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override {
        auto loaded = std::make_unique<Divides>();
        const auto& program = *static_cast<const ValidProgram*>(artifact.in_process.get());
        loaded->divides = program->required_ops().contains(Op::div);
        loaded->executable = TRY(device_.load(artifact));
        return loaded;
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override { return device_.allocate(bytes); }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        return device_.write(memory, offset, from);
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        return device_.read(memory, offset, to);
    }
    Result<Submitted> submit(const Launch& launch) override {
        const auto& loaded = static_cast<const Divides&>(*launch.executable);
        Launch inner = launch;
        inner.executable = loaded.executable.get();
        if (!loaded.divides || way_ == no_compiler) return device_.submit(inner);
        if (way_ == never_ends) return std::make_shared<Endless>();
        if (way_ == never_returns) test::Gate().pass();
        if (way_ == crashes) std::abort();
        auto submitted = device_.submit(inner);
        for (const BoundMemory& bound : launch.bindings) {
            if (bound.memory == nullptr) continue;
            std::array<std::byte, 1> first;
            TRY(device_.read(*bound.memory, bound.offset, first));
            first[0] ^= std::byte{1};
            TRY(device_.write(*bound.memory, bound.offset, first));
        }
        return submitted;
    }
    void abandon() override {}

  private:
    Way way_;
    test::DeviceScriptPointer script_;
    test::InterpretingDevice device_;
};

class WrongBackend final : public Backend {
  public:
    std::string_view id() const override { return "wrong"; }
    Result<std::vector<DeviceInfo>> probe() override {
        std::vector<DeviceInfo> devices;
        for (const Way way : {wrong_result, no_compiler, never_ends, never_returns, crashes})
            devices.push_back(WrongDevice(way).info());
        devices.front().name = "a <wrong> device & its \"name\"";
        return devices;
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        return std::make_unique<WrongDevice>(static_cast<Way>(ordinal));
    }
    std::string default_arch() const override { return "w1"; }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view) override {
        return fail(ErrorCode::not_found, "It has no targets.");
    }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return fail(ErrorCode::unsupported, "It emits nothing.");
    }
};

Result<std::unique_ptr<Backend>> make_wrong() { return std::make_unique<WrongBackend>(); }

constexpr BackendRegistration registration{.id = "wrong", .factory = make_wrong, .supported_ops = all_exact};
constexpr BackendCapability capability{.id = "wrong", .dispatches = true};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(capability);

}  // namespace
}  // namespace muster
