// Prints statements: blocks, declarations, stores, control flow.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/wgsl/print/print_state.hpp>

namespace muster::wgsl {

void Printer::line(std::string_view text) {
    constexpr std::size_t deepest = 12;  // limits the blanks of deeply nested text
    out_.append(std::min(indent_, deepest) * 4, ' ');
    out_ += text;
    out_ += '\n';
}

// A load from workgroup memory between two workgroup barriers is uniform. WGSL's analysis sees that of
// workgroupUniformLoad alone, so the three become one call.
void Printer::block(BlockId id) {
    bool is_behind_barrier = false, reads = false;
    const std::span<const NodeId> nodes = program_.block(id);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Op op = program_.node(nodes[i]).op;
        if (is_uniform_load(nodes.subspan(i))) {
            const std::array arguments{"&" + reference(program_.operand(nodes[i + 1], 0))};
            let(nodes[i + 1], call("workgroupUniformLoad", arguments));
            i += 2;
            is_behind_barrier = true;
            reads = false;
            continue;
        }
        if (op == Op::workgroup_barrier) {
            reads_between_barriers_ = reads_between_barriers_ || reads;
            is_behind_barrier = true;
            reads = false;
        } else if (reads_workgroup_memory(nodes[i])) {
            reads = is_behind_barrier;
        } else if (!info(op).pure) {
            is_behind_barrier = reads = false;
        }
        statement(nodes[i]);
    }
}

bool Printer::reads_workgroup_memory(NodeId id) const {
    const Op op = program_.node(id).op;
    return (op == Op::load || op == Op::atomic_load) &&
           program_.variable(program_.root_variable(program_.operand(id, 0))).space ==
               AddressSpace::workgroup;
}

// True if the nodes begin with a barrier, a load of which there can be a pointer, and a barrier.
bool Printer::is_uniform_load(std::span<const NodeId> nodes) const {
    const auto is_barrier = [&](NodeId id) { return program_.node(id).op == Op::workgroup_barrier; };
    if (nodes.size() < 3 || !is_barrier(nodes[0]) || !reads_workgroup_memory(nodes[1]) ||
        !is_barrier(nodes[2]))
        return false;
    const NodeId place = program_.operand(nodes[1], 0);
    const bool is_component =
        program_.node(place).op == Op::ref_index &&
        program_.types()[program_.type(program_.operand(place, 0))].kind == TypeKind::vector;
    return uses_[nodes[1].index] != 0 && !is_component;
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
    if (info(node.op).group == OpGroup::sync) return line(call(spelling_of(node.op), {}) + ";");
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
    let(id, text);
}

void Printer::let(NodeId id, const std::string& value) {
    const std::string_view name = program_.name(id);
    value_names_[id.index] = name.empty() ? names_.numbered_name("v") : names_.unique_name(name);
    line(fmt::format("let {} = {};", value_names_[id.index], value));
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
