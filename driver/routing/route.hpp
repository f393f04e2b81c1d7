// route.hpp - the result of routing: execute, emit-only or refused, with the reasons of every candidate.
//
//     Route route = session.route(program);
//     if (const Execute* execute = route.execute()) ...      // execute->backend, execute->device
//     else if (const EmitOnly* emit = route.emit_only()) ...  // emit->target: code to ship, no device here
//     else std::puts(route.explain().c_str());
//
// The mode is in the type: a caller who didn't ask for emission can't mistake it for a result. A Route is
// immutable and cheap to copy. Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/policy/policy_layers.hpp>
#include <muster/driver/probing/device_check.hpp>
#include <muster/driver/routing/estimate.hpp>
#include <muster/driver/routing/grid_barriers.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The stage that a candidate reached, in the order in which routing checks them.
enum class Stage : std::uint8_t {
    registration,  // is it linked at all?
    policy,        // do list, exclusion and tags allow it?
    claim,         // does it claim to dispatch?
    load,          // does its plugin open?
    operations,    // do its supported operations cover the program?
    probe,         // does it find devices?
    device,        // does this device fit the program?
    target,        // does this target fit the program (emission)?
    open,          // does the device pass its check, open, and still answer?
    order,         // does another fit candidate come before it?
};
std::string_view name(Stage stage);

enum class Reason : std::uint8_t {
    chosen,
    not_registered,      // the policy names it, but it isn't linked
    no_such_device,      // the policy names a device that its backend lacks, though it has others
    registration_fault,  // its records are faulty
    not_listed,          // the policy's list doesn't name it
    excluded,
    tag_not_allowed,
    tag_missing,         // it lacks a tag that the policy requires
    kind_not_allowed,    // the policy asks for another kind of device
    memory_too_small,    // the device has less memory than the policy asks for
    feature_missing,     // it lacks a feature that the policy requires
    claims_no_dispatch,  // it only emits
    plugin_failed,       // its plugin doesn't open, or registers something else than its file says
    operation_missing,
    not_asked,  // it could no longer win, so it wasn't opened, probed or asked
    factory_failed,
    probe_failed,
    probe_timed_out,
    probe_crashed,       // this and the next three: only with isolated probes
    probe_unreadable,    // the helper's answer can't be parsed
    no_probe_helper,     // no process could be started
    probe_not_isolated,  // it is part of the program, so that no other process can load it
    no_device,
    type_missing,
    limit_exceeded,
    not_exact,
    no_compiler,     // it compiles nothing on this machine, and there is no stored code of the program for it
    cannot_emit,     // it has no format to emit, or doesn't describe its target
    check_failed,    // the device fails its check (docs/probing.md)
    open_failed,     // the device didn't open in this session
    device_lost,     // it was lost or quarantined in this session
    out_of_memory,   // it had no memory left in this session; this and the next only with OnFailure::next
    compile_failed,  // it didn't compile or load the program in this session, or not in time
    outranked,       // it fits, but another one comes first by the policy's list, rank, id or ordinal
    software_emulated,  // it fits, but a native device, or one that the policy names itself, comes before an emulated one
    estimated_slower,  // it fits, but another one is estimated to finish first, and the policy is Measured
    ambiguous,         // it fits, but so does another one, and the policy is OnlyOne
};
std::string_view name(Reason reason);

/// A limit that the program exceeds: the value needed and the value available.
struct Shortfall {
    std::string what;  // "invocations per workgroup"
    std::uint64_t needed = 0;
    std::uint64_t available = 0;
};

/// The result for one candidate: (backend, device) for execution, (backend, target) for emission, or a
/// backend that reached neither.
struct CandidateRecord {
    std::string backend;
    std::uint32_t rank = UINT32_MAX;
    std::optional<std::uint32_t> ordinal;  // of the device
    std::string device;                    // the device's name
    std::string target;                    // emission: "cuda:sm_90"
    std::string named;  // the policy's own text for a device or backend that isn't there: "cuda:7"
    bool software_emulated = false;
    Stage stage = Stage::registration;
    Reason reason = Reason::not_asked;
    std::string message;  // a full sentence
    std::string fix;      // what to change so that it is chosen; empty if there is nothing to do
    std::vector<Shortfall> shortfalls;
    std::optional<DeviceCheck> check;  // of the device, if the route asked for it
    std::optional<Estimate> estimate;  // of the dispatch, if it is known and the device is measured
    /// True if it would have been preferred to the chosen one, but failed: its probe or opening failed, it
    /// was lost, or its records are faulty.
    bool failed_first = false;

    /// The name for display: "cuda:0", "cuda:sm_90", "cuda", or `named`.
    std::string id() const;
};

struct Decision {
    std::string entry;
    Fingerprint fingerprint;
    std::vector<CandidateRecord> candidates;  // in the order asked; emission candidates last
    std::vector<std::string> notes;           // full sentences for the user
    std::vector<PolicySetting> policy;        // the fields that a layer sets; empty: all are built-in
};

/// A text with policy and notes, then each candidate with its reason, its message and its fix, a line each;
/// those that the policy's list or pin leaves out share the last line.
std::string explain(const Decision& decision);

struct Execute {
    std::string backend;
    DeviceInfo device;
    GridBarrierUse grid_barriers = {};
    std::string id() const { return device_id(backend, device); }
};
struct EmitOnly {
    std::string backend;
    Target target;
};
struct Refused {
    Error error;  // refused; the message lists every candidate
};
using Outcome = std::variant<Execute, EmitOnly, Refused>;

class Route {
  public:
    Route(Outcome outcome, Decision decision);

    const Outcome& outcome() const { return data_->outcome; }
    const Execute* execute() const { return std::get_if<Execute>(&data_->outcome); }
    const EmitOnly* emit_only() const { return std::get_if<EmitOnly>(&data_->outcome); }
    const Refused* refused() const { return std::get_if<Refused>(&data_->outcome); }
    const Decision& decision() const { return data_->decision; }

    /// "execute", "emit-only" or "refused".
    std::string_view mode() const;
    /// A text with the result in one line, then explain(decision()). For JSON, read decision().
    std::string explain() const;

  private:
    struct Data {
        Outcome outcome;
        Decision decision;
    };
    std::shared_ptr<const Data> data_;
};

MUSTER_API_END
}  // namespace muster
