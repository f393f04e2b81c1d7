// The choice of a target to emit for, among those of the backends that the policy allows.
#include <utility>

#include <fmt/format.h>

#include <muster/driver/routing/picker.hpp>

namespace muster::routing {

/// Looks for the first allowed backend, in order, that can emit the program.
std::optional<Question> Picker::choose_emitter() {
    for (const std::size_t i : allowed_) {
        const FleetEntry& entry = *facts_[i].entry;
        const bool to_load = facts_[i].must_be_loaded();
        if (auto no = to_load ? std::nullopt : operations_refusal(i, options_.in_parts)) {
            if (options_.emission_only || !entry.dispatches) decision_.candidates.push_back(*std::move(no));
            continue;
        }
        if (emitter_ && !asks_all()) {
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
        const Target* const emitted_for = choose_target(i);
        decision_.candidates.push_back(check_target(i, *emitted_for));
        if (decision_.candidates.back().reason != Reason::chosen) continue;
        emitter_ = i;
        emission_target_ = emitted_for;
    }
    if (emitter_ && takes_only_one_) call_ambiguous(Stage::target);
    return std::nullopt;
}

/// Why the program can't be emitted for a target; none if it can.
std::optional<Misfit> Picker::misfit_of(const Target& target) const {
    if (target.no_compiler)
        return Misfit{Reason::no_compiler,
                      fmt::format("{} emits nothing here. {}", target.backend, target.no_compiler->message),
                      target.no_compiler->fix,
                      {}};
    auto misfits =
        options_.in_parts ? fit_parts(program_, target, fit_options_) : fit(program_, target, fit_options_);
    return misfits.empty() ? std::nullopt : std::optional(std::move(misfits[0]));
}

/// The first of a backend's targets with more features that the program fits, or null.
const Target* Picker::later_target(std::size_t backend) const {
    for (const Target& target : facts_[backend].more_targets)
        if (!misfit_of(target)) return &target;
    return nullptr;
}

/// The target to emit for: the backend's default one; or a later one that alone fits, unless
/// the user named the target.
const Target* Picker::choose_target(std::size_t backend) const {
    const Target& target = **facts_[backend].target;
    if (options_.target_is_named || !misfit_of(target)) return &target;
    const Target* const later = later_target(backend);
    return later != nullptr ? later : &target;
}

/// Makes the record of a target: `chosen` if the program fits and no backend before it can emit.
CandidateRecord Picker::check_target(std::size_t backend, const Target& target) const {
    CandidateRecord record = start(backend, Stage::target, Reason::chosen, "It can emit the program.");
    record.target = target.to_string();
    const auto says_no = [&](Stage stage, Misfit misfit) {
        record.stage = stage;
        record.reason = misfit.reason;
        record.message = std::move(misfit.message);
        record.fix = std::move(misfit.fix);
        record.shortfalls = std::move(misfit.shortfalls);
    };
    if (auto unmet = requirements_.unmet(target, record.target)) {
        says_no(Stage::policy, *std::move(unmet));
    } else if (auto misfit = misfit_of(target)) {
        if (const Target* later = later_target(backend); later != nullptr)
            misfit->fix = fmt::format("emit for {} (--target, EmitOptions::arch)", later->to_string());
        says_no(Stage::target, *std::move(misfit));
    } else if (emitter_) {
        record.stage = Stage::order;
        record.reason = Reason::outranked;
        record.message =
            fmt::format("It can emit the program, but {} comes first.", facts_[*emitter_].entry->id);
    }
    return record;
}

}  // namespace muster::routing
