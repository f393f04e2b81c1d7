// fleet.hpp - constructs and probes registered backends, each at most once, and remembers the results.
//
//     const std::shared_ptr<Fleet> fleet = process_fleet();   // process_fleet.hpp
//     for (std::size_t i = 0; i < fleet->size(); ++i) print(fleet->entry(i).id, fleet->probe(i).devices);
//
// A factory or probe that fails, throws, returns nonsense or doesn't return makes its backend unusable, with
// an error that is remembered; it doesn't harm the process. A probe has a time budget; one that overruns it
// is recorded as timed out and its thread is left behind. After the probe every query here is a read, without
// a native call. Threads: any; threads that ask the same question wait for one answer.
//
// A fleet's entries never change. Backends registered or loaded later are in a successor, which shares the
// results of the backends that both have: nothing is constructed or probed twice. A session keeps the fleet
// that it was opened with.
//
// A backend in a plugin that isn't opened is an entry like any other, described by the plugin's file;
// its operations and its factory are known once load() has opened it.
//
// A fleet with a DeviceChecker also knows which devices compute right: check() runs a few kernels on one that
// routing is about to choose (docs/probing.md#checks).
//
// If isolated (MUSTER_PROBE, docs/probing.md), probes run in processes of their own, and a backend whose
// probe crashed, hung or wrote nonsense there is neither loaded nor constructed in this one.
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
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/platform/fork.hpp>
#include <muster/driver/probing/device_check.hpp>
#include <muster/driver/probing/probe_result.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

namespace probing {
class Isolation;   // isolation.hpp: internal
class KeptProbes;  // kept_probes.hpp: internal
}  // namespace probing

MUSTER_API_BEGIN

/// The properties of a plugin's backend that are known only once the plugin is open.
struct LoadedBackend {
    OpSet supported_ops;
    std::function<Result<std::unique_ptr<Backend>>()> factory;
};

/// A backend as its records describe it. Making one touches no driver.
struct FleetEntry {
    std::string id;
    std::uint32_t rank = UINT32_MAX;
    bool dispatches = false;
    std::vector<std::string> tags;
    OpSet supported_ops;
    std::function<Result<std::unique_ptr<Backend>>()> factory;
    /// The reason why the backend can't be used, such as faulty records. If set, the
    /// other members don't count.
    std::optional<Error> fault = {};
    /// The path of the library or executable that registers it; empty if no file does.
    std::string module = {};
    /// The environment variables that hide its devices when set.
    std::vector<std::string> hides_devices = {};
    /// Opens the plugin; set only for a plugin's backend, whose supported_ops and factory here don't count.
    std::function<Result<LoadedBackend>()> load = {};
    /// False for a backend whose devices aren't checked, since the program itself answers for it.
    bool checks_devices = true;
    bool has_tag(std::string_view tag) const;
};

/// The rank for display: "rank 100", "the last rank" (UINT32_MAX - 1, for a backend that must come after all
/// others), "no rank" (UINT32_MAX: none is given).
std::string rank_text(std::uint32_t rank);

/// The target of this arch, and those that follow it with more features (Target::next). Errors:
/// those of Backend::describe.
Result<std::vector<Target>> targets_from(Backend& backend, std::string_view arch);

class Fleet {
  public:
    static constexpr std::chrono::nanoseconds default_probe_budget = std::chrono::seconds(3);

    /// Sorts the entries by rank, then id. `isolation`: runs probes and checks in other processes; null: they
    /// run in this one. `checker`: checks devices; null: none is checked. `kept`: what earlier processes found; null:
    /// nothing is known, and nothing kept.
    explicit Fleet(std::vector<FleetEntry> entries,
                   std::chrono::nanoseconds probe_budget = default_probe_budget,
                   std::shared_ptr<const probing::Isolation> isolation = nullptr,
                   std::shared_ptr<const DeviceChecker> checker = nullptr,
                   std::shared_ptr<const probing::KeptProbes> kept = nullptr);
    ~Fleet();
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    /// Makes a successor of `before`, which shares its results for backends of the same id and module.
    Fleet(std::vector<FleetEntry> entries, const Fleet& before);

    /// Errors: refused, if the fleet is of the process that this one was forked from.
    Result<void> check_own_process() const;

    std::size_t size() const { return entries_.size(); }
    const FleetEntry& entry(std::size_t which) const { return entries_[which]; }
    std::optional<std::size_t> find(std::string_view id) const;
    std::vector<std::string> ids() const;

    /// The operations that the backend can lower at all. The first call opens the plugin that the backend is
    /// in, if any; the result is remembered. The time budget doesn't apply: a library whose constructors
    /// don't return holds the loader's lock anyway. Errors: the plugin's, remembered.
    const Result<OpSet>& load(std::size_t which);
    /// The remembered result of load(), or null.
    const Result<OpSet>* loaded(std::size_t which) const;

    /// The result of probing the backend; the first call constructs and probes it.
    const ProbeResult& probe(std::size_t which);
    /// The remembered result of probe(), or null.
    const ProbeResult* probed(std::size_t which) const;
    /// True if an earlier process found no native device of this backend, and the machine is as it was. The first call
    /// looks for what was kept.
    bool found_no_native(std::size_t which) const;

    /// True if the backend's devices are checked.
    bool checks_devices(std::size_t which) const { return checker_ && entries_[which].checks_devices; }
    /// The verdict on a device that probe() has found. The first call looks for one that an earlier process
    /// kept, else runs the check, within the checker's budget. Precondition: checks_devices(which).
    const DeviceCheck& check(std::size_t which, const DeviceInfo& device);
    /// The remembered result of check(), or null.
    const DeviceCheck* checked(std::size_t which, std::uint32_t ordinal) const;
    /// The remembered result, or the kept one; runs nothing. None: the device isn't checked, or not yet.
    std::optional<DeviceCheck> known_check(std::size_t which, const DeviceInfo& device) const;

    /// The backend itself; the first call constructs it. Errors: the factory's, remembered.
    Result<std::shared_ptr<Backend>> backend(std::size_t which);

    /// The backend's default target of emission. Errors: the backend's, remembered.
    const Result<Target>& default_target(std::size_t which);
    /// The remembered result of default_target(), or null.
    const Result<Target>* described(std::size_t which) const;
    /// The backend's targets after the default one, each with more features (Target::next); empty until
    /// default_target() has been called.
    std::span<const Target> more_targets(std::size_t which) const;

  private:
    struct Slot;
    void sort_entries();
    std::shared_ptr<Slot> slot_of(const FleetEntry& entry) const;
    ProbeResult probe_here(std::size_t which);
    std::optional<Error> unsafe_to_load(std::size_t which);
    DeviceCheck check_here(std::size_t which, const DeviceInfo& device);

    ForkMark made_;
    std::vector<FleetEntry> entries_;
    std::vector<std::shared_ptr<Slot>> slots_;
    std::chrono::nanoseconds probe_budget_;
    std::shared_ptr<const probing::Isolation> isolation_;
    std::shared_ptr<const DeviceChecker> checker_;
    std::shared_ptr<const probing::KeptProbes> kept_;
};

MUSTER_API_END
}  // namespace muster
