// Control flow. if, loop and switch become C's; a scope, which break leaves, becomes a loop that runs once.
//
// A loop's continuing block becomes the step of a `for` if it is a single assignment, otherwise it follows
// the body. C's continue would skip it there, so continue_ becomes a goto; body values that the continuing
// block uses are then declared before the loop, since the body has braces of its own.
#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include <muster/driver/c_text/lowering.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::c_text {

bool Lowering::enter(NodeId node) {
    writer_.at(node);
    return true;
}

void Lowering::operation(NodeId node) {
    const Op op = program_.node(node).op;
    if (op == Op::declare) return declare(node);
    if (op == Op::store) return store(node);
    if (info(op).group == OpGroup::atomic) return atomic(node);
    if (is_grid_barrier(program_, node)) return grid_barrier();
    if (is_grid_uniform_load(program_, node)) return grid_uniform_load(node);
    if (info(op).group == OpGroup::subgroup) return subgroup_operation(node);
    if (info(op).group == OpGroup::sync) {
        keep_all_that_read_memory();
        writer_.line(dialect_.barrier(op));
        return;
    }
    compute(node);
}

std::vector<Line> Lowering::nested(BlockId id) {
    return writer_.captured([&] { block(id); });
}

bool Lowering::is_lone_break(BlockId id) const {
    const auto nodes = program_.block(id);
    return nodes.size() == 1 && program_.node(nodes[0]).op == Op::break_;
}

bool Lowering::ends_in_jump(BlockId id) const {
    const auto nodes = program_.block(id);
    if (nodes.empty()) return false;
    const Op op = program_.node(nodes.back()).op;
    return op == Op::break_ || op == Op::continue_ || op == Op::return_;
}

void Lowering::if_(NodeId node, BlockId then, BlockId other) {
    if (is_lone_break(then) && program_.block(other).empty()) return leave_if(node, true);
    if (is_lone_break(other) && program_.block(then).empty()) return leave_if(node, false);
    const std::string condition = text(program_.operand(node, 0));
    used_by(node);
    keep_all_that_read_memory();
    writer_.line(fmt::format("if ({}) {{", condition));
    writer_.place(nested(then));
    writer_.at({});
    if (!program_.block(other).empty()) otherwise(other);
    writer_.line("}");
}

void Lowering::otherwise(BlockId id) {
    std::vector<Line> lines = nested(id);
    const auto outermost = [&](const Line& line) { return line.indent == lines[0].indent; };
    const bool is_if = !lines.empty() && lines[0].text.starts_with("if (") && lines.back().text == "}" &&
                       std::all_of(lines.begin() + 1, lines.end(), [&](const Line& line) {
                           return !outermost(line) || line.text.starts_with('}');
                       });
    if (!is_if) {
        writer_.line("} else {");
        return writer_.place(std::move(lines));
    }
    for (Line& line : lines) --line.indent;
    lines[0].text = "} else " + lines[0].text;
    lines.pop_back();
    writer_.place(std::move(lines));
}

// Writes `if (condition) break;`, and records the opposite condition: place_loop()
// may make it the loop's own.
void Lowering::leave_if(NodeId node, bool leaves_if) {
    const Expression condition = value(program_.operand(node, 0));
    used_by(node);
    keep_all_that_read_memory();
    const bool is_not = condition.text.starts_with('!') && condition.precedence == Precedence::prefix;
    const std::string opposite =
        is_not ? condition.text.substr(1) : "!" + parenthesised(condition, Precedence::postfix);
    const auto bare = [](const std::string& text) {
        return text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2) : text;
    };
    Line& line = writer_.line(fmt::format("if ({}) break;", leaves_if ? condition.text : bare(opposite)));
    line.stays_while = leaves_if ? bare(opposite) : condition.text;
}

void Lowering::break_if(NodeId node, std::monostate&) { leave_if(node, true); }

void Lowering::loop(NodeId node, BlockId body, BlockId continuing) {
    const Uses::Shared shared = uses_.kept_for_continuing(node);
    const bool continues =
        any_within(program_, node, [&](NodeId inner) { return program_.node(inner).op == Op::continue_; });
    keep_all_that_read_memory();
    if (continues && !shared.empty()) declare_ahead(shared);
    std::vector<Line> lines, next;
    within(node, {}, [&] {
        lines = nested(body);
        next = nested(continuing);
    });
    place_loop(node, std::move(lines), std::move(next), !shared.empty());
}

void Lowering::declare_ahead(const Uses::Shared& shared) {
    for (const NodeId node : shared.values) {
        const std::string_view named = program_.name(node);
        ahead_[node.index] = names_.unique_name(named.empty() ? "t" : named);
        writer_.line(fmt::format("{} {};", types_.name(program_.type(node)), ahead_[node.index]));
    }
    for (const VariableId variable : shared.variables) {
        root(variable).is_declared = true;
        writer_.line(
            fmt::format("{} {};", types_.name(program_.variable(variable).type), root(variable).name));
    }
}

void Lowering::place_loop(NodeId node, std::vector<Line> body, std::vector<Line> next, bool uses_body) {
    const bool is_for = next.size() == 1 && next[0].is_assignment && !uses_body;
    std::string label;
    for (Line& line : body) {
        if (line.continues != node) continue;
        const bool is_plain = !line.leaves_scope && (is_for || next.empty());
        if (!is_plain && label.empty()) label = fmt::format("next_{}", ++labels_);
        line.text = is_plain ? "continue;" : fmt::format("goto {};", label);
    }
    std::string condition;
    if (!body.empty() && !body[0].stays_while.empty()) {
        condition = body[0].stays_while;
        writer_.at(body[0].node);
        body.erase(body.begin());
    }
    const std::string step = is_for ? next[0].text.substr(0, next[0].text.size() - 1) : "";
    writer_.line(is_for ? fmt::format("for (;{}{}; {}) {{", condition.empty() ? "" : " ", condition, step)
                        : fmt::format("while ({}) {{", condition.empty() ? "true" : condition));
    writer_.at({});
    writer_.indent();
    const std::string_view effect = dialect_.endless();
    if (!effect.empty() && !loops_.max_trip_count(node) && !has_effect(node))
        writer_.line(std::string(effect));
    if (!label.empty()) {
        for (Line& line : body) ++line.indent;
        writer_.line("{");
    }
    writer_.place(std::move(body));
    if (!label.empty()) {
        writer_.line("}");
        writer_.line(label + ":;");
    }
    if (!is_for) writer_.place(std::move(next));
    writer_.outdent();
    writer_.line("}");
}

// True if every iteration has a side effect of its own. C++, and C in part, let a compiler assume that any
// other loop ends, and so delete it or the code after it. In WGSL an endless kernel runs until it is stopped,
// so loops that aren't shown to end get a side effect.
bool Lowering::has_effect(NodeId loop) const {
    return std::ranges::any_of(program_.block(program_.blocks(loop)[0]), [&](NodeId node) {
        const OpGroup group = info(program_.node(node).op).group;
        const bool is_effect =
            group == OpGroup::sync || group == OpGroup::atomic || is_grid_barrier(program_, node);
        return is_effect && loops_.is_in_each_iteration(loop, node);
    });
}

void Lowering::switch_(NodeId node) {
    const NodeId selector = program_.operand(node, 0);
    const std::string on = text(selector);
    used_by(node);
    keep_all_that_read_memory();
    writer_.line(fmt::format("switch ({}) {{", on));
    writer_.at({});
    writer_.indent();
    within(node, {}, [&] {
        for (const SwitchCase& one : program_.switch_cases(node)) {
            std::string labels;
            for (const std::uint32_t word : one.selectors)
                labels += fmt::format("case {}: ",
                                      types_.scalar_literal(types_[program_.type(selector)].scalar, word));
            if (one.is_default) labels += "default: ";
            writer_.line(labels + "{");
            std::vector<Line> lines = nested(one.block);
            writer_.at({});
            writer_.place(std::move(lines));
            if (!ends_in_jump(one.block)) {
                writer_.indent();
                writer_.line("break;");
                writer_.outdent();
            }
            writer_.line("}");
        }
    });
    writer_.outdent();
    writer_.line("}");
}

void Lowering::scope(NodeId node, BlockId body) {
    keep_all_that_read_memory();
    writer_.line("do {");
    std::vector<Line> lines;
    within(node, {}, [&] { lines = nested(body); });
    writer_.at({});
    writer_.place(std::move(lines));
    writer_.line("} while (false);");
}

void Lowering::return_(NodeId) {
    dialect_.leave(*this);
    writer_.line("return;");
}

void Lowering::break_(NodeId, std::monostate&) { writer_.line("break;"); }

void Lowering::continue_(NodeId, std::monostate&) {
    Line& line = writer_.line("");
    for (const Construct& around : constructs() | std::views::reverse) {
        const Op op = program_.node(around.node).op;
        if (op == Op::scope) line.leaves_scope = true;
        if (op != Op::loop) continue;
        line.continues = around.node;
        return;
    }
}

}  // namespace muster::c_text
