#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/picker.hpp>
#include <muster/driver/router.hpp>

namespace muster {

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
    if (reason == Reason::no_device)
        return start(backend, Stage::probe, reason,
                     fmt::format("{} finds no device.", facts_[backend].entry->id),
                     "check that the machine has one and that its driver is installed");
    return start(backend, Stage::probe, reason, probe.error.message, probe.error.fix);
}

CandidateRecord Picker::judge_device(std::size_t backend, const DeviceInfo& device) const {
    CandidateRecord record = start(backend, Stage::order, Reason::outranked, {});
    record.ordinal = device.ordinal;
    record.device = device.name;
    record.software_emulated = device.software_emulated;
    if (policy_says_no(backend, device, record)) return record;
    for (const LostDevice& lost : facts_[backend].lost)
        if (lost.ordinal == device.ordinal) {
            record.stage = Stage::open;
            record.reason = Reason::device_lost;
            record.message = lost.error.message;
            record.fix = lost.error.fix;
            return record;
        }
    const std::vector<Misfit> misfits = fit(program_, device, fit_options_);
    if (misfits.empty()) return record;
    record.stage = Stage::device;
    record.reason = misfits[0].reason;
    record.fix = misfits[0].fix;
    for (const Misfit& misfit : misfits) {
        record.message += (record.message.empty() ? "" : " ") + misfit.message;
        record.shortfalls.insert(record.shortfalls.end(), misfit.shortfalls.begin(), misfit.shortfalls.end());
    }
    return record;
}

/// Why `winner` comes before `loser`: both fit.
std::string Picker::order_of(const Pick& winner, const Pick& loser) const {
    const FleetEntry& first = *facts_[winner.backend].entry;
    const FleetEntry& second = *facts_[loser.backend].entry;
    if (!winner.device->software_emulated && loser.device->software_emulated)
        return fmt::format("It fits, but is emulated in software: {}:{} is native.", first.id,
                           winner.device->ordinal);
    if (winner.place != loser.place && selection_.has_list())
        return fmt::format("It fits, but the policy lists {} before {}.",
                           selection_.listed()[winner.place].to_string(),
                           selection_.listed()[loser.place].to_string());
    if (winner.backend == loser.backend)
        return fmt::format("It fits, but {}:{} comes first.", first.id, winner.device->ordinal);
    if (first.rank == second.rank)
        return fmt::format("It fits, with {} like {}; equal ranks are ordered by id.", rank_text(second.rank),
                           first.id);
    return fmt::format("It fits, but {} has {}, before {}.", first.id, rank_text(first.rank),
                       rank_text(second.rank));
}

/// Compares a fit device with the best so far, and writes the loser's record.
void Picker::settle(Pick next) {
    const auto key = [](const Pick& pick) {
        return std::tuple(pick.device->software_emulated, pick.place, pick.device->ordinal);
    };
    const bool wins = !best_ || key(next) < key(*best_);
    if (best_) {
        const Pick& winner = wins ? next : *best_;
        const Pick& loser = wins ? *best_ : next;
        CandidateRecord& record = decision_.candidates[loser.record];
        const bool emulated = loser.device->software_emulated && !winner.device->software_emulated;
        record.reason = emulated ? Reason::software_emulated : Reason::outranked;
        record.message = order_of(winner, loser);
        const bool same_backend = winner.backend == loser.backend;
        const auto called = [&](const Pick& pick) {
            return same_backend ? decision_.candidates[pick.record].id() : facts_[pick.backend].entry->id;
        };
        record.fix = fmt::format("name {} as the backend, or exclude {}", called(loser), called(winner));
    }
    if (wins) best_ = next;
}

void Picker::judge_devices(std::size_t backend) {
    const ProbeResult& probe = *facts_[backend].probe;
    if (probe.devices.empty()) {
        decision_.candidates.push_back(probe_failure(backend));
        return;
    }
    for (const DeviceInfo& device : probe.devices) {
        decision_.candidates.push_back(judge_device(backend, device));
        if (decision_.candidates.back().stage == Stage::order)
            settle({backend, place(backend, device), decision_.candidates.size() - 1, &device});
    }
    note_missing_devices(backend);
}

/// Whether a device of this unprobed backend could come first: before anything fit was found, when what was found
/// is emulated and any native device would come first, or when the policy lists the backend before the device.
bool Picker::could_win(std::size_t backend) const {
    return !best_ || best_->device->software_emulated || place(backend) < best_->place || options_.ask_all;
}

/// A question, where a backend that isn't opened or probed could still win.
std::optional<Question> Picker::execution_rung() {
    for (const std::size_t i : allowed_) {
        const FleetEntry& entry = *facts_[i].entry;
        const bool to_load = facts_[i].must_be_loaded();
        if (!entry.dispatches) {
            decision_.candidates.push_back(
                start(i, Stage::claim, Reason::claims_no_dispatch,
                      fmt::format("{} only emits; it doesn't claim to dispatch.", entry.id)));
        } else if (auto no = to_load ? std::nullopt : operations_say_no(i)) {
            decision_.candidates.push_back(*std::move(no));
        } else if (facts_[i].probe) {
            judge_devices(i);
        } else if (could_win(i)) {
            return Question{to_load ? Question::Kind::load : Question::Kind::probe, i};
        } else {
            decision_.candidates.push_back(
                start(i, to_load ? Stage::load : Stage::probe, Reason::not_asked,
                      fmt::format("{} isn't {}: it could not come before {}:{}.", entry.id,
                                  to_load ? "opened" : "asked", facts_[best_->backend].entry->id,
                                  best_->device->ordinal)));
        }
    }
    if (!best_) return std::nullopt;
    const DeviceInfo& device = *best_->device;
    CandidateRecord& record = decision_.candidates[best_->record];
    record.reason = Reason::chosen;
    const bool has_own_rank = record.rank < UINT32_MAX - 1;  // not one that only says "after all others"
    record.message = fmt::format(
        "It fits, and comes first: {}{}{}.", has_own_rank ? rank_text(record.rank) : "",
        has_own_rank ? ", " : "",
        device.software_emulated ? "emulated in software, with no native device that fits" : "native");
    if (fit_options_.inexact_ok && !device.exactness.exact() &&
        options_.compile.precision == Precision::exact)
        decision_.notes.push_back(
            fmt::format("{} isn't exact, which the policy allows: it doesn't promise {}.", record.id(),
                        fmt::join(missing_promises(device), " and ")));
    return std::nullopt;
}

/// The second rung: the first allowed backend, in order, that can emit for its default target.
std::optional<Question> Picker::emission_rung() {
    for (const std::size_t i : allowed_) {
        const FleetEntry& entry = *facts_[i].entry;
        const bool to_load = facts_[i].must_be_loaded();
        if (auto no = to_load ? std::nullopt : operations_say_no(i)) {
            if (options_.emission_only || !entry.dispatches) decision_.candidates.push_back(*std::move(no));
            continue;
        }
        if (emitter_ && !options_.ask_all) {
            decision_.candidates.push_back(start(i, to_load ? Stage::load : Stage::target, Reason::not_asked,
                                                 fmt::format("{} isn't asked to emit: {} comes first.",
                                                             entry.id, facts_[*emitter_].entry->id)));
            continue;
        }
        if (to_load) return Question{Question::Kind::load, i};
        const Result<Target>* target = facts_[i].target;
        if (!target) return Question{Question::Kind::target, i};
        if (!*target) {
            decision_.candidates.push_back(
                start(i, Stage::target, Reason::cannot_emit, target->error().message, target->error().fix));
            continue;
        }
        CandidateRecord record = start(i, Stage::target, Reason::chosen, "It can emit the program.");
        record.target = (*target)->to_string();
        if (const auto misfits = fit(program_, **target, fit_options_); !misfits.empty()) {
            record.reason = misfits[0].reason;
            record.message = misfits[0].message;
            record.fix = misfits[0].fix;
            record.shortfalls = misfits[0].shortfalls;
        } else if (emitter_) {
            record.stage = Stage::order;
            record.reason = Reason::outranked;
            record.message =
                fmt::format("It can emit the program, but {} comes first.", facts_[*emitter_].entry->id);
        } else {
            emitter_ = i;
        }
        decision_.candidates.push_back(std::move(record));
    }
    return std::nullopt;
}

Error Picker::refusal() const {
    Error error{ErrorCode::refused, {}, {}, {}};
    if (facts_.empty()) {
        error.message = fmt::format("Nothing can run {}: no backend is linked.", program_.entry());
        error.fix =
            "link a backend, for instance target_link_libraries(app PRIVATE muster::backend_reference)";
        return error;
    }
    error.message = fmt::format("Nothing can {} {}.\n{}", options_.emission_only ? "emit" : "execute",
                                program_.entry(), explain(decision_));
    // What was named wrongly is the first thing to mend.
    const auto first_fix = [&](auto concerns) {
        const auto found = std::ranges::find_if(decision_.candidates, [&](const CandidateRecord& candidate) {
            return !candidate.fix.empty() && concerns(candidate);
        });
        return found == decision_.candidates.end() ? "" : fmt::format("{}: {}", found->id(), found->fix);
    };
    error.fix = first_fix([](const CandidateRecord& one) { return one.reason == Reason::no_such_device; });
    if (error.fix.empty()) error.fix = first_fix([](const CandidateRecord&) { return true; });
    return error;
}

std::variant<Route, Question> Picker::run() {
    note_unlinked();
    ask_policy();
    if (!options_.emission_only) {
        if (auto question = execution_rung()) return *question;
        if (best_) return finish(Execute{facts_[best_->backend].entry->id, *best_->device});
        if (names_missing_device_) return finish(Refused{refusal()});
    }
    if (options_.emission_only || policy_.allow_emission.value_or(true)) {
        if (auto question = emission_rung()) return *question;
        if (emitter_) return finish(EmitOnly{facts_[*emitter_].entry->id, **facts_[*emitter_].target});
    }
    return finish(Refused{refusal()});
}

std::variant<Route, Question> decide(const Program& program, const Policy& policy,
                                     std::span<const BackendFacts> facts, const RouteOptions& options) {
    return Picker(program, policy, facts, options).run();
}

}  // namespace muster
