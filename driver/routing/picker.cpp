#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/registry/project_backends.hpp>
#include <muster/driver/routing/picker.hpp>
#include <muster/foundation/base/nearest.hpp>

namespace muster::routing {
namespace {

constexpr const char* take_off_exclusions =
    "take it off the exclusions (--exclude, MUSTER_EXCLUDE, Policy::exclude)";

bool holds(const std::vector<std::string>& list, std::string_view item) {
    return std::ranges::find(list, item) != list.end();
}

}  // namespace

Picker::Picker(const Program& program, const Policy& policy, std::span<const BackendFacts> facts,
               const RouteOptions& options)
    : program_(program),
      policy_(policy),
      selection_(policy),
      requirements_(policy),
      takes_only_one_(policy.choice && std::holds_alternative<OnlyOne>(*policy.choice)),
      facts_(facts),
      options_(options) {
    decision_.entry = program.entry();
    decision_.fingerprint = program.fingerprint();
    decision_.policy.assign(options.settings.begin(), options.settings.end());
    fit_options_ = {options.compile, policy.inexact_ok.value_or(false)};
}

CandidateRecord Picker::start(std::size_t backend, Stage stage, Reason reason, std::string message,
                              std::string fix) const {
    CandidateRecord record;
    record.backend = facts_[backend].entry->id;
    record.rank = facts_[backend].entry->rank;
    record.stage = stage;
    record.reason = reason;
    record.message = std::move(message);
    record.fix = std::move(fix);
    return record;
}

/// All backends, ordered by the policy's list if there is one, then as in the fleet: by rank, then id.
std::vector<std::size_t> Picker::in_order() {
    std::vector<std::size_t> order(facts_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(list_index(i), i); });
    return order;
}

/// The best position that a device of the backend can have in the order of preference.
std::size_t Picker::list_index(std::size_t backend) const {
    if (!selection_.has_list()) return backend;
    return selection_.list_index(facts_[backend].entry->id).value_or(selection_.listed().size());
}

/// The place of an allowed device in the order of preference.
policy::Selection::Preference Picker::place(std::size_t backend, const DeviceInfo& device) const {
    policy::Selection::Preference place = *selection_.place(facts_[backend].entry->id, device);
    if (!selection_.has_list()) place.index = backend;
    return place;
}

bool Picker::has_consent(const FleetEntry& entry) const {
    return selection_.names(entry.id) || std::ranges::none_of(consent_tags, [&](std::string_view tag) {
               return entry.has_tag(tag) && !(policy_.allow_tags && holds(*policy_.allow_tags, tag));
           });
}

std::optional<CandidateRecord> Picker::policy_refusal(std::size_t backend) const {
    const FleetEntry& entry = *facts_[backend].entry;
    if (selection_.excludes(entry.id))
        return start(backend, Stage::policy, Reason::excluded,
                     fmt::format("The policy excludes {}.", entry.id), take_off_exclusions);
    if (selection_.has_list() && !selection_.names(entry.id))
        return start(backend, Stage::policy, Reason::not_listed, selection_.to_string(),
                     put_on_list(entry.id));
    if (entry.fault)
        return start(backend, Stage::registration, Reason::registration_fault, entry.fault->message,
                     entry.fault->fix);
    return tags_forbid(backend);
}

/// Applies the tags that the policy excludes or requires, which count even if the backend is named.
std::optional<CandidateRecord> Picker::tags_forbid(std::size_t backend) const {
    const FleetEntry& entry = *facts_[backend].entry;
    const auto forbidding = forbidding_tag(policy_, entry.tags);
    if (!forbidding) return std::nullopt;
    if (forbidding->is_excluded)
        return start(
            backend, Stage::policy, Reason::excluded,
            fmt::format("{} is tagged \"{}\", which the policy excludes.", entry.id, forbidding->tag),
            "take the tag off the exclusions (--exclude-tag, Policy::exclude_tags)");
    return start(backend, Stage::policy, Reason::tag_missing,
                 fmt::format("{} isn't tagged \"{}\", which the policy requires.", entry.id, forbidding->tag),
                 "use another backend, or don't require the tag (--tag, Policy::require_tags)");
}

/// Returns true if the policy forbids the device, and writes the reason to `record`.
bool Picker::refused_by_policy(std::size_t backend, const DeviceInfo& device, CandidateRecord& record) const {
    const std::string& id = facts_[backend].entry->id;
    const auto no = [&](Reason reason, std::string message, std::string fix) {
        record.stage = Stage::policy;
        record.reason = reason;
        record.message = std::move(message);
        record.fix = std::move(fix);
        return true;
    };
    if (selection_.excludes(id, device))
        return no(Reason::excluded, fmt::format("The policy excludes {}.", record.id()), take_off_exclusions);
    if (!selection_.allows(id, device))
        return no(Reason::not_listed, selection_.to_string(), put_on_list(record.id()));
    auto unmet = requirements_.unmet(device, device.name.empty() ? record.id() : device.name);
    if (!unmet) return false;
    record.shortfalls = std::move(unmet->shortfalls);
    return no(unmet->reason, std::move(unmet->message), std::move(unmet->fix));
}

std::string Picker::put_on_list(const std::string& id) const {
    if (selection_.is_pinned()) return fmt::format("pin {} instead (Policy::choice, --pin)", id);
    return fmt::format("add {} to the list (--backend, MUSTER_BACKEND, Policy::backends)", id);
}

std::optional<CandidateRecord> Picker::consent_refusal(std::size_t backend) const {
    const FleetEntry& entry = *facts_[backend].entry;
    if (has_consent(entry)) return std::nullopt;
    return start(
        backend, Stage::policy, Reason::tag_not_allowed,
        fmt::format("{} is tagged \"{}\", which automatic routing passes over.", entry.id,
                    fmt::join(entry.tags, " ")),
        fmt::format("name {} as the backend, or allow its tag (--allow, Policy::allow_tags)", entry.id));
}

/// The reason why the backend can't lower the program, if any. Its operations must be known, or its
/// plugin have failed to open.
std::optional<CandidateRecord> Picker::operations_refusal(std::size_t backend, bool can_be_split) const {
    const BackendFacts& facts = facts_[backend];
    if (const Result<OpSet>* loaded = facts.loaded; loaded != nullptr && !*loaded) {
        if (facts.probe != nullptr && !may_load(facts.probe->state)) return probe_failure(backend);
        return start(backend, Stage::load, Reason::plugin_failed, loaded->error().message,
                     loaded->error().fix);
    }
    const OpSet& supported_ops = facts.supported_ops();
    OpSet needed = needed_ops(program_, options_.compile, supported_ops, all_promised);
    if (can_be_split)
        needed = without_grid_barriers(std::move(needed));  // check_device() checks that the parts fit
    if (supported_ops.contains(needed)) return std::nullopt;
    if (auto split = split_refusal(backend)) return split;
    return start(backend, Stage::operations, Reason::operation_missing,
                 fmt::format("{} doesn't support what {} uses: {}.", facts.entry->id, program_.entry(),
                             fmt::join(supported_ops.missing(needed), ", ")),
                 "use another backend, or write the program without");
}

/// The reason why a backend that must split the program at its grid barriers has no single kernel to emit.
std::optional<CandidateRecord> Picker::split_refusal(std::size_t backend) const {
    const OpSet& ops = facts_[backend].supported_ops();
    const OpSet needed = needed_ops(program_, options_.compile, ops, all_promised);
    if (has_own_grid_barriers(ops) || !ops.contains(without_grid_barriers(needed))) return std::nullopt;
    const auto use = grid_barrier_use(program_, ops, options_.compile);
    if (!use || use->how != GridBarrierUse::How::split) return std::nullopt;
    return start(
        backend, Stage::operations, Reason::operation_missing,
        fmt::format("{} has no {} of its own: {} is {} there, and no single kernel of it can be emitted.",
                    facts_[backend].entry->id, fmt::join(ops.missing(needed), ", "), program_.entry(),
                    to_string(*use)),
        "emit the parts that it is split into (muster emit --parts, Session::emit_parts)");
}

/// Fills allowed_. Backends whose tags lack consent are allowed only if no other
/// backend can dispatch (or emit).
void Picker::ask_policy() {
    const std::vector<std::size_t> order = in_order();
    std::vector<std::size_t> passed;
    for (const std::size_t i : order)
        if (auto no = policy_refusal(i))
            decision_.candidates.push_back(*std::move(no));
        else
            passed.push_back(i);
    const bool others = std::ranges::any_of(passed, [&](std::size_t i) {
        return has_consent(*facts_[i].entry) && (options_.emission_only || facts_[i].entry->dispatches);
    });
    for (const std::size_t i : passed) {
        auto no = consent_refusal(i);
        if (no && others) {
            decision_.candidates.push_back(*std::move(no));
            continue;
        }
        if (no)
            decision_.notes.push_back(fmt::format(
                "{} is tagged \"{}\" and is considered only because no other backend is there to {}.",
                facts_[i].entry->id, fmt::join(facts_[i].entry->tags, " "),
                options_.emission_only ? "emit" : "dispatch"));
        allowed_.push_back(i);
    }
}

void Picker::note_unlinked() {
    const auto linked = [&](const std::string& id) {
        return std::ranges::any_of(facts_, [&](const BackendFacts& f) { return f.entry->id == id; });
    };
    const auto record = [&](const policy::DeviceSelector& entry, std::string_view verb, std::string fix) {
        CandidateRecord unlinked;
        unlinked.backend = entry.backend;
        if (entry.names_a_device()) unlinked.named = entry.to_string();
        unlinked.reason = Reason::not_registered;
        unlinked.message = fmt::format("The policy {} {}, which isn't linked.", verb, entry.backend);
        unlinked.fix = std::move(fix);
        decision_.candidates.push_back(std::move(unlinked));
    };
    std::vector<std::string> ids;
    for (const BackendFacts& f : facts_) ids.push_back(f.entry->id);
    for (const policy::DeviceSelector& entry : selection_.listed())
        if (!linked(entry.backend))
            record(entry, selection_.is_pinned() ? "pins" : "names", how_to_get(entry.backend, ids));
    for (const policy::DeviceSelector& entry : selection_.excluded())
        if (!linked(entry.backend) && !selection_.names(entry.backend))
            record(entry, "excludes",
                   nearest(entry.backend, ids).empty() ? "" : did_you_mean(entry.backend, ids));
}

/// Records the devices that the policy names or excludes and that this backend, which
/// has others, doesn't have.
void Picker::note_missing_devices(std::size_t backend) {
    const std::string& id = facts_[backend].entry->id;
    std::vector<DeviceInfo> devices = facts_[backend].probe->devices;
    std::ranges::copy(facts_[backend].probe->on_request, std::back_inserter(devices));
    const auto record = [&](const policy::DeviceSelector& entry, std::string_view verb, std::string fix) {
        const bool names_arch = std::holds_alternative<policy::DeviceSelector::Arch>(entry.device);
        const std::string there =
            names_arch ? fmt::format(": {} is {}", device_id(id, devices[0]), devices[0].arch) : "";
        CandidateRecord missing =
            start(backend, Stage::probe, Reason::no_such_device,
                  with_hidden(backend, fmt::format("The policy {} {}, and {} has no such device{}.", verb,
                                                   entry.to_string(), id, there)),
                  std::move(fix));
        missing.named = entry.to_string();
        decision_.candidates.push_back(std::move(missing));
    };
    std::vector<std::string> there;
    for (const DeviceInfo& device : devices)
        there.push_back(device.on_request ? device_id(id, device)
                                          : fmt::format("{} ({})", device_id(id, device), device.name));
    for (const policy::DeviceSelector& entry : selection_.missing(selection_.listed(), id, devices)) {
        record(entry, selection_.is_pinned() ? "pins" : "names",
               fmt::format("name one that is there: {}", fmt::join(there, ", ")));
        names_missing_device_ = true;
    }
    for (const policy::DeviceSelector& entry : selection_.missing(selection_.excluded(), id, devices))
        record(entry, "excludes", "");
}

}  // namespace muster::routing
