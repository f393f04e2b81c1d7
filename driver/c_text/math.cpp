// Exact mode's mathematics: each operation becomes a prelude function, made from
// foundation/expand/math_function.hpp.
#include <vector>

#include <fmt/format.h>

#include <muster/driver/c_text/operations.hpp>
#include <muster/foundation/expand/math_function.hpp>

namespace muster::c_text {
namespace {

/// Writes the body of one function, with a local for each operation.
class Body {
  public:
    Body(Operations& operations, const Program& function)
        : operations_(operations), function_(function), values_(function.node_count()) {}

    std::string text() {
        for (const NodeId node : function_.block(function_.body())) {
            const Op op = function_.node(node).op;
            if (op == Op::store) {
                text_ += fmt::format("    return {};\n", value(function_.operand(node, 1)).text);
            } else if (op == Op::load) {
                const VariableId from = function_.root_variable(function_.operand(node, 0));
                values_[node.index] = function_.variable(from).name;
            } else {
                compute(node);
            }
        }
        return std::move(text_);
    }

  private:
    void compute(NodeId node) {
        std::vector<Expression> given;
        for (const NodeId operand : function_.operands(node)) given.push_back(value(operand));
        const Op op = function_.node(node).op;
        const Expression made =
            op == Op::select ? operations_.select(given[0], given[1], given[2])
                             : operations_.componentwise({op, function_.type(function_.operand(node, 0)),
                                                          function_.type(node), shift_count(node)},
                                                         given);
        std::string& name = values_[node.index];
        name = fmt::format("t{}", ++locals_);
        text_ += fmt::format("    const {} {} = {};\n", scalar_name(scalar(node)), name, made.text);
    }

    std::optional<std::uint32_t> shift_count(NodeId node) const {
        const auto operands = function_.operands(node);
        if (operands.size() != 2 || function_.node(operands[1]).op != Op::constant) return std::nullopt;
        return word(operands[1]);
    }
    std::uint32_t word(NodeId constant) const {
        const auto words = function_.constant_words(constant);
        return words.empty() ? 0 : words[0];
    }
    Scalar scalar(NodeId node) const { return function_.types()[function_.type(node)].scalar; }
    Expression value(NodeId node) const {
        if (function_.node(node).op != Op::constant) return {values_[node.index]};
        return literal_expression(operations_.types().scalar_literal(scalar(node), word(node)));
    }

    Operations& operations_;
    const Program& function_;
    std::vector<std::string> values_;  // by node
    std::string text_;
    std::uint32_t locals_ = 0;
};

}  // namespace

std::string Operations::define_math(Op op) {
    std::string name = function_of(op);
    if (prelude_.has(name)) return name;
    const std::string body = Body(*this, math_function(op, 1, OpSet::all_exact())).text();
    const bool is_called = math_uses_[static_cast<std::size_t>(op)] >= uses_of_a_called_function;
    const std::string head =
        is_called ? std::string(dialect_.called_function_mark()) : syntax_.function_head();
    prelude_.add(name, fmt::format("{} float {}({}) {{\n{}}}\n", head, name,
                                   info(op).operands == 2 ? "float a, float b" : "float a", body));
    return name;
}

Expression Operations::select(const Expression& if_false, const Expression& if_true,
                              const Expression& condition) {
    return {
        fmt::format("{} ? {} : {}", parenthesised(condition, Precedence::either),
                    parenthesised(if_true, Precedence::either), parenthesised(if_false, Precedence::either)),
        Precedence::choice};
}

MathUses count_math_uses(const Program& program) {
    MathUses uses{};
    for (NodeId id{0}; id.index < program.node_count(); ++id.index) {
        const Node& node = program.node(id);
        if (info(node.op).group == OpGroup::math)
            uses[static_cast<std::size_t>(node.op)] += program.types()[node.type].width;
    }
    return uses;
}

}  // namespace muster::c_text
