#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/pack/pattern_text.hpp>
#include <muster/graph/text/literals.hpp>
#include <muster/graph/text/token_reader.hpp>

namespace muster::graph {
namespace {

constexpr std::size_t most_terms = 256, deepest = 64;

/// Reads formulas; in a replacement, `match` has the names that it may use.
class FormulaParser : TokenReader {
  public:
    FormulaParser(std::string_view text, std::string_view file, const PatternTree* match)
        : TokenReader(text, file), match_(match) {}

    Result<PatternTree> formulas();
    Result<std::vector<Condition>> conditions();

  private:
    using Index = std::uint32_t;

    bool is_negative_number() const { return next().kind == TokenKind::number && next().text[0] == '-'; }
    Result<Index> add(Term term);
    Result<Index> statement();
    Result<Index> sum();
    Result<Index> product();
    Result<Index> factor();
    Result<Index> in_parentheses();
    Result<Index> call(const Token& name);
    Result<Index> along();
    Result<Index> name(const Token& word);
    Result<Index> attribute_of_node(const Token& word);
    Result<Index> named(Index term, const Token& called);
    Result<Index> binary(Operator op, Index a, Index b);
    Result<void> attributes(Term& term);
    Result<AttributeTerm> attribute(Operator op, const Token& called);
    Result<Attribute> literal(AttributeKind kind);
    Result<float> number();
    Result<std::int64_t> integer();
    Result<std::vector<std::int64_t>> integers();
    Result<Reference> reference(const Token& word);
    const Term* matched(std::string_view called) const;

    const PatternTree* match_;  // null: this is a match
    PatternTree tree_;
    std::size_t depth_ = 0;
};

Result<FormulaParser::Index> FormulaParser::add(Term term) {
    if (tree_.terms.size() == most_terms)
        return fault(next().where, fmt::format("A pattern has more than {} terms.", most_terms));
    tree_.terms.push_back(std::move(term));
    return static_cast<Index>(tree_.terms.size() - 1);
}

/// The term of the match that a replacement calls so, or null.
const Term* FormulaParser::matched(std::string_view called) const {
    if (!match_) return nullptr;
    const Index found = match_->find(called);
    return found == UINT32_MAX ? nullptr : &match_->terms[found];
}

Result<float> FormulaParser::number() {
    if (next().kind != TokenKind::number) return unexpected("a number");
    const Token token = take();
    if (const auto value = read_number(token.text)) return *value;
    return fault(token.where, fmt::format("{} isn't a number of 32 bits.", shown(token)));
}

Result<std::int64_t> FormulaParser::integer() {
    if (next().kind != TokenKind::number) return unexpected("an integer");
    const Token token = take();
    if (const auto value = read_integer(token.text)) return *value;
    return fault(token.where, fmt::format("{} isn't an integer of 64 bits.", shown(token)));
}

Result<std::vector<std::int64_t>> FormulaParser::integers() {
    std::vector<std::int64_t> result;
    TRY(expect('['));
    TRY(list(']', [&]() -> Result<void> {
        result.push_back(TRY(integer()));
        return {};
    }));
    return result;
}

Result<Attribute> FormulaParser::literal(AttributeKind kind) {
    switch (kind) {
        case AttributeKind::integer: return Attribute(TRY(integer()));
        case AttributeKind::number: return Attribute(TRY(number()));
        case AttributeKind::integers: return Attribute(TRY(integers()));
        case AttributeKind::text:
            if (next().kind != TokenKind::string) return unexpected("a string");
            return Attribute(std::string(take().text));
        case AttributeKind::numbers:
        case AttributeKind::texts:
        case AttributeKind::tensor: break;
    }
    return fault(next().where, fmt::format("Patterns have no literals of kind {}.", graph::name(kind)));
}

/// `bn.epsilon`, or a capture.
Result<Reference> FormulaParser::reference(const Token& word) {
    const std::size_t dot = word.text.find('.');
    Reference result{std::string(word.text.substr(0, dot)),
                     dot == word.text.npos ? "" : std::string(word.text.substr(dot + 1))};
    const Term* term = matched(result.name);
    if (!term) return fault(word.where, fmt::format("The match has no \"{}\".", printable(result.name)));
    if (result.attribute.empty()) return result;
    if (term->kind == Term::Kind::operation && info(term->op).attribute(result.attribute)) return result;
    return fault(word.where, fmt::format("\"{}\" has no attribute {}.", printable(result.name),
                                         printable(result.attribute)));
}

Result<AttributeTerm> FormulaParser::attribute(Operator op, const Token& called) {
    const AttributeInfo* row = info(op).attribute(called.text);
    if (!row)
        return fault(called.where,
                     fmt::format("{} has no attribute {}.", info(op).name, printable(called.text)));
    AttributeTerm term{.name = std::string(called.text)};
    if (match_ && next().kind == TokenKind::word) {
        term.from = TRY(reference(take()));
        return term;
    }
    do term.values.push_back(TRY(literal(row->kind)));
    while (!match_ && accept('|'));
    return term;
}

Result<void> FormulaParser::attributes(Term& term) {
    if (!accept('{')) return {};
    return list('}', [&]() -> Result<void> {
        if (next().kind != TokenKind::word) return unexpected("an attribute");
        const Token called = take();
        if (accept('=')) {
            term.attributes.push_back(TRY(attribute(term.op, called)));
            return {};
        }
        const Term* node = matched(called.text);
        if (!node || node->kind != Term::Kind::operation)
            return fault(called.where,
                         fmt::format("No node of the match is called \"{}\".", printable(called.text)));
        term.attributes.push_back({.name = {}, .from = {std::string(called.text), {}}});
        return {};
    });
}

Result<FormulaParser::Index> FormulaParser::named(Index term, const Token& called) {
    if (called.text.find('.') != called.text.npos)
        return fault(called.where, fmt::format("The name {} has a dot.", shown(called)));
    if (tree_.find(called.text) != UINT32_MAX || matched(called.text))
        return fault(called.where,
                     fmt::format("\"{}\" is the name of something else.", printable(called.text)));
    Term& it = tree_.terms[term];
    if (it.kind == Term::Kind::capture || (!match_ && it.kind != Term::Kind::operation) || !it.name.empty())
        return fault(called.where, fmt::format("\"{}\" names no new operation.", printable(called.text)));
    it.name = called.text;
    return term;
}

Result<FormulaParser::Index> FormulaParser::binary(Operator op, Index a, Index b) {
    return add({.kind = Term::Kind::operation, .op = op, .inputs = {a, b}});
}

Result<FormulaParser::Index> FormulaParser::call(const Token& called) {
    const auto op = operator_by_name(called.text);
    if (!op)
        return fault(called.where, fmt::format("{} isn't an operator that graphs here have.", shown(called)));
    Term term{.kind = Term::Kind::operation, .op = *op};
    TRY(list(')', [&]() -> Result<void> {
        const bool absent = is_word("_");
        if (absent) take();
        term.inputs.push_back(absent ? TRY(add({.kind = Term::Kind::absent})) : TRY(sum()));
        return {};
    }));
    const OperatorInfo& schema = info(*op);
    if (term.inputs.size() < schema.fewest_inputs() || term.inputs.size() > schema.most_inputs())
        return fault(called.where,
                     fmt::format("{} doesn't take {} inputs.", schema.name, term.inputs.size()));
    TRY(attributes(term));
    return add(std::move(term));
}

/// along(axis, vector, like), behind its parenthesis.
Result<FormulaParser::Index> FormulaParser::along() {
    Term term{.kind = Term::Kind::along, .integers = {TRY(integer())}};
    TRY(expect(','));
    term.inputs.push_back(TRY(sum()));
    TRY(expect(','));
    term.inputs.push_back(TRY(sum()));
    TRY(expect(')'));
    return add(std::move(term));
}

Result<FormulaParser::Index> FormulaParser::attribute_of_node(const Token& word) {
    if (!match_) return fault(word.where, fmt::format("The name {} has a dot.", shown(word)));
    return add({.kind = Term::Kind::reference, .reference = TRY(reference(word))});
}

Result<FormulaParser::Index> FormulaParser::name(const Token& word) {
    if (word.text.find('.') != word.text.npos) return attribute_of_node(word);
    const bool optional = !match_ && accept('?');
    if (const Index known = tree_.find(word.text); known != UINT32_MAX) return known;
    if (match_ && !matched(word.text))
        return fault(word.where, fmt::format("The match has no \"{}\".", printable(word.text)));
    return add({.kind = Term::Kind::capture, .name = std::string(word.text), .optional = optional});
}

/// Behind the parenthesis.
Result<FormulaParser::Index> FormulaParser::in_parentheses() {
    Index term = TRY(sum());
    if (match_ && accept('|')) term = TRY(add({.kind = Term::Kind::either, .inputs = {term, TRY(sum())}}));
    TRY(expect(')'));
    return term;
}

Result<FormulaParser::Index> FormulaParser::factor() {
    if (++depth_ > deepest)
        return fault(next().where, fmt::format("A pattern is more than {} deep.", deepest));
    Index term = 0;
    if (next().kind == TokenKind::number) {
        term = TRY(add({.kind = Term::Kind::number, .number = TRY(number())}));
    } else if (match_ && is('[')) {
        term = TRY(add({.kind = Term::Kind::integers, .integers = TRY(integers())}));
    } else if (accept('(')) {
        term = TRY(in_parentheses());
    } else if (next().kind != TokenKind::word) {
        return unexpected("a value");
    } else {
        const Token word = take();
        if (!accept('('))
            term = TRY(name(word));
        else
            term = match_ && word.text == "along" ? TRY(along()) : TRY(call(word));
    }
    if (is_word("as")) {
        take();
        if (next().kind != TokenKind::word) return unexpected("a name");
        term = TRY(named(term, take()));
    }
    --depth_;
    return term;
}

Result<FormulaParser::Index> FormulaParser::product() {
    Index term = TRY(factor());
    while (is('*') || is('/')) {
        const Operator op = take().text == "*" ? Operator::mul : Operator::div;
        term = TRY(binary(op, term, TRY(factor())));
    }
    return term;
}

Result<FormulaParser::Index> FormulaParser::sum() {
    Index term = TRY(product());
    for (;;) {
        if (is_negative_number()) {  // x -1
            const Index one = TRY(add({.kind = Term::Kind::number, .number = -TRY(number())}));
            term = TRY(binary(Operator::sub, term, one));
        } else if (is('+') || is('-')) {
            const Operator op = take().text == "+" ? Operator::add : Operator::sub;
            term = TRY(binary(op, term, TRY(product())));
        } else {
            return term;
        }
    }
}

Result<FormulaParser::Index> FormulaParser::statement() {
    if (const auto called = accept_word_before('=')) return named(TRY(sum()), *called);
    return sum();
}

Result<PatternTree> FormulaParser::formulas() {
    do tree_.root = TRY(statement());
    while (accept(';'));
    if (next().kind != TokenKind::end) return unexpected("the end, or `;`");
    if (!match_ && tree_.terms[tree_.root].kind != Term::Kind::operation)
        return fault({0, 1, 1}, "A match must be an operation.");
    return std::move(tree_);
}

Result<std::vector<Condition>> FormulaParser::conditions() {
    std::vector<Condition> result;
    while (next().kind != TokenKind::end) {
        if (next().kind != TokenKind::word) return unexpected("a condition");
        Condition condition{.name = std::string(take().text)};
        TRY(expect('('));
        TRY(list(')', [&]() -> Result<void> {
            if (next().kind == TokenKind::number) {
                condition.numbers.push_back(TRY(integer()));
                return {};
            }
            if (next().kind != TokenKind::word) return unexpected("a name or an integer");
            const Token word = take();
            if (!matched(word.text) && !element_type_by_name(word.text))
                return fault(word.where, fmt::format("The match has no \"{}\".", printable(word.text)));
            condition.names.emplace_back(word.text);
            return {};
        }));
        result.push_back(std::move(condition));
        if (next().kind != TokenKind::end) TRY(expect(','));
    }
    return result;
}

}  // namespace

std::uint32_t PatternTree::find(std::string_view name) const {
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
        if (!name.empty() && terms[i].name == name) return i;
    }
    return UINT32_MAX;
}

Result<PatternTree> parse_match(std::string_view text, std::string_view file) {
    return FormulaParser(text, file, nullptr).formulas();
}

Result<PatternTree> parse_give(std::string_view text, const PatternTree& match, std::string_view file) {
    return FormulaParser(text, file, &match).formulas();
}

Result<std::vector<Condition>> parse_where(std::string_view text, const PatternTree& match,
                                           std::string_view file) {
    return FormulaParser(text, file, &match).conditions();
}

}  // namespace muster::graph
