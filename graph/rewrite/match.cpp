#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/rewrite/match.hpp>

namespace muster::graph {
namespace {

using Kind = Term::Kind;

bool commutes(Operator op) {
    using enum Operator;
    return op == add || op == mul || op == logical_and || op == logical_or || op == equal || op == min ||
           op == max;
}

/// True if the tensor is one element, the number rounded to its type.
bool is_number(const Tensor* tensor, float number) {
    if (!tensor || tensor->count() != 1) return false;
    if (tensor->element() == ElementType::f16) number = static_cast<float>(f16(number));
    if (is_float(tensor->element())) return floats(*tensor)[0] == number;
    return static_cast<float>(integers(*tensor)[0]) == number;
}

/// The attribute as the node says it, or its default.
Attribute attribute_of(const Attributes& attributes, const AttributeInfo& row) {
    const auto copied = [](const auto& items) { return std::vector(items.begin(), items.end()); };
    switch (row.kind) {
        case AttributeKind::integer: return attributes.integer(row.name);
        case AttributeKind::number: return attributes.number(row.name);
        case AttributeKind::text: return std::string(attributes.text(row.name));
        case AttributeKind::integers: return copied(attributes.integers(row.name));
        case AttributeKind::numbers: return copied(attributes.numbers(row.name));
        case AttributeKind::texts: return copied(attributes.texts(row.name));
        case AttributeKind::tensor: break;
    }
    return Attribute{};
}

/// Terms bound to values so far, and pairs still to be compared, the root first, level by level.
struct Search {
    std::vector<ValueId> values;
    std::vector<bool> bound;
    std::vector<std::pair<std::uint32_t, ValueId>> goals;
    std::size_t done = 0;
};

class Matcher {
  public:
    Matcher(const Draft& draft, const Formula& formula)
        : draft_(draft), formula_(formula), tree_(formula.match) {}

    MatchResult at(NodeId node);

  private:
    bool solve(Search search);
    bool bind(Search& search, std::uint32_t term, ValueId value);
    bool bind_node(Search& search, std::uint32_t term, ValueId value);
    bool push_operands(Search& search, const Term& term, const Draft::Node& node, bool swapped);
    bool attributes_fit(const Term& term, NodeId node);
    bool complete(const Search& search);
    bool uses_fit(const Search& search, const std::vector<NodeId>& nodes);
    template <class Reason>
    bool refuse(const Search& search, Reason&& reason);

    const Draft& draft_;
    const Formula& formula_;
    const PatternTree& tree_;
    std::optional<Match> found_;
    std::string reason_;
    std::size_t furthest_ = 0;
};

/// Keeps the reason of the search that came furthest, once the root's operands fitted.
template <class Reason>
bool Matcher::refuse(const Search& search, Reason&& reason) {
    const std::size_t first_level = 1 + tree_.terms[tree_.root].inputs.size();
    if (search.done > first_level && search.done > furthest_) {
        furthest_ = search.done;
        reason_ = reason();
    }
    return false;
}

bool Matcher::attributes_fit(const Term& term, NodeId node) {
    const Attributes attributes = draft_.attributes(node);
    for (const AttributeTerm& wanted : term.attributes) {
        const Attribute value = attribute_of(attributes, *info(term.op).attribute(wanted.name));
        if (std::ranges::find(wanted.values, value) == wanted.values.end()) return false;
    }
    if (!term.name.empty()) return true;
    return std::ranges::all_of(attributes.said(), [&](const NamedAttribute& said) {
        return std::ranges::find(term.attributes, said.name, &AttributeTerm::name) != term.attributes.end();
    });
}

/// Pushes the operands of a node as goals. False if there is one that the term doesn't have, or the other way
/// round, or a number that has more dimensions than the rest, which the result then has, too.
bool Matcher::push_operands(Search& search, const Term& term, const Draft::Node& node, bool swapped) {
    if (node.inputs.size() > term.inputs.size()) return false;
    std::size_t rank_of_number = 0, rank_of_others = 0;
    for (std::size_t i = 0; i < term.inputs.size(); ++i) {
        const std::size_t at = swapped ? 1 - i : i;
        const ValueId value = at < node.inputs.size() ? node.inputs[at] : ValueId{};
        const bool number = tree_.terms[term.inputs[i]].kind == Kind::number;
        if (value) {
            std::size_t& rank = number ? rank_of_number : rank_of_others;
            rank = std::max(rank, draft_.shape(value).size());
        }
        search.goals.emplace_back(term.inputs[i], value);
    }
    return rank_of_number <= rank_of_others || term.inputs.size() == 1;
}

/// Binds an operation, and pushes its operands; where they commute, tries one order to the end
/// and goes on with the other.
bool Matcher::bind_node(Search& search, std::uint32_t index, ValueId value) {
    const Term& term = tree_.terms[index];
    const NodeId id = value ? draft_.value(value).producer : NodeId{};
    const auto made_otherwise = [&] {
        return fmt::format("\"{}\" isn't made by {}", value ? printable(draft_.value(value).name) : "",
                           info(term.op).name);
    };
    if (!id || draft_.node(id).op != term.op || draft_.node(id).outputs[0] != value)
        return refuse(search, made_otherwise);
    const Draft::Node& node = draft_.node(id);
    for (std::size_t i = 1; i < node.outputs.size(); ++i) {
        if (node.outputs[i] && draft_.is_used(node.outputs[i]))
            return refuse(search,
                          [&] { return fmt::format("output {} of {} is used", i, draft_.label(id)); });
    }
    if (!attributes_fit(term, id))
        return refuse(search,
                      [&] { return fmt::format("the attributes of {} are others", draft_.label(id)); });
    const bool swaps = commutes(term.op) && term.inputs.size() == 2 && node.inputs.size() == 2;
    if (swaps) {
        Search other = search;
        if (push_operands(other, term, node, false) && solve(std::move(other))) return true;
        if (found_) return true;
    }
    if (push_operands(search, term, node, swaps)) return true;
    return refuse(search, [&] { return fmt::format("{} has other inputs", draft_.label(id)); });
}

bool Matcher::bind(Search& search, std::uint32_t index, ValueId value) {
    const Term& term = tree_.terms[index];
    if (search.bound[index]) {
        if (search.values[index] == value) return true;
        return refuse(search, [&] { return fmt::format("{} would be two values", term.name); });
    }
    search.bound[index] = true;
    search.values[index] = value;
    if (term.kind == Kind::operation) return bind_node(search, index, value);
    if (term.kind == Kind::absent ? !value : value || term.optional) {
        if (term.kind != Kind::number || is_number(draft_.constant(value), term.number)) return true;
        return refuse(search, [&] {
            return fmt::format("\"{}\" isn't {}", printable(draft_.value(value).name), term.number);
        });
    }
    return refuse(search, [&] {
        return std::string("an optional input is given, or absent, where the pattern wants the other");
    });
}

/// Works off the goals. A copy for each choice.
bool Matcher::solve(Search search) {
    while (search.done < search.goals.size()) {
        const auto [term, value] = search.goals[search.done++];
        if (!bind(search, term, value)) return false;
        if (found_) return true;
    }
    return complete(search);
}

/// Values within the match must be used by the match alone.
bool Matcher::uses_fit(const Search& search, const std::vector<NodeId>& nodes) {
    for (std::uint32_t i = 0; i < tree_.terms.size(); ++i) {
        if (tree_.terms[i].kind != Kind::operation || i == tree_.root || formula_.shared[i]) continue;
        const ValueId value = search.values[i];
        std::size_t uses = 0;
        for (const NodeId node : nodes)
            uses += static_cast<std::size_t>(std::ranges::count(draft_.node(node).inputs, value));
        const Draft::Value& it = draft_.value(value);
        if (it.outputs > 0)
            return refuse(
                search, [&] { return fmt::format("\"{}\" is an output of the graph", printable(it.name)); });
        if (it.uses == uses) continue;
        return refuse(search, [&] {
            return fmt::format("users of \"{}\" are {}, and those of the pattern {}", printable(it.name),
                               it.uses, uses);
        });
    }
    return true;
}

bool Matcher::complete(const Search& search) {
    Match match{.values = search.values};
    for (std::uint32_t i = 0; i < tree_.terms.size(); ++i) {
        if (tree_.terms[i].kind != Kind::operation || i == tree_.root) continue;
        const NodeId node = draft_.value(search.values[i]).producer;
        if (std::ranges::find(match.nodes, node) == match.nodes.end()) match.nodes.push_back(node);
    }
    match.nodes.push_back(draft_.value(search.values[tree_.root]).producer);
    Search last = search;
    last.done = SIZE_MAX / 2;  // came further than any that didn't get here
    for (const Condition& condition : formula_.where) {
        if (auto why = refusal(condition, {draft_, tree_, search.values}))
            return refuse(last, [&] { return *std::move(why); });
    }
    if (!uses_fit(last, match.nodes)) return false;
    found_ = std::move(match);
    return true;
}

/// A root whose operands are captures alone says little: that a condition fails there is no news, unless it
/// is a product, of which there are few, and which matter.
bool is_telling(const PatternTree& tree) {
    if (info(tree.terms[tree.root].op).is_product) return true;
    return std::ranges::any_of(tree.terms[tree.root].inputs, [&](std::uint32_t input) {
        return tree.terms[input].kind == Kind::operation || tree.terms[input].kind == Kind::number;
    });
}

/// True if the right operators make the operands of the root: the test that most nodes fail.
bool operands_fit(const Draft& draft, NodeId id, const PatternTree& tree, bool swapped) {
    const std::vector<ValueId>& inputs = draft.node(id).inputs;
    const Term& root = tree.terms[tree.root];
    for (std::size_t i = 0; i < root.inputs.size(); ++i) {
        const Term& term = tree.terms[root.inputs[i]];
        const std::size_t at = swapped ? 1 - i : i;
        const ValueId value = at < inputs.size() ? inputs[at] : ValueId{};
        if (term.kind == Kind::number && !is_number(draft.constant(value), term.number)) return false;
        if (term.kind != Kind::operation) continue;
        const NodeId producer = value ? draft.value(value).producer : NodeId{};
        if (!producer || draft.node(producer).op != term.op) return false;
    }
    return true;
}

MatchResult Matcher::at(NodeId node) {
    const ValueId output = draft_.node(node).outputs[0];
    const Term& root = tree_.terms[tree_.root];
    const bool two = commutes(root.op) && root.inputs.size() == 2 && draft_.node(node).inputs.size() == 2;
    if (!output ||
        (!operands_fit(draft_, node, tree_, false) && !(two && operands_fit(draft_, node, tree_, true))))
        return {};
    Search search{.values = std::vector<ValueId>(tree_.terms.size()),
                  .bound = std::vector<bool>(tree_.terms.size()),
                  .goals = {{tree_.root, output}}};
    if (solve(std::move(search))) return {std::move(found_), {}};
    return {std::nullopt, is_telling(tree_) ? std::move(reason_) : std::string{}};
}

}  // namespace

Result<Formula> read_formula(std::string_view match, std::string_view where, std::string_view pattern) {
    const auto file = [&](std::string_view part) {
        return fmt::format("pattern \"{}\", {}", printable(pattern), part);
    };
    Formula formula{.match = TRY(parse_match(match, file("match")))};
    formula.where = TRY(parse_where(where, formula.match, file("where")));
    formula.shared.resize(formula.match.terms.size());
    for (const Condition& condition : formula.where) {
        TRY(check_condition(condition, formula.match, pattern));
        if (condition.name != "shared") continue;
        for (const std::string& name : condition.names) formula.shared[formula.match.find(name)] = true;
    }
    return formula;
}

MatchResult match_at(const Draft& draft, NodeId node, const Formula& formula) {
    return Matcher(draft, formula).at(node);
}

}  // namespace muster::graph
