#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/rewrite/expression_hash.hpp>
#include <muster/graph/rewrite/give.hpp>
#include <muster/graph/rewrite/rewrite.hpp>

namespace muster::graph {
namespace {

constexpr std::size_t longest_name = 200;
constexpr int most_passes = 50;  // most graphs take three; a made-up one could take one for each of its nodes

/// A pattern, read: one formula and replacement for each alternative.
struct Conversion {
    const ConversionPattern* pattern;
    std::vector<Formula> formulas;
    std::vector<PatternTree> replacements;
};

Result<Conversion> read(const ConversionPattern& pattern) {
    Conversion conversion{.pattern = &pattern};
    for (const std::string_view match : pattern.match) {
        conversion.formulas.push_back(TRY(read_formula(match, pattern.where, pattern.name)));
        conversion.replacements.push_back(
            TRY(parse_give(pattern.give, conversion.formulas.back().match,
                           fmt::format("pattern \"{}\", give", printable(pattern.name)))));
    }
    return conversion;
}

enum class KnownBy : std::uint8_t { both, less, other };
/// How the shape of a replacement compares with what it replaces.
KnownBy compare(const TensorType& old, const TensorType& by) {
    if (old.element != by.element || old.shape.size() != by.shape.size()) return KnownBy::other;
    KnownBy result = KnownBy::both;
    for (std::size_t i = 0; i < old.shape.size(); ++i) {
        if (old.shape[i] == by.shape[i] || old.shape[i].is_unknown()) continue;
        if (!by.shape[i].is_unknown()) return KnownBy::other;
        result = KnownBy::less;
    }
    return result;
}

class Rewriter {
  public:
    Rewriter(const Graph& graph, std::vector<Conversion> conversions)
        : draft_(graph),
          conversions_(std::move(conversions)),
          most_steps_(10'000 + 32 * std::size_t{graph.node_count()}) {
        index();
    }

    Result<Rewritten> run();

  private:
    void index();
    Result<bool> pass();
    Result<bool> visit(NodeId node);
    Result<ConversionOutcome> attempt(ConversionSite& site, const Conversion& conversion);
    Result<bool> apply(ConversionSite& site, const ConversionPattern& pattern, ConversionOutcome outcome);
    Result<bool> replace(ConversionSite& site, const ConversionPattern& pattern,
                         const ConversionOutcome& outcome);
    Result<void> remember(ConversionSite& site, const ConversionPattern& pattern,
                          const ConversionOutcome& outcome);
    void name_added(const ConversionSite& site, std::span<const NodeId> replaced);
    void discard(const ConversionSite& site);
    Result<bool> refused(NodeId node, const ConversionPattern& pattern, std::string reason);
    std::unexpected<Error> endless() const;

    struct Step {  // of one value: what made it, and which pattern took that away
        std::uint64_t before;
        const ConversionPattern* pattern;
    };

    Draft draft_;
    std::vector<Conversion> conversions_;
    std::array<std::vector<const Conversion*>, operator_count> by_root_;
    std::unordered_map<std::uint32_t, std::vector<Step>> history_;  // by value
    std::map<std::string_view, std::size_t> steps_by_pattern_;
    std::size_t steps_ = 0, most_steps_;
    bool explains_ = false;
    NodeId resume_;  // the node to visit next, after a change
    PatternReport report_;
};

/// Patterns by the operators of their roots, in order.
void Rewriter::index() {
    for (const Conversion& conversion : conversions_) {
        std::vector<Operator> roots = conversion.pattern->roots;
        for (const Formula& formula : conversion.formulas)
            roots.push_back(formula.match.terms[formula.match.root].op);
        for (std::size_t op = 0; op < operator_count; ++op) {
            if (roots.empty() || std::ranges::find(roots, static_cast<Operator>(op)) != roots.end())
                by_root_[op].push_back(&conversion);
        }
    }
}

Result<bool> Rewriter::refused(NodeId node, const ConversionPattern& pattern, std::string reason) {
    if (explains_ && !reason.empty() && report_.refused.size() < most_refusals)
        report_.refused.push_back({pattern.name, draft_.label(node), std::move(reason)});
    return false;
}

/// The first alternative that matches, built; else the last near miss.
Result<ConversionOutcome> Rewriter::attempt(ConversionSite& site, const Conversion& conversion) {
    if (conversion.pattern->function) return conversion.pattern->function(site);
    ConversionOutcome outcome;
    for (std::size_t i = 0; i < conversion.formulas.size(); ++i) {
        const Formula& formula = conversion.formulas[i];
        if (formula.match.terms[formula.match.root].op != site.op()) continue;
        MatchResult result = match_at(draft_, site.node(), formula);
        if (result.match) {
            const ValueId value = TRY(give(site, conversion.replacements[i], formula.match, *result.match));
            return site.replace_by(value, std::move(result.match->nodes));
        }
        if (!result.near_miss.empty()) outcome = ConversionOutcome::refused(std::move(result.near_miss));
    }
    return outcome;
}

void Rewriter::discard(const ConversionSite& site) {
    for (auto added = site.added().rbegin(); added != site.added().rend(); ++added)
        draft_.remove_unused(*added);
}

/// Names of the nodes that went, joined, for those that came.
void Rewriter::name_added(const ConversionSite& site, std::span<const NodeId> replaced) {
    std::string name;
    for (const NodeId node : replaced) {
        const std::string& part = draft_.node(node).name;
        if (!draft_.node(node).removed || part.empty() || name.size() + part.size() > longest_name) continue;
        name += name.empty() ? part : " + " + part;
    }
    for (const NodeId node : site.added()) draft_.set_name(node, name);
}

/// Fails if a value is again made as it was before a pattern took that away.
Result<void> Rewriter::remember(ConversionSite& site, const ConversionPattern& pattern,
                                const ConversionOutcome& outcome) {
    std::vector<Step>& steps = history_[site.output().index];
    steps.push_back({expression_hash(draft_, site.output(), outcome.replaced), &pattern});
    const std::uint64_t after = expression_hash(draft_, outcome.value, site.added());
    const auto seen = std::ranges::find(steps, after, &Step::before);
    if (seen == steps.end()) return {};
    const std::string label = draft_.label(site.node());
    if (seen->pattern == &pattern) {
        return fail(
            ErrorCode::conflict,
            fmt::format("The pattern \"{}\" undoes itself, at node {}.", printable(pattern.name), label),
            "narrow what it matches");
    }
    return fail(ErrorCode::conflict,
                fmt::format("The patterns \"{}\" and \"{}\" undo each other, at node {}.",
                            printable(seen->pattern->name), printable(pattern.name), label),
                "leave one of them out of the pack, or narrow what it matches");
}

Result<bool> Rewriter::replace(ConversionSite& site, const ConversionPattern& pattern,
                               const ConversionOutcome& outcome) {
    const ValueId old = site.output();
    const bool is_new =
        std::ranges::find(site.added(), draft_.value(outcome.value).producer) != site.added().end();
    const TensorType &was = draft_.fact(old).type, &is = draft_.fact(outcome.value).type;
    const KnownBy known = compare(was, is);
    if (known == KnownBy::other) {
        return fail(
            ErrorCode::invalid_program,
            fmt::format("The pattern \"{}\" replaces node {}, which makes {}, by {}.",
                        printable(pattern.name), draft_.label(site.node()), to_string(was), to_string(is)),
            "this is a fault of the pack that has the pattern");
    }
    std::string reason;
    if (known == KnownBy::less)
        reason = fmt::format("the shape would be less known: {}, and not {}", to_string(is.shape),
                             to_string(was.shape));
    else if (!is_new && !draft_.can_replace(old, outcome.value))
        reason = fmt::format("\"{}\" is an output of the graph, and \"{}\" keeps its own name",
                             printable(draft_.value(old).name), printable(draft_.value(outcome.value).name));
    if (!reason.empty()) {
        discard(site);
        return refused(site.node(), pattern, std::move(reason));
    }
    if (is_new) TRY(remember(site, pattern, outcome));
    if (is_new)
        draft_.adopt(old, outcome.value);
    else
        draft_.replace(old, outcome.value);
    name_added(site, outcome.replaced);
    if (!site.added().empty()) resume_ = site.added()[0];
    return true;
}

Result<bool> Rewriter::apply(ConversionSite& site, const ConversionPattern& pattern,
                             ConversionOutcome outcome) {
    using Kind = ConversionOutcome::Kind;
    if (outcome.kind == Kind::no_match) return false;
    if (outcome.kind == Kind::refused) {
        discard(site);
        return refused(site.node(), pattern, std::move(outcome.reason));
    }
    PatternUse use{.pattern = pattern.name, .bits = pattern.bits};
    if (outcome.replaced.empty()) use.nodes.push_back(site.label());
    for (const NodeId node : outcome.replaced) use.nodes.push_back(draft_.label(node));
    if (outcome.kind == Kind::replaced && !TRY(replace(site, pattern, outcome))) return false;
    report_.used.push_back(std::move(use));
    ++steps_by_pattern_[pattern.name];
    ++steps_;
    return true;
}

Result<bool> Rewriter::visit(NodeId node) {
    TRY(draft_.update(node));
    for (const Conversion* conversion : by_root_[static_cast<std::size_t>(draft_.node(node).op)]) {
        ConversionSite site(draft_, node);
        const auto applying = [&] {
            return fmt::format("applying the pattern \"{}\"", printable(conversion->pattern->name));
        };
        ConversionOutcome outcome = TRY(during(applying, attempt(site, *conversion)));
        if (TRY(apply(site, *conversion->pattern, std::move(outcome)))) return true;
    }
    return false;
}

std::unexpected<Error> Rewriter::endless() const {
    std::vector<std::pair<std::string_view, std::size_t>> most(steps_by_pattern_.begin(),
                                                               steps_by_pattern_.end());
    std::ranges::sort(most, std::greater{}, &std::pair<std::string_view, std::size_t>::second);
    const std::string second =
        most.size() > 1 ? fmt::format(", \"{}\" {} times", printable(most[1].first), most[1].second) : "";
    return fail(ErrorCode::conflict,
                fmt::format("Patterns still change the graph after {} steps: \"{}\" was applied {} times{}.",
                            steps_, printable(most[0].first), most[0].second, second),
                "narrow what these patterns match");
}

/// Visits all nodes, new ones included. Returns whether something changed.
Result<bool> Rewriter::pass() {
    report_.refused.clear();
    bool changed = false;
    for (NodeId at = draft_.first(); at;) {
        resume_ = draft_.next(at);
        if (TRY(visit(at))) {
            changed = true;
            if (steps_ > most_steps_) return endless();
        }
        at = resume_;
    }
    return changed;
}

Result<Rewritten> Rewriter::run() {
    for (int passes = 0; TRY(pass()) && passes < most_passes; ++passes) explains_ = true;
    if (!explains_) {
        explains_ = true;
        (void)TRY(pass());
    }
    return Rewritten{TRY(std::move(draft_).finish()), std::move(report_)};
}

}  // namespace

bool PatternReport::keeps_bits() const {
    return std::ranges::all_of(used, [](const PatternUse& use) { return use.bits == Bits::kept; });
}

Result<Rewritten> rewrite(const Graph& graph, std::span<const ConversionPattern> patterns) {
    std::vector<Conversion> conversions;
    for (const ConversionPattern& pattern : patterns) conversions.push_back(TRY(read(pattern)));
    return Rewriter(graph, std::move(conversions)).run();
}

}  // namespace muster::graph
