// Values: decides which are written inline and which become locals, and evaluates each.
#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/c_text/lowering.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster::c_text {
namespace {

// Longest expression written inline, so that lines stay readable.
constexpr std::size_t most_characters = 80;

}  // namespace

Expression Lowering::value(NodeId node) {
    const Node& what = program_.node(node);
    if (what.op == Op::builtin) return {builtins_[what.payload]};
    if (what.op == Op::constant) return constant(node);
    const auto& known = values_[node.index];
    return known ? *known : literal_expression(types_.zero(what.type));
}

// Constant arrays and structures that aren't zero are declared before the kernel.
Expression Lowering::constant(NodeId node) {
    const TypeId type = program_.type(node);
    const auto words = program_.constant_words(node);
    if (!types_.is_aggregate(type) || words.empty()) return literal_expression(types_.literal(type, words));
    std::optional<Expression>& known = values_[node.index];
    if (!known) {
        known = Expression{names_.unique_name("table")};
        const std::string text = types_.initialiser(type, words);
        prelude_.add(known->text, fmt::format("{} {} {} = {};\n", dialect_.table_qualifier(types_[type].size),
                                              types_.name(type), known->text, text));
    }
    return *known;
}

std::string Lowering::short_text(NodeId node) {
    const Expression made = value(node);
    if (is_short(made)) return made.text;
    if (info(program_.node(node).op).group == OpGroup::free) return parenthesised(made, Precedence::postfix);
    keep(node, made);
    return values_[node.index]->text;
}

void Lowering::compute(NodeId node) {
    const Expression made = evaluate(node);
    std::vector<VariableId> reads;
    if (program_.node(node).op == Op::load) {
        const VariableId variable = program_.root_variable(program_.operand(node, 0));
        if (program_.variable(variable).is_written) reads.push_back(variable);
    }
    uses_.for_each_used(node, [&](NodeId used) {
        reads.insert(reads.end(), reads_[used.index].begin(), reads_[used.index].end());
        std::erase(waiting_, used);
    });
    const bool waits = program_.name(node).empty() && ahead_[node.index].empty() && uses_.once_here(node) &&
                       made.text.size() <= most_characters;
    if (!waits) return keep(node, made);
    values_[node.index] = made;
    if (reads.empty()) return;
    reads_[node.index] = std::move(reads);
    waiting_.push_back(node);
}

void Lowering::keep(NodeId node, const Expression& made) {
    std::erase(waiting_, node);
    reads_[node.index].clear();
    const std::string_view named = program_.name(node);
    const NodeId before = writer_.at();
    writer_.at(node);
    if (!ahead_[node.index].empty()) {
        writer_.line(fmt::format("{} = {};", ahead_[node.index], made.text));
        values_[node.index] = Expression{ahead_[node.index]};
    } else {
        const bool is_old = info(program_.node(node).op).group == OpGroup::atomic;
        const std::string name = names_.unique_name(!named.empty() ? named : is_old ? "old" : "t");
        writer_.line(fmt::format("const {} {} = {};", types_.name(program_.type(node)), name, made.text));
        values_[node.index] = Expression{name};
    }
    writer_.at(before);
}

template <class Reads>
void Lowering::keep_if_reads(Reads reads) {
    const std::vector<NodeId> waiting = waiting_;
    for (const NodeId node : waiting)
        if (std::ranges::any_of(reads_[node.index], reads)) keep(node, *values_[node.index]);
}

void Lowering::used_by(NodeId statement) {
    uses_.for_each_used(statement, [&](NodeId used) { std::erase(waiting_, used); });
}
void Lowering::keep_all_that_read(VariableId written) {
    keep_if_reads([&](VariableId read) { return read == written; });
}
void Lowering::keep_all_that_read_memory() {
    keep_if_reads([](VariableId) { return true; });
}

Expression Lowering::evaluate(NodeId node) {
    const Op op = program_.node(node).op;
    if (op == Op::load) return load(node);
    if (op == Op::array_length) return {root(program_.root_variable(program_.operand(node, 0))).length};
    if (op == Op::extract) return extract(node);
    if (op == Op::extract_dynamic) return extract_dynamic(node);
    if (op == Op::swizzle) return swizzle(node);
    if (op == Op::select) return select(node);
    if (op == Op::compose) return composite(node);
    if (op == Op::splat) return operations_.splat(program_.type(node), value(program_.operand(node, 0)));
    if (op == Op::all || op == Op::any) {
        const NodeId of = program_.operand(node, 0);
        return operations_.all_or_any(op, program_.type(of), value(of));
    }
    return componentwise(node);
}

Expression Lowering::composite(NodeId node) {
    std::vector<std::string> parts;
    for (const NodeId operand : program_.operands(node)) parts.push_back(text(operand));
    return {types_.composed(program_.type(node), parts)};
}

Expression Lowering::componentwise(NodeId node) {
    const auto operands = program_.operands(node);
    std::vector<Expression> given;
    for (const NodeId operand : operands) given.push_back(value(operand));
    Operation operation{program_.node(node).op, program_.type(operands[0]), program_.type(node)};
    const bool is_scalar = types_[operation.result].kind == TypeKind::scalar;
    if (operands.size() == 2 && is_scalar) operation.constant = constant_word(program_, operands[1]);
    return operations_.componentwise(operation, given);
}

Expression Lowering::extract(NodeId node) {
    const NodeId from = program_.operand(node, 0);
    const Type& type = types_[program_.type(from)];
    const std::uint32_t which = program_.node(node).payload;
    const std::string whole = parenthesised(value(from), Precedence::postfix);
    if (type.kind == TypeKind::vector) return {fmt::format("{}.{}", whole, components[which])};
    if (type.kind == TypeKind::structure)
        return {fmt::format("{}.{}", whole, types_.member(program_.type(from), which))};
    return {types_.element(type, whole, fmt::format("{}u", which))};
}

std::string Lowering::as_unsigned(NodeId index, const std::string& index_text) const {
    return program_.type(index) == i32_type ? syntax_.cast("unsigned", {index_text}).text : index_text;
}

// An index out of bounds gives zero.
Expression Lowering::extract_dynamic(NodeId node) {
    const NodeId from = program_.operand(node, 0), index = program_.operand(node, 1);
    const TypeId type = program_.type(from);
    if (types_[type].kind == TypeKind::vector) return operations_.pick(type, value(from), value(index));
    const std::string whole = parenthesised(value(from), Precedence::postfix);
    if (request_.options.unchecked || ranges_.in_bounds(node).known == RangeKnown::always)
        return {types_.element(types_[type], whole, text(index))};
    const std::string at = short_text(index);
    return {fmt::format("{} < {}u ? {} : {}", as_unsigned(index, at), types_[type].count,
                        types_.element(types_[type], whole, at), types_.zero(program_.type(node))),
            Precedence::choice};
}

Expression Lowering::swizzle(NodeId node) {
    const Node& what = program_.node(node);
    const std::string whole = short_text(program_.operand(node, 0));
    const std::uint32_t width = types_[what.type].width;
    std::vector<std::string> parts;
    for (std::uint32_t k = 0; k < width; ++k)
        parts.push_back(fmt::format("{}.{}", whole, components[(what.payload >> (2 * k)) & 3u]));
    return {width == 1 ? parts[0] : types_.composed(what.type, parts)};
}

Expression Lowering::select(NodeId node) {
    const auto operands = program_.operands(node);
    const Expression if_false = value(operands[0]), if_true = value(operands[1]),
                     condition = value(operands[2]);
    if (types_[program_.type(operands[2])].kind == TypeKind::vector)
        return operations_.select_each(program_.type(node), std::array{if_false, if_true, condition});
    return Operations::select(if_false, if_true, condition);
}

}  // namespace muster::c_text
