// policy.hpp - the choices that a user allows routing to make.
//
//     Policy policy;
//     policy.backends = {"cuda:1", "cpu"};   // only these, in this order: of CUDA's devices only the one with ordinal 1
//     policy.kind = DeviceClass::gpu;        // never a CPU
//     policy.choice = Pinned{"cuda:1"};      // that device, or an error
//
// A field left unset falls back to the next layer: session, environment (MUSTER_BACKEND, MUSTER_EXCLUDE,
// MUSTER_COMPILE_BUDGET, MUSTER_ON_FAILURE, MUSTER_VALIDATE, MUSTER_CHECK_DEVICES, MUSTER_OPTIMIZE, MUSTER_PACK), process
// default, built-in. Exclusions add up instead: whatever any layer excludes is excluded.
// policy_layers.hpp and every route's record show which layer decided a field.
// Threads: Policy is a value. set_default_policy may be called from any thread; sessions opened later see it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Tags that need consent: backends for debugging rather than speed, and unfinished ones. Automatic
/// routing passes them over unless the tag is allowed, the backend is named in `backends`, or no other
/// allowed backend claims dispatch; in that last case the route carries a note that says so. Other tags only
/// describe.
inline constexpr std::array<std::string_view, 2> consent_tags{"debug", "experimental"};

/// Chooses the best of the devices that fit, by the policy's list or else by rank. Built-in.
struct Ranked {
    bool operator==(const Ranked&) const = default;
};
/// Chooses the only backend that fits; if several do, the route is a refusal that names them.
struct OnlyOne {
    bool operator==(const OnlyOne&) const = default;
};
/// Chooses this backend or device, as DeviceSelector reads it ("cuda", "cuda:1", "cuda:UUID",
/// "cpu:x86-64-v3"), or refuses: never another one, and no emission instead unless `allow_emission` says so.
/// Like a list of one, it allows the backend's tags.
struct Pinned {
    std::string to;
    bool operator==(const Pinned&) const = default;
};
/// Chooses, for each dispatch, the device that is estimated to finish it first, from its grid and bindings,
/// from where the data are, and from what `muster bench` has measured of the devices (keep_roof, roof.hpp).
/// The device that ran the kernel last is left for a clearly shorter time only. Ranks decide while the first
/// device by rank isn't measured, and for sequences.
struct Measured {
    bool operator==(const Measured&) const = default;
};
/// The way to choose among the devices that the rest of the policy allows.
using Choice = std::variant<Ranked, OnlyOne, Pinned, Measured>;

/// The class of devices that may run programs. `gpu` is discrete, integrated or virtual; a GPU that is
/// emulated in software counts as a CPU, whatever its driver reports.
enum class DeviceClass : std::uint8_t { any, gpu, discrete, integrated, cpu };
std::string_view name(DeviceClass kind);
/// Parses a class's name. Errors: invalid_argument, with the valid names.
Result<DeviceClass> parse_device_class(std::string_view text);

/// The way that a session goes on after a fault at run time: a device is lost or abandoned, memory runs out,
/// or a program doesn't compile or load, or not within the budget (docs/failures.md). `fail`: the call
/// returns the error. `retry`: once more, on the same device opened anew. `next`: once more, on the next
/// device that fits; the one that failed is passed over from then on.
enum class OnFailure : std::uint8_t { fail, retry, next };
std::string_view name(OnFailure what);
/// Parses a name. Errors: invalid_argument, with the valid names.
Result<OnFailure> parse_on_failure(std::string_view text);

/// The check of dispatches by the interpreter (docs/sanitize.md#while-a-program-runs): none; a kernel's
/// faults are logged as warnings; or a dispatch with one is the error invalid_program, before it runs.
enum class Validation : std::uint8_t { off, warn, error };
std::string_view name(Validation validation);
/// Parses a value of MUSTER_VALIDATE: 0, 1 or error. Errors: invalid_argument.
Result<Validation> parse_validation(std::string_view text);

/// When a device compiles a program that no earlier process has compiled. `first`: before it runs. `later`: behind its
/// runs, which quick code does until then, with the same results; a device whose quick code wouldn't be much
/// sooner, or might have other results, compiles first. `never`: quick code stays.
enum class Optimize : std::uint8_t { first, later, never };
std::string_view name(Optimize when);
/// Parses a name. Errors: invalid_argument, with the valid names.
Result<Optimize> parse_optimize(std::string_view text);

struct Policy {
    std::optional<Choice> choice = {};
    /// Ordered allow-list of backends and of single devices, as DeviceSelector reads them: no others are
    /// considered, and among these the order of the list replaces the rank. A device named itself
    /// ("vulkan:0") is wanted, emulated in software or not; of a backend's name ("vulkan"), emulated devices
    /// come after all native ones of the list. Naming a backend, or a device of it, allows its tags. If the
    /// list names a device that its backend lacks while it has others, the route notes this and emits nothing
    /// instead. Unset: every backend, by rank. Set and empty: none.
    std::optional<std::vector<std::string>> backends = {};
    /// Backends and devices that are never considered, even if they are named elsewhere.
    std::vector<std::string> exclude = {};
    /// Tags whose backends are never considered, even if they are named.
    std::vector<std::string> exclude_tags = {};
    /// Tags that a backend must have, every one of them. Unset: none.
    std::optional<std::vector<std::string>> require_tags = {};
    /// Tags that have consent. Unset: none.
    std::optional<std::vector<std::string>> allow_tags = {};
    /// The class of devices that execute, and of machines to emit for. Built-in: any.
    std::optional<DeviceClass> kind = {};
    /// Minimum memory of a device. A device that doesn't report its memory counts as too small. Built-in: 0.
    std::optional<std::uint64_t> min_memory_bytes = {};
    /// Features that a device or target must have besides those that the program uses, as Feature reads them
    /// ("f32", "fma", "subgroup:32"). Unset: none.
    std::optional<std::vector<std::string>> require_features = {};
    /// The size of subgroups, for programs that use them and ask for none (@subgroup_size), unless
    /// CompileOptions says another. Only devices that have it run them. A power of two from 4 to 128.
    /// Built-in: the device's own.
    std::optional<std::uint32_t> subgroup_size = {};
    /// True if a device that doesn't promise exact arithmetic may run exact programs. Built-in: false.
    std::optional<bool> inexact_ok = {};
    /// True if the route may be emit-only when nothing can execute. Built-in: true, but false
    /// if the choice is pinned.
    std::optional<bool> allow_emission = {};
    /// The time that compiling and loading a program may take; exceeding it is the error
    /// compile_timed_out, and a reason to use another device only if on_failure says so. Zero: no limit.
    /// Built-in: default_compile_budget.
    std::optional<std::chrono::nanoseconds> compile_budget = {};
    /// The way to go on after a fault at run time. Other than `fail`, buffers keep a copy of their bytes on
    /// the host until a kernel writes them. Built-in: fail.
    std::optional<OnFailure> on_failure = {};
    /// The validation of dispatches. It doesn't change routes. Built-in: off.
    std::optional<Validation> validate = {};
    /// True if a device must pass a check, once for each build, driver and device, before a route chooses
    /// it (docs/probing.md#checks). One that fails is passed over, or used with a warning if the policy
    /// names it. Built-in: true.
    std::optional<bool> check_devices = {};
    /// When programs are optimised. Built-in: later.
    std::optional<Optimize> optimize = {};
    /// The pack of patterns that models are rewritten and joined to kernels by
    /// (docs/packs.md#selection). Unset: the portable one, or in fast mode the one that applies to the
    /// device. Programs don't depend on it.
    std::optional<std::string> pack = {};
};

inline constexpr std::chrono::nanoseconds default_compile_budget = std::chrono::seconds(30);
/// Parses seconds: "30", "0.5", "0". Errors: invalid_argument.
Result<std::chrono::nanoseconds> parse_compile_budget(std::string_view text);
/// The budget for display: "30 s", "none".
std::string compile_budget_text(std::chrono::nanoseconds budget);

/// True if the choice is Measured.
bool is_measured(const Policy& policy);
/// The pinned backend or device; null if the choice isn't Pinned.
const std::string* pinned(const Policy& policy);

/// Merges two layers: the fields of `over` if set, else those of `under`; the exclusions of both. A list and
/// a pin answer the same question: if the layers differ, the one in `over` counts.
Policy layer(Policy over, const Policy& under);

/// Checks a policy by itself. Errors: invalid_argument, for an invalid id or tag (valid_id, records.hpp), an
/// invalid device after an id, an entry that `backends` lists twice, a list beside a pin, an unknown feature,
/// a budget below zero, and an invalid id of a pack.
Result<void> check(const Policy& policy);

/// Sets the process default, which is below the environment and above the built-in. Errors: as check().
Result<void> set_default_policy(Policy policy);
/// Restores the empty process default.
void reset_default_policy();
Policy default_policy();

MUSTER_API_END
}  // namespace muster
