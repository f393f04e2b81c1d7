// interpreting_double.hpp - a device for tests that really runs programs, with the interpreter, and fails at a
// submission that the test chooses: it never ends, is lost, or refuses. It counts its calls.
//
//     auto plan = std::make_shared<DeviceScript>();
//     plan->hangs_at = 3;                      // the third submission, and what comes after it, waits for the gate
//     Session session = interpreting_session({plan});
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <support/doubles.hpp>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

namespace muster::test {

struct DeviceScript {
    std::string id = "parts";
    std::uint32_t rank = 1;
    DeviceInfo info = fit_device();
    std::uint64_t resident_workgroups = UINT64_MAX;
    int hangs_at = 0, lost_at = 0, lost_when_submitted = 0;  // numbers of submissions, from 1; 0: never
    bool fails_to_compile = false;
    bool has_quick_code = false, fails_quickly = false;
    bool waits_to_compile = false;
    Gate compiling;              // then compile() waits for it
    std::uint64_t takes_ns = 1;  // what each submission says
    int full_at = 0;             // the number of the first allocation that fails, from 1; 0: none
    bool ends_at_once = false;
    bool wraps = false;  // memory of the host
    bool transfers = false;
    Gate gate;

    std::mutex mutex;
    std::vector<std::string>
        ran;  // entry points, of quick code with "quick " before them, in order; "copy" and "fill" of transfers
    std::vector<Extent3> origins;
    std::atomic<int> compiles{0}, quick_compiles{0}, allocations{0}, reads{0}, writes{0}, submits{0},
        abandons{0};
    std::atomic<std::uint64_t> bytes_written{0};
    std::atomic<bool> abandoned{false};
};
using DeviceScriptPointer = std::shared_ptr<DeviceScript>;

struct InterpretedMemory final : Memory {
    std::vector<std::byte> own;
    std::span<std::byte> data = own;
    std::uint64_t bytes() const override { return data.size(); }
};

struct InterpretedExecutable final : Executable {
    InterpreterCode code;
    bool is_quick = false;
    explicit InterpretedExecutable(InterpreterCode of) : code(std::move(of)) {}
};

/// A submission whose work was done when it was submitted; only a wait for it may block.
struct ScriptedSubmission final : Submission {
    DeviceScriptPointer script;
    bool hangs, lost;
    ScriptedSubmission(DeviceScriptPointer of, bool never_ends, bool is_lost)
        : script(std::move(of)), hangs(never_ends), lost(is_lost) {}
    Result<Timing> wait(std::chrono::nanoseconds timeout) override {
        if (script->abandoned) return fail(ErrorCode::device_lost, "The double was stopped.");
        if (hangs && !script->gate.pass(timeout)) return fail(ErrorCode::timed_out, "The double still runs.");
        if (lost) return fail(ErrorCode::device_lost, "The double is lost on purpose.");
        return Timing{script->takes_ns};
    }
    bool done() const override {
        return script->abandoned || !hangs || script->gate.pass(std::chrono::nanoseconds(0));
    }
};

class InterpretingDevice final : public Device {
  public:
    explicit InterpretingDevice(DeviceScriptPointer script) : script_(std::move(script)) {}
    const DeviceInfo& info() const override { return script_->info; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override {
        ++script_->compiles;
        if (script_->waits_to_compile) (void)script_->compiling.pass();
        if (script_->fails_to_compile)
            return fail(ErrorCode::compile_failed, "The double rejects the code on purpose.");
        Artifact artifact{.format = "text", .entry = std::string(program->entry()), .options = options};
        artifact.in_process = std::make_shared<const ValidProgram>(program);
        return artifact;
    }
    Result<std::optional<Artifact>> compile_quickly(const ValidProgram& program,
                                                    const CompileOptions& options) override {
        if (!script_->has_quick_code) return std::nullopt;
        ++script_->quick_compiles;
        if (script_->fails_quickly) return fail(ErrorCode::compile_failed, "Not so quickly.");
        Artifact artifact{.format = "quick text", .entry = std::string(program->entry()), .options = options};
        artifact.in_process = std::make_shared<const ValidProgram>(program);
        return artifact;
    }
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override {
        auto code = InterpreterCode::compile(*static_cast<const ValidProgram*>(artifact.in_process.get()));
        if (!code) return std::unexpected(code.error());
        auto made = std::make_unique<InterpretedExecutable>(*code);
        made->is_quick = artifact.format == "quick text";
        made->resident_workgroups = script_->resident_workgroups;
        return made;
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        const int number = ++script_->allocations;
        if (script_->full_at != 0 && number >= script_->full_at)
            return fail(ErrorCode::out_of_memory, "The double is full on purpose.");
        auto memory = std::make_unique<InterpretedMemory>();
        memory->own.resize(bytes);
        memory->data = memory->own;
        return memory;
    }
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) override {
        if (!script_->wraps) return nullptr;
        auto memory = std::make_unique<InterpretedMemory>();
        memory->data = host;
        return memory;
    }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        ++script_->writes;
        script_->bytes_written += from.size();
        std::memcpy(static_cast<InterpretedMemory&>(memory).data.data() + offset, from.data(), from.size());
        return {};
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        ++script_->reads;
        std::memcpy(to.data(), static_cast<const InterpretedMemory&>(memory).data.data() + offset, to.size());
        return {};
    }
    Result<Submitted> submit(const Launch& launch) override {
        const int number = TRY(next_number());
        const auto& executable = static_cast<const InterpretedExecutable&>(*launch.executable);
        const InterpreterCode& code = executable.code;
        std::vector<std::vector<std::byte>> values;
        std::vector<BoundBytes> bound;
        for (const BoundMemory& one : launch.bindings) {
            if (one.memory != nullptr) {
                const std::span<std::byte> data = static_cast<InterpretedMemory*>(one.memory)->data;
                bound.push_back({data.subspan(one.offset, one.bytes)});
            } else {
                bound.push_back({values.emplace_back(one.value, one.value + one.bytes)});
            }
        }
        {
            const std::lock_guard lock(script_->mutex);
            script_->ran.push_back((executable.is_quick ? "quick " : "") +
                                   std::string(code.program()->entry()));
            script_->origins.push_back(launch.origin);
        }
        auto ran = interpret(code, bound, {launch.origin, launch.extent, launch.grid},
                             {.seed = static_cast<std::uint64_t>(number), .threads = 1});
        if (!ran) return std::unexpected(ran.error());
        return submitted(number);
    }
    bool has_transfers() const override { return script_->transfers; }
    Result<Submitted> transfer(const MemoryTransfer& transfer) override {
        const int number = TRY(next_number());
        const auto data = [&](Memory* memory, std::uint64_t offset) {
            return static_cast<InterpretedMemory*>(memory)->data.subspan(offset, transfer.bytes);
        };
        const std::span<std::byte> to = data(transfer.to, transfer.to_offset);
        if (transfer.from)
            std::ranges::copy(data(transfer.from, transfer.from_offset), to.data());
        else
            for (std::size_t i = 0; i < to.size(); i += 4)
                std::memcpy(to.data() + i, &transfer.word, sizeof transfer.word);
        const std::lock_guard lock(script_->mutex);
        script_->ran.emplace_back(transfer.from ? "copy" : "fill");
        return submitted(number);
    }
    void abandon() override {
        ++script_->abandons;
        script_->abandoned = true;
    }

  private:
    Result<int> next_number() {
        const int number = ++script_->submits;
        if (number == script_->lost_when_submitted)
            return fail(ErrorCode::device_lost, "The double is lost on purpose.");
        return number;
    }
    Submitted submitted(int number) {
        if (script_->ends_at_once) return Timing{script_->takes_ns};
        const bool hangs = script_->hangs_at != 0 && number >= script_->hangs_at;
        return std::make_shared<ScriptedSubmission>(script_, hangs, number == script_->lost_at);
    }

    DeviceScriptPointer script_;
};

class InterpretingBackend final : public Backend {
  public:
    explicit InterpretingBackend(DeviceScriptPointer script) : script_(std::move(script)) {}
    std::string_view id() const override { return script_->id; }
    Result<std::vector<DeviceInfo>> probe() override { return std::vector{script_->info}; }
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return std::make_unique<InterpretingDevice>(script_);
    }
    std::string default_arch() const override { return "d1"; }
    std::span<const std::string> formats() const override {
        static const std::vector<std::string> all{"text"};
        return all;
    }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view arch) override {
        const DeviceInfo& like = script_->info;
        return Target{.backend = script_->id,
                      .arch = std::string(arch),
                      .limits = like.limits,
                      .ops = like.ops,
                      .scalars = like.scalars,
                      .exactness = like.exactness};
    }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return Artifact{};
    }

  private:
    DeviceScriptPointer script_;
};

inline FleetEntry entry(const DeviceScriptPointer& script) {
    return {.id = script->id,
            .rank = script->rank,
            .dispatches = true,
            .supported_ops = script->info.ops,
            .factory = [script]() -> Result<std::unique_ptr<Backend>> {
                return std::make_unique<InterpretingBackend>(script);
            },
            .fault = {}};
}

inline Session interpreting_session(std::initializer_list<DeviceScriptPointer> scripts) {
    std::vector<FleetEntry> all;
    for (const DeviceScriptPointer& script : scripts) all.push_back(entry(script));
    return *Session::open({.fleet = std::make_shared<Fleet>(std::move(all), std::chrono::minutes(1)),
                           .use_environment = false,
                           .close_timeout = std::chrono::milliseconds(50)});
}

}  // namespace muster::test
