#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/routing/route.hpp>
#include <muster/foundation/base/enum_name.hpp>

namespace muster {

std::string_view name(Stage stage) { return enum_name(stage); }

std::string_view name(Reason reason) { return enum_name(reason); }

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
