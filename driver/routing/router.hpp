// router.hpp - decides where a program runs. Pure: same inputs, same answer; opens nothing.
//
// decide() takes the facts known so far and returns a route, or the one question that must be answered next.
// The caller (Session) answers it and calls again, so that no backend is probed that could not win.
//
//     for (;;) {
//         auto step = decide(program, policy, facts, options);
//         if (auto* route = std::get_if<Route>(&step)) return *route;
//         answer(std::get<Question>(step), facts);   // open its plugin, probe, describe a target, check a device
//     }
//
// A backend of which an earlier process found emulated devices alone is asked only if no native device fits, unless the policy
// names it.
//
// Order of preference: native before software-emulated devices, unless the policy's list names these
// themselves; then the position in the list, or else the rank and id; then the ordinal. If the choice is
// Measured and the dispatch is known, the device with the shortest estimate comes first instead, unless the
// first one by rank has none.
// Result: execute if anything fits, else emit-only, else refused. Two cases are refused without trying to
// emit: the policy's list names a device that its backend lacks, and nothing else executes; the policy is
// OnlyOne, and several backends fit. A refusal lists every candidate with its reason.
// A device that would be chosen is checked first, if the policy says so and its backend's devices are. One
// that fails is passed over; but if it stands alone in the policy's list, or is named there as a device, it
// comes after the backend's others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <muster/driver/policy/policy.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/routing/estimate.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/routing/route.hpp>

namespace muster::routing {

/// A device that this session doesn't use, or no longer.
struct UnusableDevice {
    std::uint32_t ordinal = 0;
    Reason reason = Reason::
        device_lost;  // that for a quarantined one, too; open_failed, out_of_memory, compile_failed, no_compiler
    Error error;
};

/// The facts known about one backend. Null pointers: not asked yet.
struct BackendFacts {
    const FleetEntry* entry = nullptr;
    const ProbeResult* probe = nullptr;
    const Result<Target>* target = nullptr;
    /// The targets after `target`, each with more features (Target::next).
    std::span<const Target> more_targets = {};
    std::vector<UnusableDevice> unusable;
    /// The operations that it can lower at all, or why its plugin doesn't open. Null: those of its entry.
    const Result<OpSet>* loaded = nullptr;
    /// True if its devices are checked.
    bool checks_devices = false;
    std::vector<std::pair<std::uint32_t, const DeviceCheck*>> checks =
        {};  // by ordinal; as far as they are known
    const DeviceCheck* check_of(std::uint32_t ordinal) const {
        for (const auto& [which, check] : checks)
            if (which == ordinal) return check;
        return nullptr;
    }
    /// The variables that hide its devices and are set, with their values: "CUDA_VISIBLE_DEVICES=\"\"".
    std::vector<std::string> hidden_by = {};
    /// Tells if an earlier process found no native device of it, so that it is asked after the others. Called only for a
    /// backend that isn't probed and could win; unset: nothing is known.
    std::function<bool()> found_no_native = {};

    /// True if it is in a plugin that isn't opened, so that its operations aren't known.
    bool must_be_loaded() const { return entry->load && loaded == nullptr; }
    const OpSet& supported_ops() const {
        return loaded != nullptr && *loaded ? **loaded : entry->supported_ops;
    }
};

struct Question {
    enum class Kind : std::uint8_t { load, probe, target, check } kind = Kind::probe;
    std::size_t backend = 0;             // index into the facts
    const DeviceInfo* device = nullptr;  // to check
};

struct RouteOptions {
    CompileOptions compile;
    bool emission_only = false;                    // don't look for a device to execute on
    bool execution_only = false;                   // don't look for a target to emit for
    bool target_is_named = false;                  // the user chose the target to emit for
    bool in_parts = false;                         // emission of a program split at its grid barriers
    bool ask_all = false;                          // probe every allowed backend, even if it could not win
    std::span<const PolicySetting> settings = {};  // copied into the decision
    /// How long the dispatch to route takes on a device; none: the device isn't measured. Empty: no dispatch
    /// is known, and ranks decide even if the choice is Measured.
    std::function<std::optional<Estimate>(std::string_view backend, const DeviceInfo& device)> estimate = {};
    /// Why a device loads no stored code of the program, as in FittingCodes::objections; none: it has all
    /// that it needs. Asked only of devices that compile nothing. Unset: the program has no stored code.
    std::function<std::optional<std::string>(std::string_view backend, const DeviceInfo& device)> no_code =
        {};
    std::string current = {};  // the id of the device that ran the kernel last; empty: none
};

/// Returns the route, or the next question. `facts` are in the fleet's order: by rank, then id.
std::variant<Route, Question> decide(const Program& program, const Policy& policy,
                                     std::span<const BackendFacts> facts, const RouteOptions& options);

}  // namespace muster::routing
