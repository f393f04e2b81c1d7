// doubles.hpp - backends that do what a test specifies: with any rank, claim, tags, devices and operations;
// they may fail, throw, hang, lie, lose their device or never end a kernel. Each counts the calls that a real
// one would pass to its driver.
//
//     auto fast = std::make_shared<Script>(Script{.id = "fast", .rank = 1});
//     fast->probe = Act::hang;
//     Fleet fleet(entries({fast, slow}), 50ms);
//     CHECK(fast->calls.probe == 1);
#pragma once

#include <atomic>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/probing/fleet.hpp>

namespace muster::test {

/// Blocks callers until it is opened: a hang that a test can end.
class Gate {
  public:
    ~Gate() { open(); }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    void close() {
        const std::lock_guard lock(mutex_);
        open_ = false;
    }
    bool pass(std::chrono::nanoseconds timeout = std::chrono::hours(1)) {
        std::unique_lock lock(mutex_);
        const bool waits = timeout > std::chrono::nanoseconds(0);
        if (waits) ++waiting_;
        changed_.notify_all();
        changed_.wait_for(lock, timeout, [&] { return open_; });
        if (waits) --waiting_;
        return open_;
    }
    /// Returns once a caller waits here; false if there is none for a minute.
    bool is_waited_at() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return waiting_ > 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
    int waiting_ = 0;
};

enum class Act { work, fail, throws, hang, lag, lie, lose, exhaust, reject };

struct Calls {
    std::atomic<int> factory{0}, probe{0}, open{0}, describe{0}, emit{0}, compile{0}, load{0}, allocate{0};
    std::atomic<int> write{0}, read{0}, submit{0}, abandon{0};
    int all() const {
        return factory + probe + open + describe + emit + compile + load + allocate + write + read + submit +
               abandon;
    }
};

inline DeviceInfo fit_device(std::uint32_t ordinal = 0) {
    DeviceInfo info;
    info.ordinal = ordinal;
    info.name = "double " + std::to_string(ordinal);
    info.arch = "d1";
    info.limits = {.max_workgroup_size = {256, 256, 64},
                   .max_workgroup_invocations = 256,
                   .max_workgroup_bytes = 16384,
                   .max_workgroups = {65535, 65535, 65535},
                   .max_storage_binding_bytes = 1 << 30,
                   .max_uniform_binding_bytes = 1 << 16,
                   .max_storage_bindings = 8,
                   .max_uniform_bindings = 8,
                   .max_private_bytes = 1 << 16};
    info.ops = OpSet::all_exact();
    info.scalars.set();
    info.exactness = {Promise::promised, Promise::promised, Promise::promised,
                      Promise::promised, Promise::promised, Promise::promised};
    return info;
}

inline DeviceInfo emulated_device(std::uint32_t ordinal = 0) {
    DeviceInfo info = fit_device(ordinal);
    info.software_emulated = true;
    return info;
}

struct Script {
    std::string id = "double";
    std::uint32_t rank = 100;
    bool dispatches = true;
    std::vector<std::string> tags;
    OpSet supported_ops = OpSet::all_exact();
    std::vector<DeviceInfo> devices{fit_device()};
    std::vector<std::string> formats{"text"};
    DeviceKind target_kind = DeviceKind::other;
    std::optional<Missing> no_target_compiler;
    std::string next_target;          // of d1
    std::optional<Op> default_lacks;  // what d1 lacks, and d2 has
    DeviceInfo opened;                // the result of an open() that lies

    // Atomic, because a test may change them while a call that it left behind still runs.
    std::atomic<Act> factory{Act::work}, probe{Act::work},
        describe{Act::work};  // lie: another id, one ordinal twice
    std::atomic<Act> open{Act::work}, compile{Act::work}, load{Act::work}, allocate{Act::work},
        submit{Act::work};
    std::atomic<Act> emit{Act::work};
    // hang: the kernel never ends; lag: it has ended once somebody waits; lose: the device is lost while it runs
    std::atomic<Act> run{Act::work};
    bool ends_at_once = false;   // within submit()
    std::uint64_t takes_ns = 1;  // what each submission says; 0: it doesn't know
    std::atomic<int> healthy_from{
        INT_MAX};  // the number of the first opening whose device works, whatever the acts say
    std::function<void(const Launch&, std::span<const std::span<std::byte>>)> kernel;

    Calls calls;
    std::atomic<int> unfinished{0};  // submissions that nobody has seen end
    Gate gate;                       // hanging calls wait here
    std::mutex mutex;
    std::vector<Launch> launches;  // their spans are no longer valid
    OpSet compiled_ops;            // of the program compiled last
    std::optional<ValidProgram> compiled;

    template <class T>
    Result<T> act(Act what, const char* where, std::function<Result<T>()> work) {
        switch (what) {
            case Act::work: break;
            case Act::lag: break;
            case Act::lie: break;
            case Act::fail:
                return muster::fail(ErrorCode::unavailable,
                                    std::string(where) + " of " + id + " fails on purpose.", "expect that");
            case Act::throws: throw std::runtime_error(std::string(where) + " throws on purpose");
            case Act::hang: gate.pass(); break;
            case Act::lose: return muster::fail(ErrorCode::device_lost, "The double is lost on purpose.");
            case Act::exhaust:
                return muster::fail(ErrorCode::out_of_memory, "The double is full on purpose.");
            case Act::reject:
                return muster::fail(ErrorCode::compile_failed, "The double rejects the code on purpose.");
        }
        return work();
    }
};
using ScriptPointer = std::shared_ptr<Script>;

struct DoubleMemory final : Memory {
    std::vector<std::byte> data;
    std::uint64_t bytes() const override { return data.size(); }
};

struct DoubleSubmission final : Submission {
    ScriptPointer script;
    bool is_healthy;
    mutable std::atomic<bool> is_seen{false};
    DoubleSubmission(ScriptPointer of, bool healthy) : script(std::move(of)), is_healthy(healthy) {
        ++script->unfinished;
    }
    Act run() const { return is_healthy ? Act::work : script->run.load(); }
    bool has_ended(std::chrono::nanoseconds timeout) const {
        if (run() == Act::hang && !script->gate.pass(timeout)) return false;
        if (run() == Act::lag && timeout <= std::chrono::nanoseconds(0) && !is_seen) return false;
        if (!is_seen.exchange(true)) --script->unfinished;
        return true;
    }
    Result<Timing> wait(std::chrono::nanoseconds timeout) override {
        if (!has_ended(timeout)) return fail(ErrorCode::timed_out, "The double still runs.");
        if (run() == Act::hang) return Timing{script->takes_ns};
        return script->act<Timing>(run(), "The run", [this] { return Timing{script->takes_ns}; });
    }
    bool done() const override { return has_ended(std::chrono::nanoseconds(0)); }
};

class DoubleDevice final : public Device {
  public:
    DoubleDevice(ScriptPointer script, DeviceInfo info)
        : script_(std::move(script)), info_(std::move(info)), opening_(script_->calls.open) {}
    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override {
        ++script_->calls.compile;
        {
            const std::lock_guard lock(script_->mutex);
            script_->compiled_ops = program->required_ops();
            script_->compiled = program;
        }
        return script_->act<Artifact>(here(script_->compile), "The compiler", [&] {
            return Artifact{.format = "text", .entry = std::string(program->entry()), .options = options};
        });
    }
    Result<std::unique_ptr<Executable>> load(const Artifact&) override {
        ++script_->calls.load;
        return script_->act<std::unique_ptr<Executable>>(here(script_->load), "load",
                                                         [] { return std::make_unique<Executable>(); });
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        ++script_->calls.allocate;
        return script_->act<std::unique_ptr<Memory>>(here(script_->allocate), "allocate", [&] {
            auto memory = std::make_unique<DoubleMemory>();
            memory->data.resize(bytes);
            return memory;
        });
    }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        ++script_->calls.write;
        std::memcpy(static_cast<DoubleMemory&>(memory).data.data() + offset, from.data(), from.size());
        return {};
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        ++script_->calls.read;
        std::memcpy(to.data(), static_cast<const DoubleMemory&>(memory).data.data() + offset, to.size());
        return {};
    }
    Result<Submitted> submit(const Launch& launch) override {
        ++script_->calls.submit;
        return script_->act<Submitted>(here(script_->submit), "submit", [&]() -> Submitted {
            std::vector<std::span<std::byte>> bindings;
            for (const BoundMemory& bound : launch.bindings)
                bindings.push_back(bound.memory
                                       ? std::span(static_cast<DoubleMemory*>(bound.memory)->data)
                                             .subspan(bound.offset, bound.bytes)
                                       : std::span(const_cast<std::byte*>(bound.value), bound.bytes));
            const std::lock_guard lock(script_->mutex);
            script_->launches.push_back(launch);
            if (script_->kernel) script_->kernel(launch, bindings);
            if (script_->ends_at_once) return Timing{script_->takes_ns};
            return std::make_shared<DoubleSubmission>(script_, is_healthy());
        });
    }

    void abandon() override { ++script_->calls.abandon; }

  private:
    bool is_healthy() const { return opening_ >= script_->healthy_from; }
    Act here(Act act) const { return is_healthy() ? Act::work : act; }

    ScriptPointer script_;
    DeviceInfo info_;
    int opening_;  // from 1
};

class DoubleBackend final : public Backend {
  public:
    explicit DoubleBackend(ScriptPointer script) : script_(std::move(script)) {}
    std::string_view id() const override {
        if (script_->factory == Act::lie) return "impostor";
        return script_->id;
    }
    Result<std::vector<DeviceInfo>> probe() override {
        ++script_->calls.probe;
        return script_->act<std::vector<DeviceInfo>>(script_->probe, "The probe", [&] {
            auto devices = script_->devices;
            if (script_->probe == Act::lie) devices.push_back(devices.at(0));
            return devices;
        });
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        ++script_->calls.open;
        return script_->act<std::unique_ptr<Device>>(
            script_->open, "open", [&]() -> Result<std::unique_ptr<Device>> {
                if (script_->open == Act::lie)
                    return std::make_unique<DoubleDevice>(script_, script_->opened);
                for (const DeviceInfo& info : script_->devices)
                    if (info.ordinal == ordinal) return std::make_unique<DoubleDevice>(script_, info);
                return fail(ErrorCode::not_found, "There is no such double.");
            });
    }
    std::string default_arch() const override { return "d1"; }
    std::span<const std::string> formats() const override { return script_->formats; }
    std::span<const SpecInfo> specs() const override {
        static const std::vector<SpecInfo> all{{"opt", "how hard to try: 0 to 3"},
                                               {"lanes", "how many at a time", true}};
        return all;
    }
    Result<Target> describe(std::string_view arch) override {
        ++script_->calls.describe;
        return script_->act<Target>(script_->describe, "describe", [&]() -> Result<Target> {
            if (arch != "d1" && arch != "d2")
                return fail(ErrorCode::not_found, "There is no target " + std::string(arch) + ".",
                            "d1 or d2");
            const DeviceInfo like = fit_device();
            Target target{.backend = script_->describe == Act::lie ? "impostor" : script_->id,
                          .arch = std::string(arch),
                          .kind = script_->target_kind,
                          .limits = like.limits,
                          .ops = script_->supported_ops,
                          .scalars = like.scalars,
                          .exactness = like.exactness,
                          .no_compiler = script_->no_target_compiler};
            if (arch != "d1") return target;
            target.next = script_->next_target;
            if (script_->default_lacks)
                target.ops.core.reset(static_cast<std::size_t>(*script_->default_lacks));
            return target;
        });
    }
    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        ++script_->calls.emit;
        return script_->act<Artifact>(script_->emit, "emit", [&] {
            return Artifact{.format = request.format,
                            .target = target.to_string(),
                            .entry = std::string(program->entry()),
                            .options = request.options};
        });
    }

  private:
    ScriptPointer script_;
};

inline FleetEntry entry(const ScriptPointer& script) {
    return {.id = script->id,
            .rank = script->rank,
            .dispatches = script->dispatches,
            .tags = script->tags,
            .supported_ops = script->supported_ops,
            .factory = [script]() -> Result<std::unique_ptr<Backend>> {
                ++script->calls.factory;
                return script->act<std::unique_ptr<Backend>>(
                    script->factory, "The factory", [&] { return std::make_unique<DoubleBackend>(script); });
            },
            .fault = {}};
}

inline std::vector<FleetEntry> entries(std::initializer_list<ScriptPointer> scripts) {
    std::vector<FleetEntry> all;
    for (const ScriptPointer& script : scripts) all.push_back(entry(script));
    return all;
}

inline ScriptPointer script(std::string id, std::uint32_t rank) {
    auto made = std::make_shared<Script>();
    made->id = std::move(id);
    made->rank = rank;
    return made;
}

}  // namespace muster::test
