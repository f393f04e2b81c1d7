// session.hpp - where programs run: route, prepare, dispatch, wait, read.
//
//     auto session = muster::Session::open();                       // every linked backend, best first
//     auto kernel  = session->prepare(program);                     // routed, compiled, loaded
//     auto x = session->buffer<float>(host_x), y = session->buffer<float>(host_y);
//     auto ticket  = session->dispatch(*kernel, {{"a", 2.0f}, {"x", *x}, {"y", *y}}, muster::Invocations{n});
//     auto timing  = ticket->wait();                                // y->read_all<float>()
//
// Opening a session calls no driver: backends are constructed and probed when a route first needs them, once
// per process. Session, Kernel and Ticket are handles: copies name the same object, which lives as long as a
// handle needs it. A device stuck in a kernel that never ends is quarantined by close() or Ticket::abandon():
// its resources are leaked on purpose and its buffers return device_lost; other devices and new sessions
// still work. A new session tries the device before it uses it, and passes it over if the kernel keeps it
// busy, as on OpenCL's processors. In a child of fork(), what its parent made is an error; a session that the
// child opens works (docs/failures.md). Threads: all functions may be called from many threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/grid.hpp>
#include <muster/driver/device/argument.hpp>
#include <muster/driver/device/buffer.hpp>
#include <muster/driver/device/ticket.hpp>
#include <muster/driver/policy/policy_layers.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/routing/route.hpp>
#include <muster/driver/session/sequence.hpp>
#include <muster/driver/session/session_backend.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A program compiled and loaded on the device that its route chose. If that device fails and the policy
/// says to go on with another (Policy::on_failure), so do the session's kernels; then the functions
/// below tell of the new one.
class Kernel {
  public:
    const ValidProgram& program() const;
    const Route& route() const;  // its outcome is Execute; its notes tell of each move
    const DeviceInfo& device() const;
    std::string_view backend() const;
    const Artifact& artifact() const;
    /// False while quick code runs in place of optimised code (Policy::optimize).
    bool is_optimized() const;

    struct State;
    explicit Kernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    const std::shared_ptr<const State>& state() const { return state_; }  // for the driver

  private:
    std::shared_ptr<const State> state_;
};

/// A kernel with its arguments, checked once, for dispatches that differ in their grid alone. A handle, like
/// Kernel; it keeps its buffers alive.
class BoundKernel {
  public:
    struct State;
    explicit BoundKernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    const std::shared_ptr<const State>& state() const { return state_; }  // for the driver

  private:
    std::shared_ptr<const State> state_;
};

struct SessionOptions {
    Policy policy = {};
    /// The backends to choose from; null means the process's fleet, with every linked backend.
    std::shared_ptr<Fleet> fleet = {};
    /// More backends, for this session only.
    std::vector<SessionBackend> backends = {};
    /// True if MUSTER_BACKEND, MUSTER_EXCLUDE, MUSTER_COMPILE_BUDGET and MUSTER_VALIDATE apply.
    bool use_environment = true;
    /// The time that close() waits for work in flight before it quarantines the device.
    std::chrono::nanoseconds close_timeout = std::chrono::seconds(5);
};

/// The target and request of an emission. Empty fields mean the routed backend, its
/// default arch, its first format.
struct EmitOptions {
    std::string backend = {};
    std::string arch = {};  // "sm_90"; or a whole target, "cuda:sm_90"; or a device here, "cuda:0"
    EmitRequest request = {};
};

/// A grid that a kernel computes: three u32, the workgroups of each axis, at `offset` bytes in a buffer.
struct GridInBuffer {
    Buffer buffer;
    std::uint64_t offset = 0;
};

/// A buffer that later dispatches don't change, and the end of the work that fills it:
///
///     auto snapshot = session.snapshot({sums});
///     if (snapshot->ready.done()) use(*snapshot->buffer.read_all<float>());      // doesn't wait
struct Snapshot {
    Buffer buffer;
    Ticket ready;
};

struct SplitProgram;  // grid_split.hpp

/// A program with grid barriers, split into parts for backends without such barriers: the code of each part,
/// and the host steps that run the parts in order.
struct EmittedParts {
    std::shared_ptr<const SplitProgram> split;
    std::vector<Artifact> parts;  // in the order of split->parts
};

class Session {
  public:
    /// Errors: invalid_argument (policy or environment). Problems of backends are reported by routes instead.
    static Result<Session> open(SessionOptions options = {});

    /// Returns where the program would run. For a program already routed: no native call, no allocation. Without memory the route
    /// is refused, with out_of_memory; so are the four below.
    Route route(const ValidProgram& program, const CompileOptions& options = {});
    /// Likewise, of a program with stored code, which also runs on devices that compile nothing here.
    Route route(const ArtifactFile& file, const CompileOptions& options = {});
    /// Like route, but for emission only: the outcome is never Execute.
    Route route_emission(const ValidProgram& program);
    /// Like route, but probes every allowed backend, so that no candidate in the record is "not asked".
    Route explain(const ValidProgram& program, const CompileOptions& options = {});
    Route explain(const ArtifactFile& file, const CompileOptions& options = {});

    /// Returns where this dispatch would run, with an estimate in the record for each device that is measured
    /// (keep_roof, roof.hpp). Unless the policy's choice is Measured, estimates decide nothing. Errors: those
    /// of dispatch() that concern arguments and grid.
    Result<Route> route(const ValidProgram& program, std::span<const Argument> arguments, const Grid& grid,
                        const CompileOptions& options = {});
    Result<Route> route(const ArtifactFile& file, std::span<const Argument> arguments, const Grid& grid,
                        const CompileOptions& options = {});
    /// Likewise, for the next dispatch of a kernel, which remembers where it ran.
    Result<Route> route(const Kernel& kernel, std::span<const Argument> arguments, const Grid& grid);

    /// Routes the program, opens the device, compiles and loads; the second time from the cache. A device
    /// that doesn't open, or turns out to compile nothing here, is passed over, and the kernel's route says
    /// so. Errors: refused, with the route's explanation, if nothing can execute; invalid_argument (a spec
    /// that the chosen backend doesn't declare for code that runs, SpecInfo::runs); compile_timed_out
    /// (Policy::compile_budget), after which another call waits again; those of the backend, after what
    /// Policy::on_failure says.
    Result<Kernel> prepare(const ValidProgram& program, const CompileOptions& options = {});
    /// Likewise, and compiles nothing if the file has code with these options that fits the chosen device;
    /// otherwise, and if the device doesn't load it, the program is compiled (Artifact::is_stored tells).
    Result<Kernel> prepare(const ArtifactFile& file, const CompileOptions& options = {});
    /// Likewise, on the device that route() gives for this dispatch. Errors also: those of route().
    Result<Kernel> prepare_for(const ArtifactFile& file, std::span<const Argument> arguments,
                               const Grid& grid, const CompileOptions& options = {});
    /// Generates code without a device. Errors: refused, not_found (backend, target, format),
    /// invalid_argument (unknown spec), compile_timed_out.
    Result<Artifact> emit(const ValidProgram& program, const EmitOptions& options = {});
    /// Like emit(), for each part of a program with grid barriers. Errors also:
    /// invalid_argument (it has none).
    Result<EmittedParts> emit_parts(const ValidProgram& program, const EmitOptions& options = {});

    /// Emits code for several targets that prepare() loads on other machines; of a program with grid
    /// barriers also its parts, for devices without such barriers, or grids too large for them.
    /// Errors: those of emit().
    Result<ArtifactFile> package(const ValidProgram& program, std::span<const EmitOptions> targets);

    /// Makes a buffer of `bytes` zeros. Errors: limit_exceeded if neither the host nor any
    /// device has so much memory.
    Result<Buffer> buffer(std::uint64_t bytes, std::optional<ElementType> element = {});
    Result<Buffer> buffer_from(std::span<const std::byte> from, std::optional<ElementType> element = {});
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<Buffer> buffer(std::span<const T> from) {
        return buffer_from(std::as_bytes(from), element_type_of<T>());
    }
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<Buffer> buffer(const std::vector<T>& from) {
        return buffer<T>(std::span<const T>(from));
    }
    /// Makes a buffer over memory that the caller keeps until no buffer, ticket or sequence needs it (of a
    /// quarantined device: for ever). Devices that can use it in place do (the CPU's always), others have a
    /// copy while dispatches use it; Buffer::sync() brings the bytes back. Until then they are the buffer's:
    /// leave them alone. Errors: invalid_argument (empty, or not aligned to wrapped_alignment).
    Result<Buffer> buffer_over(std::span<std::byte> memory, std::optional<ElementType> element = {});
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<Buffer> buffer_over(std::span<T> memory) {
        return buffer_over(std::as_writable_bytes(memory), element_type_of<T>());
    }
    /// Makes a buffer of `count` zeros.
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<Buffer> zeros(std::uint64_t count) {
        if (count > UINT64_MAX / sizeof(T))
            return fail(ErrorCode::limit_exceeded,
                        "A buffer of " + std::to_string(count) + " elements of " + std::to_string(sizeof(T)) +
                            " bytes has more bytes than 64 bits count.",
                        "use a smaller buffer");
        return buffer(count * sizeof(T), element_type_of<T>());
    }

    /// An estimate of what a dispatch does, from the program alone: on every device the same.
    /// Errors: those of route().
    Result<DispatchWork> work(const ValidProgram& program, std::span<const Argument> arguments,
                              const Grid& grid);

    /// Binds the arguments and submits the kernel, which this session must have prepared. Waits only if over
    /// a thousand dispatches are in flight, or if a buffer is still used on another device. If the policy's
    /// choice is Measured, the kernel runs where this dispatch is estimated to end first; the first time on a
    /// device it is compiled for it. If the device fails before the dispatch has begun, does what
    /// Policy::on_failure says. Errors: invalid_argument, limit_exceeded, conflict (overlap), device_lost,
    /// out_of_memory, timed_out, refused (closed); with Policy::validate, which waits for what uses the
    /// buffers, also invalid_program.
    Result<Ticket> dispatch(const Kernel& kernel, std::span<const Argument> arguments, const Grid& grid);
    Result<Ticket> dispatch(const Kernel& kernel, std::initializer_list<Argument> arguments,
                            const Grid& grid) {
        return dispatch(kernel, std::span<const Argument>(arguments.begin(), arguments.size()), grid);
    }

    /// Likewise, over the workgroups that the three u32 at the grid's place count once the dispatches that
    /// use its buffer have ended: waits for these. Errors also: those of reading it.
    Result<Ticket> dispatch(const Kernel& kernel, std::span<const Argument> arguments,
                            const GridInBuffer& grid);
    Result<Ticket> dispatch(const Kernel& kernel, std::initializer_list<Argument> arguments,
                            const GridInBuffer& grid) {
        return dispatch(kernel, std::span<const Argument>(arguments.begin(), arguments.size()), grid);
    }

    /// Checks arguments for dispatches to come. Errors: those of dispatch() that concern arguments.
    Result<BoundKernel> bind(const Kernel& kernel, std::vector<Argument> arguments);
    /// Likewise, of a kernel with its arguments.
    Result<Ticket> dispatch(const BoundKernel& kernel, const Grid& grid);

    /// Moves the buffers of a dispatch to come to the kernel's device, which then needs no memory for them
    /// any more. Errors: those of dispatch() that concern arguments and memory.
    Result<void> place(const Kernel& kernel, std::span<const Argument> arguments);

    /// Copies bytes between buffers, or parts of them, in order with the dispatches that use them, on the
    /// device that holds the target, or the source. Offsets and sizes are multiples of 4. Errors:
    /// invalid_argument, conflict (overlap), those of dispatch.
    Result<Ticket> copy(const BufferRange& from, const BufferRange& to);
    /// Fills a part of a buffer with a word of 4 bytes, likewise.
    Result<Ticket> fill(const BufferRange& what, std::uint32_t word);
    /// Copies what a buffer holds after the dispatches submitted so far, for a read that
    /// doesn't block: poll its ticket.
    Result<Snapshot> snapshot(const BufferRange& range);

    /// An empty sequence to record.
    Sequence sequence();

    /// The policy in force, merged from its layers.
    const Policy& policy() const;
    /// The source of each setting: the session's policy, an environment variable, or the process default.
    std::span<const PolicySetting> policy_settings() const;
    /// The backends that the session chooses from.
    Fleet& fleet() const;

    /// Waits for work in flight, and quarantines devices whose work doesn't end in time. Later dispatches are
    /// refused; buffers of the other devices stay readable. The last handle's destructor does the same.
    void close();

    struct State;

  private:
    Result<Kernel> prepare(const ValidProgram& program, const CompileOptions& options,
                           std::span<const Artifact> codes);
    explicit Session(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

/// Waits until no program of this process is to be optimised (Policy::optimize), for one that would end before: later processes
/// find optimised code alone. False: some still are after that time.
bool wait_until_optimized(std::chrono::nanoseconds timeout);

MUSTER_API_END
}  // namespace muster
