// policy.hpp - what a user allows routing to do.
//
//     Policy policy;
//     policy.backends = {"cuda:1", "cpu"};   // only these, in this order: of CUDA's devices only the one with ordinal 1
//     policy.kind = DeviceClass::gpu;        // a CPU never runs it
//     policy.choice = Pinned{"cuda:1"};      // that device, or an error
//
// Each field left unset falls back: session over environment (MUSTER_BACKEND, MUSTER_EXCLUDE, MUSTER_COMPILE_BUDGET) over
// process default over built-in. Exclusion is different: whatever any layer excludes is excluded. Which layer decided what is
// told by policy_layers.hpp, and by every route's record.
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

#include <muster/foundation/base/result.hpp>

namespace muster {

/// Tags that ask for consent: backends for finding mistakes, not for speed, and unfinished ones. Automatic
/// routing passes them over unless the tag is allowed, the backend is named in `backends`, or no other
/// allowed backend claims dispatch; in that last case the route carries a note that says so. Other tags only
/// describe.
inline constexpr std::array<std::string_view, 2> consent_tags{"debug", "experimental"};

/// The best one of those that fit, by the policy's list or else by rank. Built-in.
struct Ranked {
    bool operator==(const Ranked&) const = default;
};
/// The one backend that fits; where several do, a refusal that names them.
struct OnlyOne {
    bool operator==(const OnlyOne&) const = default;
};
/// This backend or device, as DeviceSelector reads it ("cuda", "cuda:1", "cuda:UUID"), or a refusal: never another
/// one, and no emission in its place unless `allow_emission` says so. Like a list of one it allows tags.
struct Pinned {
    std::string to;
    bool operator==(const Pinned&) const = default;
};
/// How one is chosen among what the rest of the policy allows.
using Choice = std::variant<Ranked, OnlyOne, Pinned>;

/// Which devices may run programs. `gpu` is discrete, integrated or virtual; one that is emulated in software is no GPU,
/// whatever its driver says, but a CPU.
enum class DeviceClass : std::uint8_t { any, gpu, discrete, integrated, cpu };
std::string_view name(DeviceClass kind);
/// Errors: invalid_argument, with the names that there are.
Result<DeviceClass> parse_device_class(std::string_view text);

struct Policy {
    std::optional<Choice> choice = {};
    /// Ordered allow-list of backends and of single devices, as DeviceSelector reads them: no other one is considered,
    /// and among these the order of the list stands in for the rank. Naming a backend, or a device of it, allows its
    /// tags. A device that the list names and that its backend hasn't, while it has others, is told by the route, which
    /// emits nothing in its place. Unset: every backend, by rank. Set and empty: none.
    std::optional<std::vector<std::string>> backends = {};
    /// Backends and devices never considered, whatever else says they are.
    std::vector<std::string> exclude = {};
    /// Tags whose backends are never considered, even where they are named.
    std::vector<std::string> exclude_tags = {};
    /// Tags of which a backend must have every one. Unset: none.
    std::optional<std::vector<std::string>> require_tags = {};
    /// Tags that have consent. Unset: none.
    std::optional<std::vector<std::string>> allow_tags = {};
    /// Which devices execute, and targets of which machines are emitted for. Built-in: any.
    std::optional<DeviceClass> kind = {};
    /// Least memory of a device. One that doesn't say how much it has hasn't enough. Built-in: 0.
    std::optional<std::uint64_t> min_memory_bytes = {};
    /// What a device or target must have beside what the program uses, as Feature reads it ("f32", "fma",
    /// "subgroup:32"). Unset: nothing.
    std::optional<std::vector<std::string>> require_features = {};
    /// Whether a device that doesn't promise exact arithmetic may run exact programs. Built-in: no.
    std::optional<bool> inexact_ok = {};
    /// Whether the answer may be emit-only where nothing can execute. Built-in: yes, and no where the choice is pinned.
    std::optional<bool> allow_emission = {};
    /// How long compiling a program may take, loading it included; longer is the error compile_timed_out, and no reason to
    /// take another device. Zero: as long as it takes. Built-in: default_compile_budget.
    std::optional<std::chrono::nanoseconds> compile_budget = {};
};

inline constexpr std::chrono::nanoseconds default_compile_budget = std::chrono::seconds(30);
/// Seconds: "30", "0.5", "0". Errors: invalid_argument.
Result<std::chrono::nanoseconds> parse_compile_budget(std::string_view text);
/// For people: "30 s", "none".
std::string compile_budget_text(std::chrono::nanoseconds budget);

/// The pinned backend or device; null where the choice is another.
const std::string* pinned(const Policy& policy);

/// `over` where it is set, `under` elsewhere; exclusions of both. A list and a pin are one question: of two layers, the
/// upper one's answer counts.
Policy layer(Policy over, const Policy& under);

/// Errors: invalid_argument, for an id or tag that can't be one (not of a-z, 0-9, '-' and '_' with a letter
/// first), what follows an id and is no device, what `backends` lists twice, a list beside a pin, what is no feature, and a
/// budget below zero.
Result<void> check(const Policy& policy);

/// The process default: below the environment, above the built-in. Errors: as check().
Result<void> set_default_policy(Policy policy);
/// As before the first set_default_policy.
void reset_default_policy();
Policy default_policy();

}  // namespace muster
