// backend.hpp - the contract between the driver and a backend: Backend, Device, and the
// types that they exchange.
//
// Small on purpose. Only the functions that have a body are optional: the router refuses what a device can't
// do from its DeviceInfo, before it calls any of these. Backends take ValidProgram and check nothing twice:
// the driver has validated bindings, limits and grids. `muster new-backend` writes a backend to begin with.
// Threads: Backend and Device functions may be called from many threads at once, unless stated otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Memory of a device. Its destructor frees it and reports no errors. Destroyed before its Device.
class Memory {
  public:
    virtual ~Memory() = default;
    virtual std::uint64_t bytes() const = 0;
};

/// The alignment of host memory that devices wrap, in bytes: that of the C++ library's own allocations.
inline constexpr std::size_t wrapped_alignment = 16;

/// An artifact loaded on a device.
class Executable {
  public:
    virtual ~Executable() = default;

    /// The number of its workgroups that the device can have in progress at a time. All invocations of a
    /// grid wait for one another at a grid barrier, so a program with grid barriers is submitted unsplit
    /// only if its grid has at most this many workgroups. load() sets it if the device's operations
    /// include the grid barrier.
    std::uint64_t resident_workgroups = UINT64_MAX;
};

/// The argument of one binding: a range of memory, or a value given at dispatch. A backend passes values as
/// suits its API (kernel arguments, push constants), and copies those that it reads after submit() returns.
struct BoundMemory {
    Memory* memory = nullptr;          // null: a value
    std::uint64_t offset = 0;          // a multiple of 256
    std::uint64_t bytes = 0;           // of the binding; a run-time array's length follows from it
    const std::byte* value = nullptr;  // `bytes` long, aligned to 4; the kernel only reads it
};

/// One submission, within the device's limits. workgroup_id runs over [origin, origin + extent);
/// num_workgroups reads as `grid`, the whole dispatch. `bindings` and the values that it points to are
/// valid during submit() only.
struct Launch {
    const Executable* executable = nullptr;
    std::span<const BoundMemory> bindings;  // in Program::bindings() order
    Extent3 origin{0, 0, 0};
    Extent3 extent;
    Extent3 grid;
};

/// A copy within the device's memory, or a fill. All numbers are multiples of 4; a copy's ranges don't
/// overlap, but may be of one memory.
struct MemoryTransfer {
    Memory* from = nullptr;  // null: a fill with `word`
    std::uint64_t from_offset = 0;
    Memory* to = nullptr;
    std::uint64_t to_offset = 0;
    std::uint64_t bytes = 0;  // of each; never 0
    std::uint32_t word = 0;
};

/// How long work took.
struct Timing {
    /// Measured by the device, or by the host around this work alone. None: nothing measured it, and no guess
    /// stands in. 0: nothing ran.
    std::optional<std::uint64_t> device_ns = {};
    /// When it ended, in ns of std::chrono::steady_clock, to which the device's clock is mapped; 0: unknown.
    std::uint64_t ended_at = 0;
    /// That of work which the host has timed by itself, and which ends now.
    static Timing since(std::chrono::steady_clock::time_point begun) {
        using std::chrono::nanoseconds;
        const auto now = std::chrono::steady_clock::now();
        return {static_cast<std::uint64_t>(nanoseconds(now - begun).count()),
                static_cast<std::uint64_t>(nanoseconds(now.time_since_epoch()).count())};
    }
    /// Adds a part of the same work. The sum is known if both are.
    Timing& operator+=(const Timing& part) {
        if (part.ended_at > ended_at) ended_at = part.ended_at;
        if (device_ns && part.device_ns)
            *device_ns += *part.device_ns;
        else
            device_ns.reset();
        return *this;
    }
};

/// Work in flight, shared by the driver and the device that runs it, so that one object can be both the
/// device's job and the driver's handle to it. The driver releases it once it is done, or never if
/// the device is quarantined.
class Submission {
  public:
    virtual ~Submission() = default;
    /// Waits up to `timeout`. May be called again, and from several threads; once the work has ended, every
    /// call returns the same result. Errors: timed_out (still running), device_lost, limit_exceeded (the
    /// kernel exceeded a limit that shows only at run time: its results are invalid, the device still works).
    virtual Result<Timing> wait(std::chrono::nanoseconds timeout) = 0;
    /// True once it has ended, successfully or not: then wait() returns at once. Polled often: never blocks.
    virtual bool done() const = 0;
};

/// How a submission has ended, for backends' submissions. Threads: one settles it, any read.
class SubmissionOutcome {
  public:
    bool settled() const { return settled_.load(std::memory_order_acquire); }
    /// Returns true to the first caller, where several threads may find that the work has
    /// ended: this one settles.
    bool claim() { return !claimed_.exchange(true, std::memory_order_acq_rel); }
    /// Called once.
    void settle(Result<Timing>&& outcome) {
        outcome_.emplace(std::move(outcome));
        settled_.store(true, std::memory_order_release);
    }
    /// Precondition: settled() has returned true.
    const Result<Timing>& get() const { return *outcome_; }

  private:
    std::atomic<bool> claimed_{false}, settled_{false};
    std::optional<Result<Timing>> outcome_;  // never changes once settled_ is set
};

/// The result of submit(): the timing of work that ended within the call, which costs no
/// allocation, or the work in flight.
using Submitted = std::variant<Timing, std::shared_ptr<Submission>>;

class Device {
  public:
    virtual ~Device() = default;
    virtual const DeviceInfo& info() const = 0;
    /// Compiles a program in which the driver has expanded every operation that isn't in info().ops or, in
    /// exact mode, that info().exactness doesn't promise (docs/ir.md, "Expansion"). Errors: unsupported
    /// (an operation of a program that no driver has expanded: check_operations(), refusals.hpp);
    /// unavailable (the compiler isn't on this machine, which info().no_compiler should say; the program
    /// then goes to another device).
    virtual Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) = 0;
    /// Compiles likewise, but sooner, to slower code with the same results, bit for bit, that runs until compile() has made better: the
    /// driver loads it, and keeps it for no other process. None, without an error: it takes as long, or the results might differ.
    virtual Result<std::optional<Artifact>> compile_quickly(const ValidProgram& program,
                                                            const CompileOptions& options) {
        (void)program, (void)options;
        return std::nullopt;
    }
    virtual Result<std::unique_ptr<Executable>> load(const Artifact& artifact) = 0;
    /// Allocates zeroed memory. `bytes` is never 0, but may be any other number. Errors: out_of_memory.
    virtual Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) = 0;
    /// write, read: any offset and size in bytes, never an empty range. The driver calls them only while no
    /// submission in flight uses the memory.
    virtual Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) = 0;
    virtual Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) = 0;
    /// Submits work and returns at once: only work that is small and sure to end may run within the call.
    /// Submissions of one device start and end in the order in which they were made, and each sees what
    /// earlier ones wrote. After an error, nothing of the submission runs.
    virtual Result<Submitted> submit(const Launch& launch) = 0;
    /// True if transfer() is there. Otherwise the driver submits small kernels that copy and fill.
    virtual bool has_transfers() const { return false; }
    /// Copies or fills as submit() runs launches: in order with them, and with the same rules. Its size is
    /// limited by that of the memory alone.
    virtual Result<Submitted> transfer(const MemoryTransfer& transfer) {
        (void)transfer;
        return fail(ErrorCode::unsupported, info().name + " has no transfers.");
    }
    /// Quarantines the device: afterwards the driver waits for nothing on it, frees nothing of it and calls
    /// nothing else. Stops running work, so that it doesn't occupy a core for good; work that can't be
    /// stopped is left alone. Returns at once. wait() on a stopped submission returns device_lost.
    virtual void abandon() = 0;
    /// Memory that is the host's own, without a copy: kernels read and write it in place. `host` is aligned
    /// to `wrapped_alignment`, isn't empty, and outlives the memory. Null, without an error: the device
    /// can't; the driver copies the bytes to memory from allocate() instead.
    virtual Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) {
        (void)host;
        return nullptr;
    }
};

class GraphCompiler;  // graph_compiler.hpp

class Backend {
  public:
    virtual ~Backend() = default;
    /// The id, the same as in its registration.
    virtual std::string_view id() const = 0;
    /// Finds devices. Called at most once per process by the driver. An error says why there is none:
    /// not_found, like an empty list, if the machine has no such device or no driver for one; any other code
    /// if something is broken, of which routing warns a program that therefore runs on a slower device.
    virtual Result<std::vector<DeviceInfo>> probe() = 0;
    /// Opens the device of this ordinal. The ordinal may come from a probe in another process, so don't
    /// rely on probe() having been called.
    virtual Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) = 0;
    /// The architecture that emission targets by default.
    virtual std::string default_arch() const = 0;
    virtual std::span<const std::string> formats() const = 0;  // the default first
    virtual std::span<const SpecInfo> specs() const = 0;
    /// Describes a target. Errors: not_found (lists the known architectures).
    virtual Result<Target> describe(std::string_view arch) = 0;
    virtual Result<Artifact> emit(const ValidProgram& program, const Target& target,
                                  const EmitRequest& request) = 0;
    /// Why a device can't load code that was emitted to be loaded on another machine; empty if it can, as
    /// far as its properties tell. Calls no native API. Unless a backend knows better, code loads on
    /// devices of its target's arch.
    virtual std::string objection(const Artifact& code, const DeviceInfo& device) const {
        const std::string own = std::string(id()) + ":" + device.arch;
        return code.target == own ? std::string() : "it is for " + code.target + ", and this is " + own;
    }
    /// A listing of this backend's code for people: text as it is, anything else disassembled. Calls no
    /// native API, and takes any bytes. Errors: unsupported (nothing here disassembles the format),
    /// unavailable (what does isn't here), invalid_argument (damaged code). Unless a backend knows
    /// better, it prints text alone.
    virtual Result<std::string> disassemble(const Artifact& code) const {
        if (code.is_text()) return std::string(code.text());
        return fail(
            ErrorCode::unsupported,
            std::string(id()) + " can't disassemble code of the format " + code.format + ".",
            "emit the program in a format that is text: muster backends lists " + std::string(id()) + "'s");
    }
    /// The bytes of the device's memory that are free now, for schedulers; none where its API doesn't tell,
    /// or tells it of opened devices alone. Opens nothing. Unless a backend knows better, it is unknown.
    virtual std::optional<std::uint64_t> free_memory(std::uint32_t ordinal) {
        (void)ordinal;
        return std::nullopt;
    }
    /// The compiler of parts of models for its devices; it lives as long as the backend.
    /// Null: they run as kernels.
    virtual GraphCompiler* graph_compiler() { return nullptr; }
};

/// Constructs a backend. It may throw: the driver turns the exception into an error.
using BackendMaker = std::function<Result<std::unique_ptr<Backend>>()>;

MUSTER_API_END
}  // namespace muster
