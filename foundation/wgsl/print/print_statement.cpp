// Prints statements: blocks, declarations, stores, control flow.
#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/wgsl/print/print_ops.hpp>
#include <muster/foundation/wgsl/print/print_state.hpp>

namespace muster::wgsl {

void Printer::line(std::string_view text) {
    constexpr std::size_t deepest = 12;  // limits the blanks of deeply nested text
    out_.append(std::min(indent_, deepest) * 4, ' ');
    out_ += text;
    out_ += '\n';
}

void Printer::block(BlockId id) {
    for (const NodeId each : program_.block(id)) statement(each);
}

void Printer::statement(NodeId id) {
    const Node& node = program_.node(id);
    if (node.op == Op::declare) {
        const Variable& variable = program_.variable(VariableId{node.payload});
        const std::string initial = node.operand_count == 0 ? "" : " = " + value(program_.operand(id, 0));
        return line(
            fmt::format("var {}: {}{};", variable_names_[node.payload], types_.name(variable.type), initial));
    }
    if (node.op == Op::store) {
        const std::string stored = value(program_.operand(id, 1));
        return line(fmt::format("{} = {};", reference(program_.operand(id, 0)), stored));
    }
    if (info(node.op).group == OpGroup::control) return control(id);
    if (info(node.op).group == OpGroup::sync) return line(call(spelling(node.op).text, {}) + ";");
    value_statement(id);
}

// Prints `let x = ...;`, or only the expression's effect if its value is unused.
void Printer::value_statement(NodeId id) {
    std::string text = expression(id);
    if (uses_[id.index] == 0) {
        const std::string_view old_value = ".old_value";
        if (text.ends_with(old_value)) text.resize(text.size() - old_value.size());
        return line(is_grid_uniform_load(program_, id) ? "_ = " + text + ";" : text + ";");
    }
    const std::string_view name = program_.name(id);
    value_names_[id.index] = name.empty() ? names_.numbered_name("v") : names_.unique_name(name);
    line(fmt::format("let {} = {};", value_names_[id.index], text));
}

void Printer::control(NodeId id) {
    const Op op = program_.node(id).op;
    if (op == Op::if_) return if_statement(id);
    if (op == Op::loop) return loop_statement(id);
    if (op == Op::switch_) return switch_statement(id);
    if (op == Op::break_) return line("break;");
    if (op == Op::continue_) return line("continue;");
    if (op == Op::return_) return line("return;");
    if (op == Op::break_if) return line(fmt::format("break if {};", value(program_.operand(id, 0))));
    line("switch 0 {");  // scope
    ++indent_;
    line("default {");
    ++indent_;
    block(program_.blocks(id)[0]);
    --indent_;
    line("}");
    --indent_;
    line("}");
}

void Printer::if_statement(NodeId id) {
    line(fmt::format("if {} {{", value(program_.operand(id, 0))));
    for (;;) {
        ++indent_;
        block(program_.blocks(id)[0]);
        --indent_;
        const BlockId otherwise = program_.blocks(id)[1];
        const std::span<const NodeId> nodes = program_.block(otherwise);
        if (nodes.empty()) return line("}");
        const bool chained = nodes.size() == 1 && program_.node(nodes[0]).op == Op::if_;
        if (!chained) {
            line("} else {");
            ++indent_;
            block(otherwise);
            --indent_;
            return line("}");
        }
        id = nodes[0];
        line(fmt::format("}} else if {} {{", value(program_.operand(id, 0))));
    }
}

void Printer::loop_statement(NodeId id) {
    const std::span<const BlockId> blocks = program_.blocks(id);
    line("loop {");
    ++indent_;
    block(blocks[0]);
    if (!program_.block(blocks[1]).empty()) {
        line("continuing {");
        ++indent_;
        block(blocks[1]);
        --indent_;
        line("}");
    }
    --indent_;
    line("}");
}

void Printer::switch_statement(NodeId id) {
    const NodeId selector = program_.operand(id, 0);
    const Scalar scalar = program_.types()[program_.type(selector)].scalar;
    const std::vector<SwitchCase> cases = program_.switch_cases(id);
    // `switch` on a constant with only a default clause would read back as a scope.
    const bool looks_like_scope = cases.size() == 1 && is_constant(selector);
    line(fmt::format("switch {} {{", looks_like_scope ? at_run_time(value(selector)) : value(selector)));
    ++indent_;
    for (const SwitchCase& each : cases) {
        std::string labels;
        for (const std::uint32_t word : each.selectors)
            labels += (labels.empty() ? "" : ", ") + scalar_constant(scalar, word, word_);
        if (each.is_default && !labels.empty()) labels += ", default";
        line(labels.empty() ? "default: {" : fmt::format("case {}: {{", labels));
        ++indent_;
        block(each.block);
        --indent_;
        line("}");
    }
    --indent_;
    line("}");
}

}  // namespace muster::wgsl
