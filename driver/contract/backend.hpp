// backend.hpp - the contract between the driver and a backend: Backend, Device, and what goes between them.
//
// Small on purpose, and without optional functions: what a device can't do, the router refuses from
// DeviceInfo before any of these is called. Backends take ValidProgram and check nothing twice: the driver
// has validated bindings, limits and grids. Who writes a backend copies backend-reference/. Threads: Backend
// and Device functions may be called from many threads at once, unless stated otherwise.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

/// Memory of a device. Freed by its destructor, which never fails loudly. Outlives no Device.
class Memory {
  public:
    virtual ~Memory() = default;
    virtual std::uint64_t bytes() const = 0;
};

/// An artifact loaded on a device.
class Executable {
  public:
    virtual ~Executable() = default;

    /// The most workgroups of it that the device has in progress at a time. Invocations wait for one another at a grid
    /// barrier, so the driver submits a program that has one only if the grid isn't larger. Set by load() on devices whose
    /// operations include the grid barrier.
    std::uint64_t resident_workgroups = UINT64_MAX;
};

/// What one binding has: a range of memory, or a value that the dispatch gave. A backend passes values as its API
/// likes best (kernel arguments, push constants), and copies those that it reads after the call.
struct BoundMemory {
    Memory* memory = nullptr;  // null: a value
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;           // of the binding; a run-time array's length follows from it
    const std::byte* value = nullptr;  // `bytes` of them, aligned to 4; the kernel only reads it
};

/// One submission, within the device's limits. workgroup_id runs over [origin, origin + extent);
/// num_workgroups reads as `grid`, the whole dispatch. What `bindings` spans, values included, is there during the
/// call only.
struct Launch {
    const Executable* executable = nullptr;
    std::span<const BoundMemory> bindings;  // in Program::bindings() order
    Extent3 origin{0, 0, 0};
    Extent3 extent;
    Extent3 grid;
};

struct Timing {
    std::uint64_t device_ns = 0;  // on the device's own clock
};

/// Work in flight, shared by the driver and the device that runs it, so that one object can be both the
/// device's job and the driver's handle on it. The driver lets go of it once it is done, or never (a
/// quarantined device).
class Submission {
  public:
    virtual ~Submission() = default;
    /// Waits up to `timeout`. May be called again, and from several threads; once it has ended, always with
    /// the same answer. Errors: timed_out (still running), device_lost, limit_exceeded (the kernel ran into a limit of
    /// the device that is known only by running: its results don't count, the device works on).
    virtual Result<Timing> wait(std::chrono::nanoseconds timeout) = 0;
    /// True once it has ended, however it ended: then wait() answers at once. Asked often: never blocks.
    virtual bool done() const = 0;
};

/// What submit() answers: how long the work took, where it ended within the call (this costs no allocation, and
/// the driver keeps nothing), or the work in flight.
using Submitted = std::variant<Timing, std::shared_ptr<Submission>>;

class Device {
  public:
    virtual ~Device() = default;
    virtual const DeviceInfo& info() const = 0;
    /// Operations that neither info().ops nor, in exact mode, info().exactness promises have been expanded into others.
    virtual Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) = 0;
    virtual Result<std::unique_ptr<Executable>> load(const Artifact& artifact) = 0;
    /// Zeroed. Errors: out_of_memory.
    virtual Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) = 0;
    /// write, read: the driver calls them only while no submission in flight uses the memory.
    virtual Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) = 0;
    virtual Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) = 0;
    /// Returns at once: only work that is small and sure to end may run within the call. Submissions of one
    /// device start, and end, in the order in which they were made. An error: nothing of it runs any more.
    virtual Result<Submitted> submit(const Launch& launch) = 0;
    /// The device is quarantined: the driver waits for nothing on it any more, frees nothing of it and calls
    /// nothing else. What runs is stopped, so that it doesn't burn a core for good; where it can't be stopped,
    /// it is left alone. Returns at once. Submissions that were stopped answer device_lost.
    virtual void abandon() = 0;
};

class Backend {
  public:
    virtual ~Backend() = default;
    /// The id of its registration.
    virtual std::string_view id() const = 0;
    /// Finds devices. Called at most once per process by the driver. An error says why there is none: not_found, like an
    /// empty list, where the machine hasn't any, or no driver of theirs; any other code where something is broken, which
    /// is told to who ends on a slower device for that.
    virtual Result<std::vector<DeviceInfo>> probe() = 0;
    /// Of an ordinal that a probe found: this object's, or that of another process (isolation.hpp), so don't count on
    /// probe() having been called.
    virtual Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) = 0;
    /// The documented target of emission where none is asked for.
    virtual std::string default_arch() const = 0;
    virtual std::span<const std::string> formats() const = 0;  // the default first
    virtual std::span<const SpecInfo> specs() const = 0;
    /// Errors: not_found (with the archs there are).
    virtual Result<Target> describe(std::string_view arch) = 0;
    virtual Result<Artifact> emit(const ValidProgram& program, const Target& target,
                                  const EmitRequest& request) = 0;
};

/// Constructs a backend. It may throw: the driver takes that for an error.
using BackendMaker = std::function<Result<std::unique_ptr<Backend>>()>;

}  // namespace muster
