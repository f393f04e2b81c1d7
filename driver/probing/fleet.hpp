// fleet.hpp - registered backends as constructed and probed: each at most once, whatever it does.
//
//     const std::shared_ptr<Fleet> fleet = process_fleet();   // process_fleet.hpp
//     for (std::size_t i = 0; i < fleet->size(); ++i) print(fleet->entry(i).id, fleet->probe(i).devices);
//
// A factory or probe that fails, throws, lies or doesn't return costs its backend, never the process: its
// error is remembered. A probe has a time budget; one that overruns it is recorded as timed out and its
// thread left behind. After the probe every query here is a read: no native call. Threads: any; two that ask
// the same question wait for one answer.
//
// A fleet's entries never change. What is registered or loaded later is in a successor, which shares the
// answers of the backends that both have: nothing is constructed or probed twice. A session keeps the fleet
// that it began with.
//
// A backend in a plugin that isn't opened is an entry like any other, with what the plugin's file says of it;
// its operations and its factory are known once load() has opened it.
//
// Isolated (MUSTER_PROBE, isolation.hpp), probes run in processes of their own, and a backend whose probe crashed, hung or
// wrote nonsense there is neither loaded nor constructed in this one.
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
#include <muster/driver/probing/probe_result.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// What is known of a plugin's backend only once the plugin is open.
struct LoadedBackend {
    OpSet supported_ops;
    std::function<Result<std::unique_ptr<Backend>>()> factory;
};

/// What the records say about one backend. Touches no driver.
struct FleetEntry {
    std::string id;
    std::uint32_t rank = UINT32_MAX;
    bool dispatches = false;
    std::vector<std::string> tags;
    OpSet supported_ops;
    std::function<Result<std::unique_ptr<Backend>>()> factory;
    /// Set: its records are wrong, so that it can't be used; nothing else here counts.
    std::optional<Error> fault = {};
    /// Path of the library or executable that registers it; empty: nobody's file.
    std::string module = {};
    /// Environment variables that hide its devices, where they are set.
    std::vector<std::string> hides_devices = {};
    /// Of a plugin's backend: opens the plugin. Then supported_ops and factory here don't count.
    std::function<Result<LoadedBackend>()> load = {};
    bool has_tag(std::string_view tag) const;
};

/// For people: "rank 100", "the last rank" (UINT32_MAX - 1, which is for what must come after all others), "no
/// rank" (UINT32_MAX: nobody gave one).
std::string rank_text(std::uint32_t rank);

class Isolation;  // isolation.hpp

class Fleet {
  public:
    static constexpr std::chrono::nanoseconds default_probe_budget = std::chrono::seconds(3);

    /// Sorted by (rank, id).
    /// `isolation`: where probes run; null: in this process.
    explicit Fleet(std::vector<FleetEntry> entries,
                   std::chrono::nanoseconds probe_budget = default_probe_budget,
                   std::shared_ptr<const Isolation> isolation = nullptr);
    ~Fleet();
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    /// A successor. An answer of `before` stands for the backend of the same id and module here.
    Fleet(std::vector<FleetEntry> entries, const Fleet& before);

    std::size_t size() const { return entries_.size(); }
    const FleetEntry& entry(std::size_t which) const { return entries_[which]; }
    std::optional<std::size_t> find(std::string_view id) const;
    std::vector<std::string> ids() const;

    /// Opens the plugin that the backend is in, the first time; then the same answer: the operations that the
    /// backend can lower at all. Of a backend that is in no plugin, its entry's. Not within the time budget: a
    /// library that doesn't come back from its constructors holds the loader's lock anyway.
    /// Errors: the plugin's, remembered.
    const Result<OpSet>& load(std::size_t which);
    /// The answer where there is one.
    const Result<OpSet>* loaded(std::size_t which) const;

    /// Constructs and probes the backend, the first time; then the same answer.
    const ProbeResult& probe(std::size_t which);
    /// The answer where there is one; asks nothing.
    const ProbeResult* probed(std::size_t which) const;

    /// The backend itself, constructed the first time. Errors: the factory's, remembered.
    Result<std::shared_ptr<Backend>> backend(std::size_t which);

    /// The target that emission uses where none is asked for. Errors: the backend's, remembered.
    const Result<Target>& default_target(std::size_t which);
    const Result<Target>* described(std::size_t which) const;

  private:
    struct Slot;
    void sort_entries();
    std::shared_ptr<Slot> slot_of(const FleetEntry& entry) const;
    ProbeResult probe_here(std::size_t which);
    std::optional<Error> unsafe_to_load(std::size_t which);

    std::vector<FleetEntry> entries_;
    std::vector<std::shared_ptr<Slot>> slots_;
    std::chrono::nanoseconds probe_budget_;
    std::shared_ptr<const Isolation> isolation_;
};

}  // namespace muster
