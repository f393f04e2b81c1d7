#include <utility>

#include <muster/foundation/validate/faults.hpp>

namespace muster::validation {

void Faults::add(NodeId node, std::string message, std::string fix) {
    if (faulty_.insert(node).second) add(program_.location(node), std::move(message), std::move(fix));
}

void Faults::add(const Variable& variable, std::string message, std::string fix) {
    add(variable.location, std::move(message), std::move(fix));
}

void Faults::add(std::string message, std::string fix) {
    add(SourceLocation{}, std::move(message), std::move(fix));
}

void Faults::add(SourceLocation where, std::string message, std::string fix) {
    if (!full()) diagnostics_.push_back({where, std::move(message), std::move(fix)});
}

void Faults::add_non_uniform(NodeId node, NodeId branch, std::string message, std::string fix) {
    if (full() || faulty_.contains(node)) return;
    add(node, std::move(message), std::move(fix));
    const bool is_barrier = info(program_.node(node).op).group != OpGroup::subgroup;
    non_uniform_.push_back({diagnostics_.back(), program_.location(branch), is_barrier});
}

std::vector<NonUniform> Faults::only_non_uniform() const {
    return non_uniform_.size() == diagnostics_.size() ? non_uniform_ : std::vector<NonUniform>{};
}

std::string Faults::place(NodeId node) const {
    const SourceLocation where = program_.location(node);
    if (where.line == 0 || where.file >= program_.files().size()) return "an unknown place";
    return to_string(where, program_.file(where));
}

std::string Faults::render(const Diagnostic& diagnostic) const {
    const SourceLocation where = diagnostic.where;
    if (where.line != 0 && where.file < program_.files().size())
        return muster::render(diagnostic, program_.file(where));
    // A fault of the whole program, or of a node without a source location: the entry point's
    // name replaces the location.
    std::string text = std::string(program_.entry()) + ": error: " + diagnostic.message;
    if (!diagnostic.fix.empty()) text += "\nFix: " + diagnostic.fix;
    return text;
}

Error Faults::error() const {
    std::string message;
    for (const Diagnostic& diagnostic : diagnostics_) {
        if (!message.empty()) message += '\n';
        message += render(diagnostic);
    }
    return Error{ErrorCode::invalid_program, std::move(message), {}, {}};
}

}  // namespace muster::validation
