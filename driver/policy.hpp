// policy.hpp - what a user allows routing to do.
//
//     Policy policy;
//     policy.backends = {"cuda:1", "cpu"};   // only these, in this order: of CUDA's devices only the one with ordinal 1
//     policy.allow_tags = {"debug"};       // the interpreter may run it, too
//
// Each field left unset falls back: session over environment (MUSTER_BACKEND, MUSTER_EXCLUDE) over process
// default over built-in. Exclusion is different: whatever any layer excludes is excluded.
// Threads: Policy is a value. set_default_policy may be called from any thread; sessions opened later see it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/result.hpp>

namespace muster {

/// Tags that ask for consent: backends for finding mistakes, not for speed, and unfinished ones. Automatic
/// routing passes them over unless the tag is allowed, the backend is named in `backends`, or no other
/// allowed backend claims dispatch; in that last case the route carries a note that says so. Other tags only
/// describe.
inline constexpr std::array<std::string_view, 2> consent_tags{"debug", "experimental"};

struct Policy {
    /// Ordered allow-list of backends and of single devices, as DeviceSelector reads them ("cuda", "cuda:1",
    /// "cuda:UUID"): no other one is considered, and among these the order of the list stands in for the rank. Naming a
    /// backend, or a device of it, allows its tags. A device that the list names and that its backend hasn't is told by the
    /// route, which emits nothing in its place. Unset: every backend, by rank. Set and empty: none.
    std::optional<std::vector<std::string>> backends = {};
    /// Backends and devices never considered, whatever else says they are.
    std::vector<std::string> exclude = {};
    /// Tags that have consent. Unset: none.
    std::optional<std::vector<std::string>> allow_tags = {};
    /// Whether a device that doesn't promise exact arithmetic may run exact programs. Built-in: no.
    std::optional<bool> inexact_ok = {};
    /// Whether the answer may be emit-only where nothing can execute. Built-in: yes.
    std::optional<bool> allow_emission = {};
};

/// `over` where it is set, `under` elsewhere; exclusions of both.
Policy layer(Policy over, const Policy& under);

/// Errors: invalid_argument, for an id or tag that can't be one (not of a-z, 0-9, '-' and '_' with a letter
/// first), what follows an id and is no device, and what `backends` lists twice.
Result<void> check(const Policy& policy);

/// The process default: below the environment, above the built-in. Errors: as check().
Result<void> set_default_policy(Policy policy);
Policy default_policy();

}  // namespace muster
