#include <algorithm>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/compiler.hpp>
#include <muster/foundation/ir/op_kind.hpp>

namespace muster::interpreter {

void Compiler::jump(Label& to) { to.jumps.push_back(emit({.run = jump_handler()})); }

void Compiler::bind(Label& label) {
    const auto here = static_cast<std::uint32_t>(code_->instructions.size());
    for (const std::uint32_t from : label.jumps) code_->instructions[from].a = here - from;
    label.jumps.clear();
}

// True for a scalar comparison or negation that the branch after it evaluates itself.
bool Compiler::is_left_to_branch(NodeId id) const {
    const Op op = program_.node(id).op;
    const bool negates = op == Op::logical_not;
    const bool compares = kind(op) == OpKind::comparison;
    if ((!negates && !compares) || type(id).kind != TypeKind::scalar) return false;
    if (id != current_ || !next_ || live_.uses[id.index] != 1) return false;
    const Op next = program_.node(next_).op;
    return (next == Op::if_ || next == Op::break_if) && program_.operand(next_, 0) == id;
}

void Compiler::branch(NodeId condition, bool when, Label& to) {
    const bool is_computed = at(condition) != UINT32_MAX;
    const auto operands = program_.operands(condition);
    const Op op = program_.node(condition).op;
    Instruction i;
    if (is_computed) {
        i = {.run = branch_handler(when), .b = at(condition)};
    } else if (op == Op::logical_not) {
        i = {.run = branch_handler(!when), .b = at(operands[0])};
    } else {
        i = {.run = compare_branch_handler(op, type(operands[0]).scalar, when, variant_.flush_subnormals),
             .b = at(operands[0]),
             .c = at(operands[1])};
    }
    to.jumps.push_back(emit(i));
}

Label& Compiler::jump_target(Op op) {
    if (op == Op::return_) return done_;
    if (op == Op::break_) return *targets_.back().break_to;
    const auto loop =
        std::find_if(targets_.rbegin(), targets_.rend(), [](const Targets& t) { return t.continue_to; });
    return *loop->continue_to;
}

// The target of a block that only jumps; null for other blocks.
Label* Compiler::sole_jump(BlockId id) {
    const auto nodes = program_.block(id);
    if (nodes.size() != 1) return nullptr;
    const Op op = program_.node(nodes[0]).op;
    if (op != Op::break_ && op != Op::continue_ && op != Op::return_) return nullptr;
    return &jump_target(op);
}

Result<void> Compiler::control(NodeId id) {
    const Op op = program_.node(id).op;
    if (op == Op::if_) return if_(id);
    if (op == Op::loop) return loop(id);
    if (op == Op::switch_) return switch_(id);
    if (op == Op::scope) {
        Label end;
        TRY(nested(program_.blocks(id)[0], &end, nullptr));
        bind(end);
    } else if (op == Op::break_if) {
        branch(program_.operand(id, 0), true, *targets_.back().break_to);
    } else {
        jump(jump_target(op));
    }
    return {};
}

Result<void> Compiler::nested(BlockId id, Label* break_to, Label* continue_to) {
    targets_.push_back({break_to, continue_to});
    TRY(block(id));
    targets_.pop_back();
    return {};
}

Result<void> Compiler::if_(NodeId id) {
    const NodeId condition = program_.operand(id, 0);
    const auto blocks = program_.blocks(id);
    const bool has_else = blocks.size() > 1 && !program_.block(blocks[1]).empty();
    if (Label* leave = sole_jump(blocks[0])) {
        branch(condition, true, *leave);
        return has_else ? block(blocks[1]) : Result<void>{};
    }
    if (Label* leave = has_else ? sole_jump(blocks[1]) : nullptr) {
        branch(condition, false, *leave);
        return block(blocks[0]);
    }
    Label otherwise, end;
    branch(condition, false, otherwise);
    TRY(block(blocks[0]));
    if (has_else) jump(end);
    bind(otherwise);
    if (has_else) TRY(block(blocks[1]));
    bind(end);
    return {};
}

Result<void> Compiler::loop(NodeId id) {
    const auto blocks = program_.blocks(id);
    Label continuing, end;
    const auto start = static_cast<std::uint32_t>(code_->instructions.size());
    TRY(nested(blocks[0], &end, &continuing));
    bind(continuing);
    if (blocks.size() > 1) TRY(nested(blocks[1], &end, &continuing));
    current_ = id;
    const auto back = static_cast<std::uint32_t>(code_->instructions.size());
    emit({.run = loop_handler(), .a = start - back, .b = back - start + 1});
    bind(end);
    return {};
}

Result<void> Compiler::switch_(NodeId id) {
    const std::uint32_t selector = at(program_.operand(id, 0));
    const std::vector<SwitchCase> cases = program_.switch_cases(id);
    std::vector<Label> labels(cases.size());
    Label end;
    Label* otherwise = &end;
    for (std::size_t k = 0; k < cases.size(); ++k) {
        for (const std::uint32_t word : cases[k].selectors)
            labels[k].jumps.push_back(emit({.run = case_handler(), .b = selector, .c = word}));
        if (cases[k].is_default) otherwise = &labels[k];
    }
    jump(*otherwise);
    for (std::size_t k = 0; k < cases.size(); ++k) {
        bind(labels[k]);
        TRY(nested(cases[k].block, &end, nullptr));
        if (k + 1 < cases.size()) jump(end);
    }
    bind(end);
    return {};
}

}  // namespace muster::interpreter
