#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/proving/check_device.hpp>
#include <muster/driver/proving/check_kernels.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/driver/support/in_parallel.hpp>
#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::proving {
namespace {

using Words = std::vector<std::uint32_t>;

/// The contents of a kernel's bindings, in the order of Program::bindings(), and which one is the output.
struct Contents {
    std::vector<Words> of;
    std::size_t output = 0;
};

Contents contents_of(const CheckKernel& kernel, const Program& program) {
    Contents contents;
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        if (variable.space == AddressSpace::uniform) {
            contents.of.emplace_back(std::begin(check_settings), std::end(check_settings));
        } else if (variable.is_written) {
            contents.output = contents.of.size();
            contents.of.emplace_back(kernel.output_words);
        } else {
            contents.of.push_back(check_input());
        }
    }
    return contents;
}

Result<Words> expected_of(const CheckKernel& kernel, const ValidProgram& program) {
    Contents contents = contents_of(kernel, *program);
    std::vector<BoundBytes> bound;
    for (Words& words : contents.of) bound.push_back({std::as_writable_bytes(std::span(words))});
    const Extent3 grid{kernel.workgroups, 1, 1};
    TRY(interpret(program, bound, {.extent = grid, .grid = grid}, {.threads = 1}));
    return std::move(contents.of[contents.output]);
}

/// All that a run uses on the device, in the order in which it is made.
struct OnDevice {
    std::unique_ptr<Device> device;
    std::vector<std::unique_ptr<Memory>> memory;
    std::unique_ptr<Executable> executable;

    void release() {
        executable.reset();
        memory.clear();
    }
};

/// Keeps for ever what an abandoned device may still use.
void keep_for_ever(std::unique_ptr<OnDevice> abandoned) {
    static auto* const mutex = new std::mutex;
    static auto* const all = new std::vector<std::unique_ptr<OnDevice>>;
    const std::lock_guard lock(*mutex);
    all->push_back(std::move(abandoned));
}

Result<Artifact> compiled_for(Device& device, const ValidProgram& program) {
    return guarded("The device", [&]() -> Result<Artifact> {
        const CompileOptions options = routing::with_subgroup_size({}, *program, device.info().subgroup_size);
        const ValidProgram expanded =
            TRY(routing::expand_for(program, device.info().ops, device.info().exactness, options));
        return device.compile(expanded, options);
    });
}

Result<Words> actual_of(const CheckKernel& kernel, const ValidProgram& program, const Artifact& artifact,
                        OnDevice& on, std::chrono::nanoseconds most_time) {
    Device& device = *on.device;
    on.executable = TRY(device.load(artifact));
    Contents contents = contents_of(kernel, *program);
    std::vector<BoundMemory> bound;
    for (const Words& words : contents.of) {
        const auto bytes = std::as_bytes(std::span(words));
        on.memory.push_back(TRY(device.allocate(bytes.size())));
        TRY(device.write(*on.memory.back(), 0, bytes));
        bound.push_back({on.memory.back().get(), 0, bytes.size(), nullptr});
    }
    const Extent3 grid{kernel.workgroups, 1, 1};
    const Submitted submitted = TRY(
        device.submit({.executable = on.executable.get(), .bindings = bound, .extent = grid, .grid = grid}));
    if (const auto* work = std::get_if<std::shared_ptr<Submission>>(&submitted))
        TRY((*work)->wait(most_time));
    Words& output = contents.of[contents.output];
    TRY(device.read(*on.memory[contents.output], 0, std::as_writable_bytes(std::span(output))));
    return std::move(output);
}

/// The error of a device that can't be used at the moment, or on this machine: nothing
/// that it computes is wrong.
bool is_no_verdict(ErrorCode code) {
    return code == ErrorCode::unavailable || code == ErrorCode::out_of_memory ||
           code == ErrorCode::compile_timed_out || code == ErrorCode::io_failed;
}

/// Empty if they are the same.
std::string difference(const CheckKernel& kernel, const Words& expected, const Words& actual) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (actual[i] != expected[i])
            return fmt::format("The kernel \"{}\" gives {}, not {}, as word {} of its output.", kernel.name,
                               actual[i], expected[i], i);
    return {};
}

class Run {
  public:
    Run(std::unique_ptr<Device> device, std::chrono::nanoseconds most_time) : most_time_(most_time) {
        on_->device = std::move(device);
    }

    DeviceCheck all() && {
        const auto kernels = check_kernels();
        std::vector<Compiled> compiled(kernels.size());
        // Compiling takes nearly all of the time. Each has a result of its own.
        (void)in_parallel(kernels.size(), [&](std::size_t i) -> Result<void> {
            compiled[i] = compile(kernels[i]);
            return {};
        });
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (auto tried = one(kernels[i], compiled[i]); !tried) {
                note(kernels[i], tried.error());
                if (ends_) break;
            }
        }
        if (check_.total == 0) check_.is_lasting = false;  // no kernel fits, or none can run now
        return std::move(check_);
    }

  private:
    struct Compiled {
        std::optional<Result<ValidProgram>> program;
        std::optional<Result<Artifact>> code;  // none: the device can't run it
    };

    Compiled compile(const CheckKernel& kernel) const {
        Compiled made;
        made.program = [&]() -> Result<ValidProgram> {
            return validate(TRY(wgsl::parse(kernel.text, {.file = std::string(kernel.name) + ".wgsl"})));
        }();
        if (*made.program && fit(***made.program, on_->device->info()).empty())
            made.code = compiled_for(*on_->device, **made.program);
        return made;
    }

    Result<void> one(const CheckKernel& kernel, const Compiled& compiled) {
        if (!compiled.program) return std::unexpected(out_of_memory());
        const ValidProgram& program = TRY(*compiled.program);
        if (!compiled.code) return {};
        ++check_.total;
        const Words expected = TRY(expected_of(kernel, program));
        const Artifact& code = TRY(*compiled.code);
        const auto actual =
            guarded("The device", [&] { return actual_of(kernel, program, code, *on_, most_time_); });
        if (!actual && actual.error().code == ErrorCode::timed_out) {
            on_->device->abandon();
            keep_for_ever(std::move(on_));
        } else {
            on_->release();
        }
        if (!actual) return std::unexpected(actual.error());
        std::string wrong = difference(kernel, expected, *actual);
        if (wrong.empty())
            ++check_.passed;
        else if (!check_.fails())
            check_.failure = std::move(wrong);
        return {};
    }

    void note(const CheckKernel& kernel, const Error& why) {
        const bool is_lost = why.code == ErrorCode::timed_out || why.code == ErrorCode::device_lost;
        ends_ = is_lost || is_no_verdict(why.code);
        if (is_no_verdict(why.code)) {
            check_.not_done = fmt::format("The kernel \"{}\" of its check can't run now: {}", kernel.name,
                                          printable(why.message));
            check_.passed = check_.total = 0;
            check_.failure.clear();
        } else if (!check_.fails()) {
            check_.failure =
                fmt::format("The kernel \"{}\" doesn't run: {}", kernel.name, printable(why.message));
            check_.is_lasting = !is_lost;
        }
    }

    std::unique_ptr<OnDevice> on_ = std::make_unique<OnDevice>();
    std::chrono::nanoseconds most_time_;
    DeviceCheck check_{.is_lasting = true};
    bool ends_ = false;  // no further kernel can run
};

class KernelChecker final : public DeviceChecker {
  public:
    explicit KernelChecker(const Verdicts& verdicts) : verdicts_(verdicts) {}

    DeviceCheck run(Backend& backend, std::uint32_t ordinal) const override {
        return check_device(backend, ordinal);
    }
    std::optional<DeviceCheck> kept(std::string_view backend, const DeviceInfo& device) const override {
        const auto text = verdicts_.find(subject(backend, device), circumstances(device));
        if (!text) return std::nullopt;
        auto check = read_device_check(*text);
        return check ? std::optional(*std::move(check)) : std::nullopt;
    }
    void keep(std::string_view backend, const DeviceInfo& device, const DeviceCheck& check) const override {
        verdicts_.keep(subject(backend, device), circumstances(device), device_check_text(check));
    }

  private:
    static std::string subject(std::string_view backend, const DeviceInfo& device) {
        return fmt::format("check of {} ({})", device_id(backend, device), device.name);
    }
    static std::string circumstances(const DeviceInfo& device) {
        return fmt::format("{}\n{}\n{}\n{}\n{}", device.driver, device.arch, device.compiler,
                           to_string(device.uuid), to_string(digest_of_checks()));
    }

    Verdicts verdicts_;
};

}  // namespace

DeviceCheck check_device(Backend& backend, std::uint32_t ordinal, std::chrono::nanoseconds most_time) {
    auto checked = guarded("The device", [&]() -> Result<DeviceCheck> {
        std::unique_ptr<Device> device = TRY(backend.open(ordinal));
        if (!device) return fail(ErrorCode::unavailable, "The backend opens nothing.");
        return Run(std::move(device), most_time).all();
    });
    if (checked) return *std::move(checked);
    return {.not_done =
                fmt::format("It can't be opened to be checked: {}", printable(checked.error().message))};
}

std::shared_ptr<const DeviceChecker> device_checker(const Verdicts& verdicts) {
    return std::make_shared<const KernelChecker>(verdicts);
}

std::shared_ptr<const DeviceChecker> process_device_checker() {
    static const auto* const shared =
        new std::shared_ptr<const DeviceChecker>(device_checker());  // checks may outlive main
    return *shared;
}

}  // namespace muster::proving
