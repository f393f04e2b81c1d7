#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/routing/picker.hpp>
#include <muster/driver/routing/router.hpp>
#include <muster/foundation/base/nearest.hpp>

namespace muster::routing {
namespace {

constexpr const char* check_driver = "check its driver, or exclude it (MUSTER_EXCLUDE)";

/// True if something is broken, in contrast to a machine without such a device or a program that doesn't fit.
bool is_failure(Reason reason) {
    constexpr std::array failures{
        Reason::registration_fault, Reason::plugin_failed,  Reason::factory_failed,   Reason::probe_failed,
        Reason::probe_timed_out,    Reason::probe_crashed,  Reason::probe_unreadable, Reason::no_probe_helper,
        Reason::probe_not_isolated, Reason::check_failed,   Reason::open_failed,      Reason::device_lost,
        Reason::out_of_memory,      Reason::compile_failed, Reason::no_compiler};
    return std::ranges::find(failures, reason) != failures.end();
}

}  // namespace

CandidateRecord Picker::probe_failure(std::size_t backend) const {
    const ProbeResult& probe = *facts_[backend].probe;
    const auto reason = [&] {
        switch (probe.state) {
            case ProbeState::answered: return Reason::no_device;
            case ProbeState::factory_failed: return Reason::factory_failed;
            case ProbeState::failed: return Reason::probe_failed;
            case ProbeState::timed_out: return Reason::probe_timed_out;
            case ProbeState::crashed: return Reason::probe_crashed;
            case ProbeState::unreadable: return Reason::probe_unreadable;
            case ProbeState::no_helper: return Reason::no_probe_helper;
            case ProbeState::not_isolated: return Reason::probe_not_isolated;
        }
        return Reason::probe_failed;
    }();
    const bool is_absent = probe.state == ProbeState::failed && probe.error.code == ErrorCode::not_found;
    if (reason == Reason::no_device)
        return start(backend, Stage::probe, reason,
                     with_hidden(backend, fmt::format("{} finds no device.", facts_[backend].entry->id)),
                     "check that the machine has one and that its driver is installed");
    return start(backend, Stage::probe, is_absent ? Reason::no_device : reason,
                 with_hidden(backend, probe.error.message),
                 probe.error.fix.empty() ? check_driver : probe.error.fix);
}

/// Adds the variables that may hide devices to a message about missing ones, unless it mentions them already.
std::string Picker::with_hidden(std::size_t backend, std::string message) const {
    for (const std::string& variable : facts_[backend].hidden_by)
        if (message.find(variable.substr(0, variable.find('='))) == std::string::npos)
            message += fmt::format(" {} is set, and may hide some.", variable);
    return message;
}

/// With `ask_all`, notes the variables that are set: devices may be hidden even if others are found.
void Picker::note_hidden() {
    if (!options_.ask_all) return;
    for (const std::size_t i : allowed_)
        if (facts_[i].probe)
            for (const std::string& variable : facts_[i].hidden_by)
                decision_.notes.push_back(fmt::format("{} is set: {} finds only the devices that it leaves.",
                                                      variable, facts_[i].entry->id));
}

CandidateRecord Picker::check_device(std::size_t backend, const DeviceInfo& device) const {
    CandidateRecord record = start(backend, Stage::order, Reason::outranked, {});
    record.ordinal = device.ordinal;
    if (device.on_request) record.named = device_id(facts_[backend].entry->id, device);
    record.device = device.name;
    record.software_emulated = device.software_emulated;
    if (refused_by_policy(backend, device, record)) return record;
    std::optional<Missing> no_compiler = device.no_compiler;
    for (const UnusableDevice& unusable : facts_[backend].unusable) {
        if (unusable.ordinal != device.ordinal) continue;
        if (unusable.reason == Reason::no_compiler) {
            no_compiler = Missing{unusable.error.message, unusable.error.fix};
            continue;
        }
        const bool was_open = unusable.reason != Reason::open_failed;
        record.stage = Stage::open;
        record.reason = unusable.reason;
        record.message = (was_open ? "" : "It doesn't open. ") + unusable.error.message;
        record.fix = unusable.error.fix.empty() && !was_open ? check_driver : unusable.error.fix;
        return record;
    }
    FitOptions without_compiler = fit_options_;
    without_compiler.has_code = true;
    std::vector<Misfit> misfits = fit(program_, device, without_compiler);
    if (no_compiler)
        if (auto misfit = lacks_code(backend, device, *no_compiler)) misfits.push_back(*std::move(misfit));
    if (misfits.empty()) {
        (void)refused_by_check(backend, device, record);
        return record;
    }
    record.stage = Stage::device;
    record.reason = misfits[0].reason;
    record.fix = misfits[0].fix;
    for (const Misfit& misfit : misfits) {
        record.message += (record.message.empty() ? "" : " ") + misfit.message;
        record.shortfalls.insert(record.shortfalls.end(), misfit.shortfalls.begin(), misfit.shortfalls.end());
    }
    return record;
}

bool Picker::is_checked(std::size_t backend) const {
    return policy_.check_devices.value_or(true) && facts_[backend].checks_devices;
}

/// True if the policy asks for this device: its entry is the only one, or names a device.
bool Picker::is_wanted(std::size_t backend, const DeviceInfo& device) const {
    const auto place = selection_.place(facts_[backend].entry->id, device);
    return place && selection_.has_list() &&
           (selection_.listed().size() == 1 || selection_.listed()[place->index].names_a_device());
}

/// Returns true if the device is passed over since it fails its check, and writes the reason to `record`.
bool Picker::refused_by_check(std::size_t backend, const DeviceInfo& device, CandidateRecord& record) const {
    if (!is_checked(backend)) return false;
    const DeviceCheck* const check = facts_[backend].check_of(device.ordinal);
    if (check == nullptr) return false;
    record.check = *check;
    if (!check->fails() || is_wanted(backend, device)) return false;
    const std::string id = device_id(facts_[backend].entry->id, device);
    record.stage = Stage::open;
    record.reason = Reason::check_failed;
    record.message = fmt::format("It doesn't compute right ({}). {}", check->to_string(), check->failure);
    record.fix = fmt::format(
        "update its driver; muster check --backend {0} shows more; name {0} as the backend to use it as it "
        "is",
        id);
    return true;
}

/// Asks about the first device, of those that could be chosen, that must be checked and isn't.
std::optional<Question> Picker::unchecked() const {
    const auto is_open = [&](const Pick& pick) { return is_checked(pick.backend) && pick.check == nullptr; };
    const auto ask = [](const Pick& pick) {
        return Question{Question::Kind::check, pick.backend, pick.device};
    };
    if (takes_only_one_)
        for (const Pick& pick : fits_)
            if (is_open(pick)) return ask(pick);
    return best_ && is_open(*best_) ? std::optional(ask(*best_)) : std::nullopt;
}

/// Adds the verdict to the record of the chosen device, and a note if it is used though it fails.
void Picker::tell_check() {
    if (best_->check == nullptr) return;
    CandidateRecord& record = decision_.candidates[best_->record];
    const DeviceCheck& check = *best_->check;
    if (check.total == 0 && !check.fails() && check.not_done.empty()) return;  // no kernel fits it
    if (!record.message.empty()) record.message.pop_back();                    // its full stop
    record.message += fmt::format("; {}.", check.to_string());
    if (check.fails())
        decision_.notes.push_back(
            fmt::format("{} doesn't compute right ({}), and is used because the policy names it. {}",
                        record.id(), check.to_string(), check.failure));
    else if (!check.not_done.empty())
        decision_.notes.push_back(fmt::format("{} isn't checked. {}", record.id(), check.not_done));
}

/// Why a device that compiles nothing doesn't run the program; none: it has stored code.
std::optional<Misfit> Picker::lacks_code(std::size_t backend, const DeviceInfo& device,
                                         const Missing& compiler) const {
    const std::string& id = facts_[backend].entry->id;
    const std::string who = device.name.empty() ? device_id(id, device) : device.name;
    if (!options_.no_code) return compiles_nothing(who, compiler, program_.entry());
    auto objections = options_.no_code(id, device);
    if (!objections) return std::nullopt;
    return compiles_nothing(who, compiler, program_.entry(), objections);
}

/// The reason why `winner` comes before `loser`; both fit.
std::string Picker::order_of(const Pick& winner, const Pick& loser) const {
    const FleetEntry& first = *facts_[winner.backend].entry;
    const FleetEntry& second = *facts_[loser.backend].entry;
    const std::string winners_id = decision_.candidates[winner.record].id();
    if (loser.place.is_emulated && !winner.place.is_emulated)
        return winner.device->software_emulated
                   ? fmt::format("It fits, but is emulated in software, and the policy names {} itself.",
                                 winners_id)
                   : fmt::format("It fits, but is emulated in software: {} is native.", winners_id);
    if (winner.place.index != loser.place.index && selection_.has_list())
        return fmt::format("It fits, but the policy lists {} before {}.",
                           selection_.listed()[winner.place.index].to_string(),
                           selection_.listed()[loser.place.index].to_string());
    if (loser.fails_check() && !winner.fails_check())
        return fmt::format("It fits, but doesn't compute right ({}). {}", loser.check->to_string(),
                           loser.check->failure);
    if (winner.backend == loser.backend) return fmt::format("It fits, but {} comes first.", winners_id);
    if (first.rank == second.rank)
        return fmt::format("It fits, with {} like {}; equal ranks are ordered by id.", rank_text(second.rank),
                           first.id);
    return fmt::format("It fits, but {} has {}, before {}.", first.id, rank_text(first.rank),
                       rank_text(second.rank));
}

bool Picker::comes_before(const Pick& one, const Pick& other) {
    const auto key = [](const Pick& pick) {
        return std::tuple(pick.place, pick.fails_check(), pick.device->ordinal);
    };
    return key(one) < key(other);
}

std::string Picker::name_it(const std::string& id) const {
    return selection_.is_pinned() ? fmt::format("pin {} instead (Policy::choice, --pin)", id)
                                  : fmt::format("name {} as the backend", id);
}

/// The fix that makes a device that fits the chosen one: naming it; and excluding the one that is chosen, if
/// no other comes before it.
std::string Picker::fix_of(const Pick& loser) const {
    const bool is_same_backend = loser.backend == best_->backend;
    const auto is_excluded = [&](std::size_t backend, std::size_t record) {
        return is_same_backend ? record == best_->record : backend == best_->backend;
    };
    const bool has_rival = std::ranges::any_of(fits_, [&](const Pick& pick) {
        return !is_excluded(pick.backend, pick.record) && comes_before(pick, loser);
    });
    const bool may_have_rival = std::ranges::any_of(unasked_, [&](std::size_t backend) {
        return loser.place.is_emulated || list_index(backend) < loser.place.index;
    });
    const std::string id = decision_.candidates[loser.record].id();
    if (has_rival || may_have_rival || selection_.is_pinned()) return name_it(id);
    return fmt::format(
        "{}, or exclude {}", name_it(id),
        is_same_backend ? decision_.candidates[best_->record].id() : facts_[best_->backend].entry->id);
}

/// Writes the records of the devices that fit and aren't chosen.
void Picker::settle() {
    for (const Pick& pick : fits_) {
        if (pick.record == best_->record) continue;
        CandidateRecord& record = decision_.candidates[pick.record];
        const bool is_emulated = pick.place.is_emulated && !best_->place.is_emulated;
        record.reason = is_emulated ? Reason::software_emulated : Reason::outranked;
        record.message = order_of(*best_, pick);
        record.fix = fix_of(pick);
    }
}

void Picker::check_devices(std::size_t backend) {
    const ProbeResult& probe = *facts_[backend].probe;
    if (probe.devices.empty()) {
        decision_.candidates.push_back(probe_failure(backend));
        return;
    }
    const auto check = [&](const DeviceInfo& device) {
        decision_.candidates.push_back(check_device(backend, device));
        if (decision_.candidates.back().stage != Stage::order) return;
        if (options_.estimate)
            decision_.candidates.back().estimate = options_.estimate(facts_[backend].entry->id, device);
        fits_.push_back({backend, decision_.candidates.size() - 1, place(backend, device), &device,
                         is_checked(backend) ? facts_[backend].check_of(device.ordinal) : nullptr});
        if (!best_ || comes_before(fits_.back(), *best_)) best_ = fits_.back();
    };
    for (const DeviceInfo& device : probe.devices) check(device);
    for (const DeviceInfo& device : probe.on_request)
        if (selection_.has_list() && selection_.place(facts_[backend].entry->id, device)) check(device);
    note_missing_devices(backend);
}

/// True if a device of this unprobed backend could come first: nothing that fits was found yet,
/// the best so far is emulated (any native device precedes it), or the backend precedes the best
/// in the order of preference.
bool Picker::could_win(std::size_t backend) const {
    return !best_ || best_->place.is_emulated || list_index(backend) < best_->place.index || asks_all();
}

/// True if the backend is asked only once it is clear that no native device fits: it had none when an earlier process asked.
bool Picker::is_postponed(std::size_t backend) const {
    const BackendFacts& facts = facts_[backend];
    if (asks_all() || selection_.names(facts.entry->id)) return false;
    return facts.found_no_native && facts.found_no_native();
}

void Picker::leave_unasked(std::size_t backend, std::string why) {
    const bool to_load = facts_[backend].must_be_loaded();
    unasked_.push_back(backend);
    decision_.candidates.push_back(
        start(backend, to_load ? Stage::load : Stage::probe, Reason::not_asked,
              fmt::format("{} isn't {}: {}.", facts_[backend].entry->id, to_load ? "opened" : "asked", why)));
}

/// Looks for a device to execute on. Returns a question if a backend that isn't opened
/// or probed could still win.
std::optional<Question> Picker::choose_device() {
    std::vector<std::size_t> postponed;
    for (const std::size_t i : allowed_) {
        const FleetEntry& entry = *facts_[i].entry;
        const bool to_load = facts_[i].must_be_loaded();
        if (!entry.dispatches) {
            decision_.candidates.push_back(
                start(i, Stage::claim, Reason::claims_no_dispatch,
                      fmt::format("{} only emits; it doesn't claim to dispatch.", entry.id)));
        } else if (auto no = to_load ? std::nullopt : operations_refusal(i, true)) {
            decision_.candidates.push_back(*std::move(no));
        } else if (facts_[i].probe) {
            check_devices(i);
        } else if (could_win(i) && is_postponed(i)) {
            postponed.push_back(i);
        } else if (could_win(i)) {
            return Question{to_load ? Question::Kind::load : Question::Kind::probe, i};
        } else {
            leave_unasked(i, fmt::format("it could not come before {}",
                                         device_id(facts_[best_->backend].entry->id, *best_->device)));
        }
    }
    for (const std::size_t i : postponed) {
        if (!best_ || best_->place.is_emulated)
            return Question{facts_[i].must_be_loaded() ? Question::Kind::load : Question::Kind::probe, i};
        leave_unasked(i, "an earlier process found no native device of it, and nothing has changed since");
    }
    if (takes_only_one_) {
        if (auto question = unchecked()) return question;
        if (call_ambiguous(Stage::order)) return std::nullopt;
    }
    if (!best_) return std::nullopt;
    settle();
    if (estimates()) choose_by_estimate();
    if (auto question = unchecked()) return question;
    const DeviceInfo& device = *best_->device;
    CandidateRecord& record = decision_.candidates[best_->record];
    record.reason = Reason::chosen;
    const bool has_own_rank = record.rank < UINT32_MAX - 1;  // neither "the last rank" nor "no rank"
    if (!estimates() || !record.estimate)
        record.message =
            fmt::format("It fits, and comes first: {}{}{}.", has_own_rank ? rank_text(record.rank) : "",
                        has_own_rank ? ", " : "",
                        !device.software_emulated  ? "native"
                        : best_->place.is_emulated ? "emulated in software, with no native device that fits"
                                                   : "emulated in software, and named by the policy");
    tell_check();
    if (fit_options_.inexact_ok && !device.exactness.exact() &&
        options_.compile.precision == Precision::exact)
        decision_.notes.push_back(
            fmt::format("{} isn't exact, which the policy allows: it doesn't promise {}.", record.id(),
                        fmt::join(missing_promises(device), " and ")));
    return std::nullopt;
}

/// If several backends fit, marks each as ambiguous, chooses none and returns true. The records of those that
/// fit are at `stage` or at Stage::order.
bool Picker::call_ambiguous(Stage stage) {
    const auto fits = [&](const CandidateRecord& record) {
        return record.stage == Stage::order || (record.stage == stage && record.reason == Reason::chosen);
    };
    std::vector<std::string> ids;
    for (const CandidateRecord& record : decision_.candidates)
        if (fits(record) && std::ranges::find(ids, record.backend) == ids.end())
            ids.push_back(record.backend);
    if (ids.size() < 2) return false;
    for (CandidateRecord& record : decision_.candidates) {
        if (!fits(record)) continue;
        record.reason = Reason::ambiguous;
        record.message = fmt::format("It fits, and it isn't the only one: {} do.", fmt::join(ids, " and "));
        record.fix = fmt::format("name {} as the backend, or exclude the others", record.backend);
    }
    best_.reset();
    emitter_.reset();
    ambiguous_ = std::move(ids);
    return true;
}

bool Picker::may_emit() const {
    if (options_.execution_only) return false;
    return options_.emission_only || policy_.allow_emission.value_or(!selection_.is_pinned());
}

Error Picker::refusal() const {
    Error error{ErrorCode::refused, {}, {}, {}};
    if (facts_.empty()) {
        error.message = fmt::format("Nothing can run {}: no backend is linked.", program_.entry());
        error.fix =
            "link a backend, for instance target_link_libraries(app PRIVATE muster::backend_reference)";
        return error;
    }
    error.message = headline_of_refusal() + "\n" + explain(decision_);
    error.fix = first_fix();
    return error;
}

/// The fix to show first: that of a wrong name, else that of the candidate that came furthest. Candidates
/// that the policy rules out by list, exclusion or tag come last.
std::string Picker::first_fix() const {
    const auto order = [&](const CandidateRecord& one) {
        const bool is_named = selection_.names(one.backend);
        const bool is_misnamed = one.reason == Reason::no_such_device || one.reason == Reason::ambiguous ||
                                 (one.reason == Reason::not_registered && is_named);
        const bool is_aside = one.reason == Reason::not_listed || one.reason == Reason::excluded ||
                              one.reason == Reason::tag_not_allowed;
        return std::tuple(!is_misnamed, is_aside, -static_cast<int>(one.stage));
    };
    const CandidateRecord* first = nullptr;
    for (const CandidateRecord& one : decision_.candidates)
        if (!one.fix.empty() && (first == nullptr || order(one) < order(*first))) first = &one;
    return first == nullptr ? "" : fmt::format("{}: {}", first->id(), first->fix);
}

std::string Picker::headline_of_refusal() const {
    const std::string_view verb = options_.emission_only ? "emit" : "execute";
    if (!ambiguous_.empty())
        return fmt::format("{} backends can {} {}, and the policy takes one only where no other can: {}.",
                           ambiguous_.size(), verb, program_.entry(), fmt::join(ambiguous_, ", "));
    std::vector<std::string> ids;
    for (const BackendFacts& facts : facts_) ids.push_back(facts.entry->id);
    for (const policy::DeviceSelector& entry : selection_.listed())
        if (std::ranges::find(ids, entry.backend) == ids.end() && !nearest(entry.backend, ids).empty())
            return fmt::format("Nothing can {} {}: no backend is called \"{}\"; {}", verb, program_.entry(),
                               entry.backend, did_you_mean(entry.backend, ids));
    if (selection_.is_pinned())
        return fmt::format("{} can't {} {}, and the policy pins it.", selection_.listed().front().to_string(),
                           verb, program_.entry());
    return fmt::format("Nothing can {} {}.", verb, program_.entry());
}

/// True if the failed candidate would have been preferred to the chosen one.
bool Picker::comes_first(std::size_t backend, const CandidateRecord& failed) const {
    const FleetEntry& entry = *facts_[backend].entry;
    if (!has_consent(entry) || tags_forbid(backend)) return false;
    if (!best_ || best_->place.is_emulated) return true;  // it might have been better
    if (entry.fault && entry.rank == unranked && entry.module.empty())
        return true;  // linked, but its records are faulty, so its rank is unknown
    policy::Selection::Preference where{false, list_index(backend)};
    std::uint32_t ordinal = 0;
    if (failed.ordinal)
        for (const DeviceInfo& device : facts_[backend].probe->devices)
            if (device.ordinal == *failed.ordinal) {
                where = place(backend, device);
                ordinal = device.ordinal;
            }
    return std::tuple(where, ordinal) < std::tuple(best_->place, best_->device->ordinal);
}

void Picker::mark_failed_first() {
    if (options_.emission_only) return;
    for (CandidateRecord& record : decision_.candidates) {
        if (!is_failure(record.reason)) continue;
        for (std::size_t i = 0; i < facts_.size(); ++i)
            if (facts_[i].entry->id == record.backend) record.failed_first = comes_first(i, record);
    }
}

Route Picker::finish(Outcome outcome) {
    mark_failed_first();
    note_hidden();
    return {std::move(outcome), std::move(decision_)};
}

Route Picker::refuse() {
    note_hidden();
    Error error = refusal();  // reads decision_, so before the move
    return {Refused{std::move(error)}, std::move(decision_)};
}

std::variant<Route, Question> Picker::run() {
    note_unlinked();
    ask_policy();
    if (!options_.emission_only) {
        if (auto question = choose_device()) return *question;
        if (best_)
            return finish(Execute{
                facts_[best_->backend].entry->id, *best_->device,
                grid_barrier_use(program_, best_->device->ops, options_.compile).value_or(GridBarrierUse{})});
        if (names_missing_device_ || !ambiguous_.empty()) return refuse();
    }
    if (may_emit()) {
        if (auto question = choose_emitter()) return *question;
        if (emitter_) return finish(EmitOnly{facts_[*emitter_].entry->id, *emission_target_});
    }
    return refuse();
}

std::variant<Route, Question> decide(const Program& program, const Policy& policy,
                                     std::span<const BackendFacts> facts, const RouteOptions& options) {
    return Picker(program, policy, facts, options).run();
}

}  // namespace muster::routing
