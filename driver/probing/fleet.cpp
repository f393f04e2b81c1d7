#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/helper/last_words.hpp>
#include <muster/driver/platform/signals.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/probing/isolation.hpp>
#include <muster/driver/probing/kept_probes.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/driver/support/once.hpp>
#include <muster/driver/support/with_fix.hpp>
#include <muster/driver/support/work_limit.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* report_or_exclude =
    "report this to who wrote the backend, or exclude it (MUSTER_EXCLUDE)";

/// Calls `ask` on a thread of its own and waits for `budget`. None: it overran, and the thread is left behind
/// with all that it owns. An exception becomes an error; if a fatal signal ends the process, `doing` is
/// printed (last_words.hpp).
template <class T>
std::optional<Result<T>> within(std::chrono::nanoseconds budget, const std::string& what,
                                const std::string& doing, std::function<Result<T>()> ask) {
    struct Shared {
        std::mutex mutex;
        std::condition_variable done;
        std::optional<Result<T>> answer;
    };
    auto shared = std::make_shared<Shared>();
    const helper::LastWords words(doing);
    const auto run = [shared, what, ask = std::move(ask)] {
        const platform::HandlerStack stack;
        auto answer = guarded(what, ask, {ErrorCode::unavailable, report_or_exclude});
        const std::lock_guard lock(shared->mutex);
        shared->answer.emplace(std::move(answer));
        shared->done.notify_all();
    };
    std::thread thread;
    try {
        thread = std::thread(run);
    } catch (const std::system_error&) {
        return fail(ErrorCode::out_of_memory, fmt::format("{} gets no thread to run on.", what),
                    "end other threads or programs, or raise the limit (ulimit -u)");
    }
    std::unique_lock lock(shared->mutex);
    const bool is_done = wait_for_work(lock, shared->done, thread, budget, Idle::hanging,
                                       [&] { return shared->answer.has_value(); });
    thread.detach();
    if (!is_done) return std::nullopt;
    return std::move(shared->answer);
}

Error overrun(const std::string& what, std::chrono::nanoseconds budget) {
    return {ErrorCode::timed_out,
            fmt::format("{} hasn't answered after {} ms.", what,
                        std::chrono::duration_cast<std::chrono::milliseconds>(budget).count()),
            "check its driver, or exclude it (MUSTER_EXCLUDE)",
            {}};
}

}  // namespace

std::string rank_text(std::uint32_t rank) {
    if (rank == UINT32_MAX) return "no rank";
    return rank == UINT32_MAX - 1 ? "the last rank" : fmt::format("rank {}", rank);
}

bool FleetEntry::has_tag(std::string_view tag) const { return std::ranges::find(tags, tag) != tags.end(); }

/// The remembered results of one backend. Each is written once, under its Once, and may be read without a
/// lock once its `known` flag is set.
struct Fleet::Slot {
    Once loaded, constructed, probed, described, looked_up;
    std::optional<Result<OpSet>> ops;
    std::function<Result<std::unique_ptr<Backend>>()> factory;
    std::optional<Result<std::shared_ptr<Backend>>> backend;
    ProbeResult probe;
    std::optional<Result<Target>> target;
    std::vector<Target> more_targets;
    std::atomic<bool> ops_known{false}, probe_known{false}, target_known{false};
    bool found_no_native = false;  // in an earlier process

    struct Check {
        Once asked;
        DeviceCheck result;
        std::atomic<bool> is_known{false};
    };
    std::mutex checks_mutex;
    std::map<std::uint32_t, std::shared_ptr<Check>> checks;  // by ordinal
    std::shared_ptr<Check> check_of(std::uint32_t ordinal) {
        const std::lock_guard lock(checks_mutex);
        std::shared_ptr<Check>& check = checks[ordinal];
        if (!check) check = std::make_shared<Check>();
        return check;
    }

    explicit Slot(const FleetEntry& entry) { learn(entry); }

    /// Sets the result of load() for an entry whose library is already in the process.
    void learn(const FleetEntry& entry) {
        if (entry.load) return;
        loaded.run([&] {
            ops.emplace(entry.supported_ops);
            factory = entry.factory;
            ops_known.store(true, std::memory_order_release);
        });
    }
};

Fleet::Fleet(std::vector<FleetEntry> entries, std::chrono::nanoseconds probe_budget,
             std::shared_ptr<const probing::Isolation> isolation,
             std::shared_ptr<const DeviceChecker> checker, std::shared_ptr<const probing::KeptProbes> kept)
    : entries_(std::move(entries)),
      probe_budget_(probe_budget),
      isolation_(std::move(isolation)),
      checker_(std::move(checker)),
      kept_(std::move(kept)) {
    sort_entries();
    for (const FleetEntry& entry : entries_) slots_.push_back(std::make_shared<Slot>(entry));
}

Fleet::Fleet(std::vector<FleetEntry> entries, const Fleet& before)
    : entries_(std::move(entries)),
      probe_budget_(before.probe_budget_),
      isolation_(before.isolation_),
      checker_(before.checker_),
      kept_(before.kept_) {
    sort_entries();
    for (const FleetEntry& entry : entries_) {
        auto shared = before.slot_of(entry);
        if (shared) shared->learn(entry);  // its plugin may have been opened since
        slots_.push_back(shared ? std::move(shared) : std::make_shared<Slot>(entry));
    }
}

Fleet::~Fleet() = default;

Result<void> Fleet::check_own_process() const {
    if (!made_.is_from_parent()) return {};
    return std::unexpected(made_before_fork("The fleet"));
}

void Fleet::sort_entries() {
    std::ranges::sort(entries_, [](const FleetEntry& a, const FleetEntry& b) {
        return std::tie(a.rank, a.id) < std::tie(b.rank, b.id);
    });
}

/// The slot that a successor shares for this entry. Null if the backend wasn't in this fleet, or was
/// unusable here: that may have been repaired. A backend whose isolated probe failed is shared, so
/// that it isn't tried again.
std::shared_ptr<Fleet::Slot> Fleet::slot_of(const FleetEntry& entry) const {
    const auto which = find(entry.id);
    if (!which || entry.fault || entries_[*which].fault || entries_[*which].module != entry.module)
        return nullptr;
    const Result<OpSet>* ops = loaded(*which);
    const ProbeResult* probe = probed(*which);
    const bool was_let_in = !isolation_ || !probe || may_load(probe->state);
    return ops && !*ops && was_let_in ? nullptr : slots_[*which];
}

std::optional<std::size_t> Fleet::find(std::string_view id) const {
    const auto found = std::ranges::find(entries_, id, &FleetEntry::id);
    if (found == entries_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - entries_.begin());
}

std::vector<std::string> Fleet::ids() const {
    std::vector<std::string> all;
    for (const FleetEntry& entry : entries_) all.push_back(entry.id);
    return all;
}

const Result<OpSet>& Fleet::load(std::size_t which) {
    Slot& slot = *slots_[which];
    slot.loaded.run([&] {
        const FleetEntry& entry = entries_[which];
        auto made = [&]() -> Result<LoadedBackend> {
            if (auto unsafe = unsafe_to_load(which)) return std::unexpected(*std::move(unsafe));
            return guarded(fmt::format("Loading {}", entry.id), entry.load);
        }();
        if (made) {
            slot.ops.emplace(std::move(made->supported_ops));
            slot.factory = std::move(made->factory);
        } else {
            slot.ops.emplace(std::unexpected(std::move(made).error()));
        }
        slot.ops_known.store(true, std::memory_order_release);
    });
    return *slot.ops;
}

const Result<OpSet>* Fleet::loaded(std::size_t which) const {
    const Slot& slot = *slots_[which];
    return slot.ops_known.load(std::memory_order_acquire) ? &*slot.ops : nullptr;
}

Result<std::shared_ptr<Backend>> Fleet::backend(std::size_t which) {
    Slot& slot = *slots_[which];
    if (auto unsafe = unsafe_to_load(which)) return std::unexpected(*std::move(unsafe));
    if (const Result<OpSet>& opened = load(which); !opened) return std::unexpected(opened.error());
    slot.constructed.run([&] {
        const FleetEntry& entry = entries_[which];
        const std::string what = fmt::format("The factory of {}", entry.id);
        auto made = within<std::shared_ptr<Backend>>(
            probe_budget_, what, "constructing " + entry.id,
            [factory = slot.factory, id = entry.id, what]() -> Result<std::shared_ptr<Backend>> {
                if (!factory)
                    return fail(ErrorCode::unavailable, fmt::format("{} has no factory.", id),
                                report_or_exclude);
                std::shared_ptr<Backend> backend = TRY(with_fix(factory(), report_or_exclude));
                if (!backend)
                    return fail(ErrorCode::unavailable, what + " returns nothing.",
                                "return a backend, or an error that says why there is none");
                if (backend->id() != id)
                    return fail(ErrorCode::unavailable,
                                fmt::format("{} returns a backend that says its id is \"{}\".", what,
                                            printable(backend->id())),
                                "return the id of its registration from its id()");
                return backend;
            });
        if (made)
            slot.backend.emplace(*std::move(made));
        else
            slot.backend.emplace(std::unexpected(overrun(what, probe_budget_)));
    });
    return *slot.backend;
}

/// If probes are isolated, the error of a backend whose probe in another process failed so that
/// it may not be loaded here.
std::optional<Error> Fleet::unsafe_to_load(std::size_t which) {
    if (!isolation_) return std::nullopt;
    const ProbeResult& probe = this->probe(which);
    return may_load(probe.state) ? std::nullopt : std::optional(probe.error);
}

ProbeResult Fleet::probe_here(std::size_t which) {
    const std::string& id = entries_[which].id;
    auto backend = this->backend(which);
    if (!backend)
        return {.state = backend.error().code == ErrorCode::timed_out ? ProbeState::timed_out
                                                                      : ProbeState::factory_failed,
                .error = std::move(backend).error()};
    const std::string what = fmt::format("The probe of {}", id);
    auto answer = within<std::vector<DeviceInfo>>(
        probe_budget_, what, "probing " + id,
        [backend = *std::move(backend), id]() -> Result<std::vector<DeviceInfo>> {
            auto devices = TRY(backend->probe());
            std::ranges::sort(devices, {}, &DeviceInfo::ordinal);
            TRY(check_device_info(id, devices));
            return devices;
        });
    if (!answer) return {.state = ProbeState::timed_out, .error = overrun(what, probe_budget_)};
    if (!*answer) return {.state = ProbeState::failed, .error = std::move(*answer).error()};
    ProbeResult found;
    for (DeviceInfo& device : **answer)
        (device.on_request ? found.on_request : found.devices).push_back(std::move(device));
    return found;
}

const ProbeResult& Fleet::probe(std::size_t which) {
    Slot& slot = *slots_[which];
    slot.probed.run([&] {
        const auto start = Clock::now();
        const FleetEntry& entry = entries_[which];
        const trace::Span span(trace::Stage::probe, entry.id);
        slot.probe =
            isolation_ ? isolation_->probe(entry.id, entry.module, probe_budget_) : probe_here(which);
        for (auto* devices : {&slot.probe.devices, &slot.probe.on_request})
            for (DeviceInfo& device : *devices) device = printable(std::move(device));
        slot.probe.took = Clock::now() - start;
        if (kept_) kept_->keep(entry, slot.probe);
        slot.probe_known.store(true, std::memory_order_release);
    });
    return slot.probe;
}

const ProbeResult* Fleet::probed(std::size_t which) const {
    const Slot& slot = *slots_[which];
    return slot.probe_known.load(std::memory_order_acquire) ? &slot.probe : nullptr;
}

bool Fleet::found_no_native(std::size_t which) const {
    if (!kept_ || entries_[which].fault) return false;
    Slot& slot = *slots_[which];
    slot.looked_up.run([&] { slot.found_no_native = kept_->found_no_native(entries_[which]); });
    return slot.found_no_native;
}

DeviceCheck Fleet::check_here(std::size_t which, const DeviceInfo& device) {
    const std::string id = device_id(entries_[which].id, device);
    auto backend = this->backend(which);
    if (!backend) return {.not_done = std::move(backend).error().message};
    auto answer = within<DeviceCheck>(
        checker_->budget(), "The check of " + id, "checking " + id,
        [backend = *std::move(backend), checker = checker_,
         ordinal = device.ordinal]() -> Result<DeviceCheck> { return checker->run(*backend, ordinal); });
    if (!answer) return {.failure = overrun("The check of " + id, checker_->budget()).message};
    if (!*answer) return {.not_done = std::move(*answer).error().message};
    return **std::move(answer);
}

const DeviceCheck& Fleet::check(std::size_t which, const DeviceInfo& device) {
    const FleetEntry& entry = entries_[which];
    Slot::Check& check = *slots_[which]->check_of(device.ordinal);
    check.asked.run([&] {
        if (auto kept = checker_->kept(entry.id, device)) {
            check.result = *std::move(kept);
        } else {
            const std::string what = device_id(entry.id, device);
            const trace::Span span(trace::Stage::prove, what);
            check.result = isolation_ ? isolation_->check(entry.id, entry.module, device, checker_->budget())
                                      : check_here(which, device);
            if (check.result.is_lasting) checker_->keep(entry.id, device, check.result);
        }
        check.is_known.store(true, std::memory_order_release);
    });
    return check.result;
}

const DeviceCheck* Fleet::checked(std::size_t which, std::uint32_t ordinal) const {
    Slot& slot = *slots_[which];
    const std::lock_guard lock(slot.checks_mutex);
    const auto found = slot.checks.find(ordinal);
    if (found == slot.checks.end() || !found->second->is_known.load(std::memory_order_acquire))
        return nullptr;
    return &found->second->result;
}

std::optional<DeviceCheck> Fleet::known_check(std::size_t which, const DeviceInfo& device) const {
    if (!checks_devices(which)) return std::nullopt;
    if (const DeviceCheck* check = checked(which, device.ordinal)) return *check;
    return checker_->kept(entries_[which].id, device);
}

namespace {

/// A backend's default target, and those after it.
Result<std::vector<Target>> default_targets(Backend& backend, const std::string& id) {
    if (backend.formats().empty()) return fail(ErrorCode::unsupported, fmt::format("{} emits nothing.", id));
    auto targets = TRY(targets_from(backend, backend.default_arch()));
    for (const Target& target : targets)
        if (target.backend != id)
            return fail(ErrorCode::unavailable,
                        fmt::format("{} describes a target of \"{}\".", id, printable(target.backend)),
                        report_or_exclude);
    return targets;
}

}  // namespace

Result<std::vector<Target>> targets_from(Backend& backend, std::string_view arch) {
    constexpr std::size_t most = 64;  // of a chain that ends, as every one should
    std::vector<Target> targets{TRY(backend.describe(arch))};
    while (!targets.back().next.empty() && targets.size() < most)
        targets.push_back(TRY(backend.describe(targets.back().next)));
    return targets;
}

const Result<Target>& Fleet::default_target(std::size_t which) {
    Slot& slot = *slots_[which];
    slot.described.run([&] {
        const std::string& id = entries_[which].id;
        if (auto backend = this->backend(which); !backend) {
            slot.target.emplace(std::unexpected(std::move(backend).error()));
        } else {
            const std::string what = fmt::format("The description of {}'s default target", id);
            auto answer = within<std::vector<Target>>(
                probe_budget_, what, "asking " + id + " for its default target",
                [backend = *std::move(backend), id] { return default_targets(*backend, id); });
            if (!answer) {
                slot.target.emplace(std::unexpected(overrun(what, probe_budget_)));
            } else if (!*answer) {
                slot.target.emplace(std::unexpected(std::move(*answer).error()));
            } else {
                slot.target.emplace(std::move((*answer)->front()));
                slot.more_targets.assign(std::make_move_iterator((*answer)->begin() + 1),
                                         std::make_move_iterator((*answer)->end()));
            }
        }
        slot.target_known.store(true, std::memory_order_release);
    });
    return *slot.target;
}

std::span<const Target> Fleet::more_targets(std::size_t which) const {
    if (described(which) == nullptr) return {};
    return slots_[which]->more_targets;
}

const Result<Target>* Fleet::described(std::size_t which) const {
    const Slot& slot = *slots_[which];
    return slot.target_known.load(std::memory_order_acquire) ? &*slot.target : nullptr;
}

}  // namespace muster
