// Lowers functions, inlined; module-scope variables; the entry point's inputs.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/wgsl/lower/lowering.hpp>
#include <muster/foundation/wgsl/lower/lowering_guard.hpp>
#include <muster/foundation/wgsl/parse/limits.hpp>

namespace muster::wgsl {

Lowering::Lowering(const TypedModule& module, const TypedFunction& entry, const SourceFile& file,
                   Buffers atomics)
    : entry_(entry),
      ir_(std::string(entry.name), entry.workgroup_size, entry.subgroup_size),
      globals_(module.globals.size()),
      atomics_(std::move(atomics)) {
    ir_.file(file);
}

Result<Program> Lowering::run() {
    Frame frame;
    frame.function = &entry_;
    frame.locals.resize(entry_.locals);
    frame_ = &frame;
    ir_.at(entry_.where);
    bind_inputs();
    block(*entry_.body);
    return std::move(ir_).finish();
}

void Lowering::bind_inputs() {
    for (const EntryInput& each : entry_.inputs) {
        ir_.at(each.parameter->where);
        std::vector<NodeId> parts;
        for (std::string_view builtin : each.builtins) parts.push_back(input(builtin));
        const bool is_structure = each.parameter->type->kind == Kind::structure;
        frame_->locals[each.parameter->index] =
            is_structure ? ir_.compose(type(each.parameter->type), parts) : parts[0];
    }
}

// Returns a built-in input; WGSL section "Built-in Inputs and Outputs".
NodeId Lowering::input(std::string_view builtin) {
    for (std::size_t i = 0; i < builtin_count; ++i)
        if (const auto each = static_cast<Builtin>(i); name(each) == builtin) return ir_.builtin(each);
    // The two indices derived from other inputs: x + y * width + z * width * height, in invocations or in
    // workgroups.
    const bool of_invocations = builtin == "global_invocation_index";
    const NodeId groups = ir_.builtin(Builtin::num_workgroups);
    const NodeId id = ir_.builtin(of_invocations ? Builtin::global_invocation_id : Builtin::workgroup_id);
    NodeId width = ir_.extract(groups, 0), height = ir_.extract(groups, 1);
    if (of_invocations) {
        width = ir_.binary(Op::mul, width, ir_.constant(entry_.workgroup_size.x));
        height = ir_.binary(Op::mul, height, ir_.constant(entry_.workgroup_size.y));
    }
    const NodeId rows =
        ir_.binary(Op::add, ir_.extract(id, 1), ir_.binary(Op::mul, ir_.extract(id, 2), height));
    return ir_.binary(Op::add, ir_.extract(id, 0), ir_.binary(Op::mul, rows, width));
}

void Lowering::spend(SourceLocation where) {
    ++spent_;
    constexpr std::uint64_t statements = limits::statements_per_node * IrBuilder::max_nodes;
    if (spent_ < statements && ir_.placed_count() < IrBuilder::max_nodes) return;
    throw BudgetSpent{{{where,
                        fmt::format("The entry point {} has more than {} nodes with every function inlined.",
                                    entry_.name, IrBuilder::max_nodes),
                        "call fewer functions from functions; each call is a copy of the body."}}};
}

NodeId Lowering::call(const Expr& e) {
    std::vector<Place> arguments;
    arguments.reserve(e.operands.size());
    for (std::size_t n = 0; n < e.operands.size(); ++n) {
        arguments.push_back(operand(*e.operands[n]));
        // A buffer that is passed as a smaller one has the smaller size from there on; as one
        // sized at run time, its own.
        const TypeRef to = e.callee->parameters[n]->type;
        if (to->kind == Kind::pointer && to->element->kind == Kind::buffer && to->element->count != 0)
            arguments.back().view.type = to->element;
    }
    spend(e.where);
    return inlined(e, std::move(arguments));
}

NodeId Lowering::inlined(const Expr& e, std::vector<Place> arguments) {
    const TypedFunction& callee = *e.callee;
    Frame frame;
    frame.function = &callee;
    frame.locals = std::move(arguments);
    frame.locals.resize(callee.locals);
    frame.is_scope = !callee.returns_last;
    ir_.at(e.where);
    const bool has_result = callee.result->kind != Kind::nothing;
    if (frame.is_scope) {
        if (has_result) frame.result = temporary(fmt::format("{}_result", callee.name), type(callee.result));
        if (callee.returns_inside)
            frame.returned = temporary(fmt::format("{}_returned", callee.name), bool_type);
        ir_.begin_scope();
    }
    Frame* const caller = std::exchange(frame_, &frame);
    block(*callee.body);
    frame_ = caller;
    if (!frame.is_scope) return frame.result;
    ir_.end_scope();
    ir_.at(e.where);
    return has_result ? ir_.load(frame.result) : NodeId{};
}

NodeId Lowering::temporary(std::string_view name, TypeId type, NodeId initial) {
    Variable variable;
    variable.name = name;
    variable.type = type;
    variable.space = AddressSpace::function;
    variable.location = ir_.here();
    spend_memory(variable);
    const VariableId id = ir_.variable(std::move(variable));
    ir_.declare(id, initial);
    return ir_.ref(id);
}

// Counts variables' memory as validate() does, but while a fault can still name a variable. A function's
// variables count once per inlined call.
void Lowering::spend_memory(const Variable& variable) {
    const bool is_workgroup = variable.space == AddressSpace::workgroup;
    if (variable.is_binding()) return;
    std::uint64_t& bytes = is_workgroup ? workgroup_bytes_ : private_bytes_;
    const std::uint64_t limit = is_workgroup ? limits::workgroup_bytes : limits::private_bytes;
    const std::uint64_t size = ir_.types()[variable.type].size;
    bytes += is_workgroup ? round_up(size, 16) : size;
    if (bytes > limit)
        refuse(variable.location,
               fmt::format("With {}, the {} variables that {} uses take {} bytes; the limit is {}.",
                           variable.name, is_workgroup ? "workgroup" : "private and function", entry_.name,
                           bytes, limit),
               is_workgroup ? "use smaller variables, or storage."
                            : "use smaller variables, or storage; a function's are there once per call.");
}

NodeId Lowering::global(const Global& global) {
    NodeId& reference = globals_[global.index];
    if (reference) return reference;
    Variable variable;
    variable.name = global.name;
    variable.type = type(global.type);
    if (global.type->kind == Kind::buffer && atomics_.contains(&global))
        variable.type = ir_.types().array(ir_.types().atomic(Scalar::u32), ir_.types()[variable.type].count);
    variable.space = global.space;
    variable.access = global.access;
    variable.group = global.group;
    variable.binding = global.binding;
    variable.location = global.where;
    spend_memory(variable);
    if (global.initial != nullptr) variable.initial = value(*global.initial);
    if (variable.is_binding()) {
        for (const Global* other : bound_) {
            if (other->is_immediate && global.is_immediate)
                refuse(
                    global.where,
                    fmt::format("{} uses two immediates, {} and {}.", entry_.name, other->name, global.name),
                    "make them members of one structure.");
            if (other->group == global.group && other->binding == global.binding)
                refuse(global.where,
                       fmt::format("{} and {} are both at @group({}) @binding({}), and {} uses both.",
                                   other->name, global.name, global.group, global.binding, entry_.name),
                       "give each its own binding.");
        }
        bound_.push_back(&global);
    }
    reference = ir_.ref(ir_.variable(std::move(variable)));
    return reference;
}

}  // namespace muster::wgsl
