#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/routing/route.hpp>

namespace muster {

std::string_view name(Stage stage) {
    switch (stage) {
        case Stage::registration: return "registration";
        case Stage::policy: return "policy";
        case Stage::claim: return "claim";
        case Stage::load: return "load";
        case Stage::operations: return "operations";
        case Stage::probe: return "probe";
        case Stage::device: return "device";
        case Stage::target: return "target";
        case Stage::open: return "open";
        case Stage::order: return "order";
    }
    return "unknown";
}

std::string_view name(Reason reason) {
    switch (reason) {
        case Reason::chosen: return "chosen";
        case Reason::not_registered: return "not_registered";
        case Reason::no_such_device: return "no_such_device";
        case Reason::registration_fault: return "registration_fault";
        case Reason::not_listed: return "not_listed";
        case Reason::excluded: return "excluded";
        case Reason::tag_not_allowed: return "tag_not_allowed";
        case Reason::tag_missing: return "tag_missing";
        case Reason::kind_not_allowed: return "kind_not_allowed";
        case Reason::memory_too_small: return "memory_too_small";
        case Reason::feature_missing: return "feature_missing";
        case Reason::claims_no_dispatch: return "claims_no_dispatch";
        case Reason::plugin_failed: return "plugin_failed";
        case Reason::operation_missing: return "operation_missing";
        case Reason::not_asked: return "not_asked";
        case Reason::factory_failed: return "factory_failed";
        case Reason::probe_failed: return "probe_failed";
        case Reason::probe_timed_out: return "probe_timed_out";
        case Reason::probe_crashed: return "probe_crashed";
        case Reason::probe_unreadable: return "probe_unreadable";
        case Reason::no_probe_helper: return "no_probe_helper";
        case Reason::probe_not_isolated: return "probe_not_isolated";
        case Reason::no_device: return "no_device";
        case Reason::type_missing: return "type_missing";
        case Reason::limit_exceeded: return "limit_exceeded";
        case Reason::not_exact: return "not_exact";
        case Reason::no_compiler: return "no_compiler";
        case Reason::cannot_emit: return "cannot_emit";
        case Reason::check_failed: return "check_failed";
        case Reason::open_failed: return "open_failed";
        case Reason::device_lost: return "device_lost";
        case Reason::out_of_memory: return "out_of_memory";
        case Reason::compile_failed: return "compile_failed";
        case Reason::outranked: return "outranked";
        case Reason::software_emulated: return "software_emulated";
        case Reason::estimated_slower: return "estimated_slower";
        case Reason::ambiguous: return "ambiguous";
    }
    return "unknown";
}

std::string CandidateRecord::id() const {
    if (!target.empty()) return target;
    if (!named.empty()) return named;
    return ordinal ? fmt::format("{}:{}", backend, *ordinal) : backend;
}

Route::Route(Outcome outcome, Decision decision)
    : data_(std::make_shared<const Data>(Data{std::move(outcome), std::move(decision)})) {}

std::string_view Route::mode() const {
    if (execute()) return "execute";
    return emit_only() ? "emit-only" : "refused";
}

namespace {

std::string headline(const Route& route) {
    const std::string& entry = route.decision().entry;
    if (const Execute* execute = route.execute()) {
        const std::string barriers = to_string(execute->grid_barriers);
        return fmt::format("{} executes on {} ({}).{}", entry, execute->id(), execute->device.name,
                           barriers.empty() ? "" : fmt::format(" Grid barriers: {}.", barriers));
    }
    if (const EmitOnly* emit = route.emit_only())
        return fmt::format("{} executes nowhere here; code for {} can be emitted.", entry,
                           emit->target.to_string());
    const std::string& message = route.refused()->error.message;
    return message.substr(0, message.find('\n'));
}

}  // namespace

std::string explain(const Decision& decision) {
    const auto is_aside = [](const CandidateRecord& one) { return one.reason == Reason::not_listed; };
    std::size_t id_width = 0, reason_width = 0;
    for (const CandidateRecord& candidate : decision.candidates) {
        if (is_aside(candidate)) continue;
        id_width = std::max(id_width, candidate.id().size());
        reason_width = std::max(reason_width, name(candidate.reason).size());
    }
    std::string text, unlisted;
    for (const PolicySetting& setting : decision.policy)
        text += fmt::format("Policy: {}\n", setting.to_string());
    for (const std::string& note : decision.notes) text += fmt::format("Note: {}\n", note);
    for (const CandidateRecord& candidate : decision.candidates) {
        if (is_aside(candidate)) {
            unlisted += (unlisted.empty() ? candidate.message + " Passed over: " : ", ") + candidate.id();
            continue;
        }
        text += fmt::format("  {:<{}}  {:<{}}  {}\n", candidate.id(), id_width, name(candidate.reason),
                            reason_width, candidate.message);
        if (!candidate.fix.empty())
            text += fmt::format("  {:<{}}  {:<{}}  Fix: {}\n", "", id_width, "", reason_width, candidate.fix);
    }
    if (!unlisted.empty()) text += fmt::format("  {}.\n", unlisted);
    if (!text.empty()) text.pop_back();
    return text;
}

std::string Route::explain() const {
    const std::string candidates = muster::explain(decision());
    return headline(*this) + (candidates.empty() ? "" : "\n" + candidates);
}

}  // namespace muster
