// router.hpp - decides where a program runs. Pure: same inputs, same answer; opens nothing.
//
// It is given what is known and answers with a route, or with the one question that must be asked next. Who
// asks (Session) answers it and calls again, so that no backend is probed that could not win.
//
//     for (;;) {
//         auto step = decide(program, policy, facts, options);
//         if (auto* route = std::get_if<Route>(&step)) return *route;
//         answer(std::get<Question>(step), facts);   // open its plugin, probe, or describe the default target
//     }
//
// Order: software-emulated devices last, then the place in policy's list or else the rank, id, ordinal.
// Ladder: execute, else emit-only, else refused; refused at once where the policy's list names a device that isn't among
// its backend's, and nothing else executes, and where the policy takes one only if no other fits, and another does. A
// refusal lists every candidate with its reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <muster/driver/policy/policy.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/routing/fit.hpp>
#include <muster/driver/routing/route.hpp>

namespace muster {

/// A device that this session no longer uses: it didn't open, was lost or quarantined.
struct LostDevice {
    std::uint32_t ordinal = 0;
    Error error;
};

/// What is known of one backend. Null: not asked yet.
struct BackendFacts {
    const FleetEntry* entry = nullptr;
    const ProbeResult* probe = nullptr;
    const Result<Target>* target = nullptr;
    std::vector<LostDevice> lost;
    /// The operations that it can lower at all, or why its plugin doesn't open. Null: as its entry says.
    const Result<OpSet>* loaded = nullptr;
    /// What is set of the variables that hide devices of its: "CUDA_VISIBLE_DEVICES=\"\"".
    std::vector<std::string> hidden_by = {};

    /// In a plugin that isn't opened: what it can do isn't known.
    bool must_be_loaded() const { return entry->load && loaded == nullptr; }
    const OpSet& supported_ops() const {
        return loaded != nullptr && *loaded ? **loaded : entry->supported_ops;
    }
};

struct Question {
    enum class Kind : std::uint8_t { load, probe, target } kind = Kind::probe;
    std::size_t backend = 0;  // index into the facts
};

struct RouteOptions {
    CompileOptions compile;
    bool emission_only = false;                    // skip the first rung
    bool in_parts = false;                         // emission of a program split at its grid barriers
    bool ask_all = false;                          // probe every allowed backend, also one that could not win
    std::span<const PolicySetting> settings = {};  // who decided what of the policy: for the record
};

/// `facts` in the fleet's order: by rank, then id.
std::variant<Route, Question> decide(const Program& program, const Policy& policy,
                                     std::span<const BackendFacts> facts, const RouteOptions& options);

}  // namespace muster
