// backend.hpp - the contract between the driver and a backend: Backend, Device, and what goes between them.
//
// Small on purpose, and without optional functions: what a device can't do, the router refuses from
// DeviceInfo before any of these is called. Backends take ValidProgram and check nothing twice: the driver
// has validated bindings, limits and grids. Who writes a backend copies backend-reference/. Threads: Backend
// and Device functions may be called from many threads at once, unless stated otherwise.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/foundation/program.hpp>
#include <muster/foundation/result.hpp>
#include <muster/foundation/validate.hpp>

namespace muster {

enum class DeviceKind : std::uint8_t { cpu, integrated_gpu, discrete_gpu, virtual_gpu, other };
std::string_view name(DeviceKind kind);

/// How sure we are of a property of a device's arithmetic (DESIGN section 5a).
enum class Promise : std::uint8_t { no, sampled, promised };
std::string_view name(Promise promise);

struct Exactness {
    Promise round_to_nearest_even = Promise::no;
    Promise signed_zero_inf_nan = Promise::no;
    Promise subnormals = Promise::no;   // kept; flushed where no
    Promise division = Promise::no;     // correctly rounded
    Promise square_root = Promise::no;  // correctly rounded
    Promise fma = Promise::no;          // one rounding
    /// May run exact programs: rounds to nearest even; signed zero, Inf and NaN preserved.
    bool exact() const { return round_to_nearest_even != Promise::no && signed_zero_inf_nan != Promise::no; }
};

struct DeviceLimits {
    Extent3 max_workgroup_size;                   // invocations per axis
    std::uint32_t max_workgroup_invocations = 0;  // in all
    std::uint64_t max_workgroup_bytes = 0;        // of workgroup memory
    Extent3 max_workgroups;  // per axis, of one submission; the driver folds larger grids
    std::uint64_t max_storage_binding_bytes = 0;
    std::uint64_t max_uniform_binding_bytes = 0;
    std::uint32_t max_storage_bindings = 0;
    std::uint32_t max_uniform_bindings = 0;
    std::uint64_t max_private_bytes = 0;  // private and function variables of one invocation
};

struct DeviceInfo {
    std::uint32_t ordinal = 0;
    std::string name;  // "NVIDIA H200", "llvmpipe (LLVM 15, 256 bits)"
    std::string arch;  // as in a target: "sm_90", "x86-64-v4"
    DeviceKind kind = DeviceKind::other;
    bool software_emulated = false;       // a GPU interface drawn by a CPU, an interpreter: last in routing
    std::array<std::uint8_t, 16> uuid{};  // all zero where unknown
    std::string driver;                   // driver's name and version
    std::uint64_t memory_bytes = 0;
    std::uint32_t subgroup_size = 1;
    DeviceLimits limits;
    OpSet ops;  // what it runs itself; the math group only where fast mode may use its own
    std::bitset<scalar_count> scalars;  // types it has
    Exactness exactness;
};

enum class Precision : std::uint8_t { exact, fast };

/// How to compile. Part of an executable's cache key.
struct CompileOptions {
    Precision precision = Precision::exact;
    bool unchecked = false;  // no bounds checks: asked for, never a default
    bool operator==(const CompileOptions&) const = default;
};

/// A machine to emit for, described by the backend: no device needed.
struct Target {
    std::string backend;  // id
    std::string arch;     // "sm_90", "vulkan1.2", "x86-64-v4"
    DeviceLimits limits;
    OpSet ops;
    std::bitset<scalar_count> scalars;
    Exactness exactness;
    std::uint32_t subgroup_size = 1;
    std::string to_string() const { return backend + ":" + arch; }
};

/// A compile spec that a backend declares: `--spec KEY=VALUE`. Undeclared keys are errors.
struct SpecInfo {
    std::string key;
    std::string help;
};
using Specs = std::vector<std::pair<std::string, std::string>>;

struct EmitRequest {
    std::string format;  // one of formats(); empty: the first
    CompileOptions options;
    Specs specs;
};

/// One step of the way from the target's code to the source: target line or offset -> node -> source line.
struct DebugEntry {
    std::uint64_t target = 0;  // line (text) or byte offset, as the format says
    NodeId node;
    SourceLocation source;
};

struct BindingLayout {
    std::string name;
    std::uint32_t group = 0, binding = 0;
    AddressSpace space = AddressSpace::storage;
    Access access = Access::read_write;
    std::string type;
    std::uint64_t min_bytes = 0;
};

/// What lowering produced.
struct Artifact {
    std::vector<std::byte> bytes;
    std::string format;  // "wgsl", "ptx", "spirv", "object"
    std::string target;  // Target::to_string()
    std::string entry;
    Extent3 workgroup_size;
    std::vector<BindingLayout> bindings;
    std::vector<DebugEntry> debug_map;
    std::vector<SourceFile> files;
    Fingerprint fingerprint;
    CompileOptions options;
    std::vector<std::pair<std::string, std::string>> side_files;  // name -> text, e.g. a generated C header
    /// What the backend that compiled it may find again at load, in this process, instead of reading `bytes`.
    /// Null in artifacts that come from elsewhere.
    std::shared_ptr<const void> in_process;
};

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
};

struct BoundMemory {
    Memory* memory = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  // of the binding; a run-time array's length follows from it
};

/// One submission, within the device's limits. workgroup_id runs over [origin, origin + extent);
/// num_workgroups reads as `grid`, the whole dispatch.
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

/// Work in flight. The driver destroys it once it is done, or never (a quarantined device).
class Submission {
  public:
    virtual ~Submission() = default;
    /// Waits up to `timeout`; zero asks whether it is done. May be called again, and from several threads;
    /// once it has ended, always with the same answer. Errors: timed_out (still running), device_lost.
    virtual Result<Timing> wait(std::chrono::nanoseconds timeout) = 0;
};

class Device {
  public:
    virtual ~Device() = default;
    virtual const DeviceInfo& info() const = 0;
    /// The math group is expanded before, where the options and info().ops ask for that.
    virtual Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) = 0;
    virtual Result<std::unique_ptr<Executable>> load(const Artifact& artifact) = 0;
    /// Zeroed. Errors: out_of_memory.
    virtual Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) = 0;
    /// write, read: the driver calls them only while no submission in flight uses the memory.
    virtual Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) = 0;
    virtual Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) = 0;
    /// Returns at once. Submissions of one device start, and end, in the order in which they were made.
    virtual Result<std::unique_ptr<Submission>> submit(const Launch& launch) = 0;
};

class Backend {
  public:
    virtual ~Backend() = default;
    /// The id of its registration.
    virtual std::string_view id() const = 0;
    /// Finds devices. Called once per process by the driver. An error or an empty list says why there is
    /// none.
    virtual Result<std::vector<DeviceInfo>> probe() = 0;
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

}  // namespace muster
