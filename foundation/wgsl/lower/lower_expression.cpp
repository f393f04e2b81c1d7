#include <array>

#include <fmt/format.h>

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/wgsl/lower/lowering.hpp>
#include <muster/foundation/wgsl/lower/lowering_guard.hpp>
#include <muster/foundation/wgsl/parse/limits.hpp>

namespace muster::wgsl {

TypeId Lowering::type(TypeRef type) {
    const auto [at, is_new] = ir_types_.try_emplace(type);
    if (is_new) at->second = ir_type(ir_.types(), type);
    return at->second;
}

NodeId Lowering::constant(const ConstValue& value) {
    const void* storage = value.storage();
    if (storage == nullptr) return ir_.constant(type(value.type()), ir_words(value));
    // A part may share its storage with the whole composite, but has another type.
    NodeId& known = large_constants_[storage];
    if (!known || ir_.type(known) != type(value.type()))
        known = ir_.constant(type(value.type()), ir_words(value));
    return known;
}

NodeId Lowering::value(const Expr& e) {
    if (e.form == ExpressionForm::constant) return constant(e.constant);
    if (e.form == ExpressionForm::local) return frame_->locals[e.local->index].node;
    const Guard guard(*this, e.where);
    if (e.type->kind == Kind::pointer) return reference(e);
    return make(e);
}

NodeId Lowering::make(const Expr& e) {
    std::array<NodeId, 2> a{};
    const auto operands = [&](std::size_t count) {
        for (std::size_t n = 0; n < count; ++n) a[n] = value(*e.operands[n]);
        ir_.at(e.where);
    };
    switch (e.form) {
        case ExpressionForm::load: {
            const Place from = place(*e.operands[0]);
            ir_.at(e.where);
            return load(from);
        }
        case ExpressionForm::extract: operands(1); return extract(a[0], e.index);
        case ExpressionForm::extract_dynamic: operands(2); return ir_.extract_dynamic(a[0], a[1]);
        case ExpressionForm::swizzle: operands(1); return ir_.swizzle(a[0], e.components);
        case ExpressionForm::unary: operands(1); return ir_.unary(e.op, a[0]);
        case ExpressionForm::binary: operands(2); return ir_.binary(e.op, a[0], a[1]);
        case ExpressionForm::logical_and:
        case ExpressionForm::logical_or: return logical(e);
        case ExpressionForm::convert:
            operands(1);
            return e.type->is_matrix() ? builtins::convert_matrix(ir_, e.type->ir_scalar(), a[0])
                                       : ir_.convert(e.type->ir_scalar(), a[0]);
        case ExpressionForm::bitcast: operands(1); return ir_.bitcast(e.type->ir_scalar(), a[0]);
        case ExpressionForm::splat: operands(1); return ir_.splat(a[0], e.type->count);
        case ExpressionForm::compose: return compose(e);
        case ExpressionForm::builtin_call: {
            std::vector<NodeId> arguments;
            for (const Expr* each : e.operands) arguments.push_back(value(*each));
            ir_.at(e.where);
            ir_.set_subgroup_flow(e.may_diverge ? may_diverge : 0);
            return emit(ir_, *e.call, arguments);
        }
        case ExpressionForm::user_call: return call(e);
        case ExpressionForm::array_length: {
            const Place of = place(*e.operands[0]);
            ir_.at(e.where);
            return of.is_view() ? of.view.elements : ir_.array_length(of.node);
        }
        case ExpressionForm::buffer_length: {
            const Place of = place(*e.operands[0]);
            ir_.at(e.where);
            return buffer_bytes(of.view);
        }
        case ExpressionForm::atomic: return atomic(e);
        case ExpressionForm::barrier: ir_.at(e.where); return ir_.barrier(e.op);
        case ExpressionForm::grid_barrier: ir_.at(e.where); return ir_.grid_barrier();
        case ExpressionForm::grid_uniform_load: {
            const Place of = place(*e.operands[0]);
            ir_.at(e.where);
            if (!of.is_view()) return ir_.grid_uniform_load(of.node);
            return ir_.bitcast(e.type->ir_scalar(), ir_.grid_uniform_load(word_of_view(of.view)));
        }
        case ExpressionForm::workgroup_uniform_load: {
            const Place of = place(*e.operands[0]);
            ir_.at(e.where);
            if (!of.is_view()) return builtins::workgroup_uniform_load(ir_, of.node);
            ir_.barrier(Op::workgroup_barrier);
            const NodeId loaded = load(of);
            ir_.barrier(Op::workgroup_barrier);
            return loaded;
        }
        case ExpressionForm::unset_override:
            refuse(
                e.where, fmt::format("The override {} has no value.", e.name),
                fmt::format("give it one, as with --override {}=VALUE, or a default in the text.", e.name));
        case ExpressionForm::constant:
        case ExpressionForm::local:
        case ExpressionForm::local_reference:
        case ExpressionForm::global_reference:
        case ExpressionForm::index_reference:
        case ExpressionForm::member_reference:
        case ExpressionForm::buffer_view: break;  // references, and values that value() handles
    }
    return reference(e);
}

Place Lowering::place(const Expr& e) {
    if (&e == fixed_) return fixed_place_;
    const Guard guard(*this, e.where);
    if (e.form == ExpressionForm::local || e.form == ExpressionForm::local_reference)
        return frame_->locals[e.local->index];
    if (e.form == ExpressionForm::global_reference) {
        const NodeId variable = global(*e.global);
        if (e.global->type->kind != Kind::buffer) return variable;
        return View{.buffer = e.global, .words = variable, .type = e.global->type};
    }
    if (e.form == ExpressionForm::buffer_view) return view(e);
    const Place base = place(*e.operands[0]);
    if (e.form == ExpressionForm::member_reference)
        return base.is_view() ? Place(member(base.view, e.index)) : ir_.ref_member(base.node, e.index);
    const NodeId index = value(*e.operands[1]);
    return base.is_view() ? Place(element(base.view, index)) : ir_.ref_index(base.node, index);
}

NodeId Lowering::load(const Place& from) {
    return from.is_view() ? load_view(from.view) : ir_.load(from.node);
}

void Lowering::store(const Place& to, NodeId value) {
    if (to.is_view())
        store_view(to.view, value);
    else
        ir_.store(to.node, value);
}

// A structure that was just composed gives its member directly.
NodeId Lowering::extract(NodeId composite, std::uint32_t which) {
    const bool is_structure = ir_.types()[ir_.type(composite)].kind == TypeKind::structure;
    if (is_structure && ir_.node(composite).op == Op::compose) return ir_.operands(composite)[which];
    return ir_.extract(composite, which);
}

NodeId Lowering::compose(const Expr& e) {
    std::vector<NodeId> parts;
    for (const Expr* operand : e.operands) {
        const NodeId part = value(*operand);
        if (!e.type->is_vector() || operand->type->is_scalar()) {
            parts.push_back(part);
            continue;
        }
        ir_.at(operand->where);
        for (std::uint32_t n = 0; n < operand->type->count; ++n) parts.push_back(ir_.extract(part, n));
    }
    ir_.at(e.where);
    return ir_.compose(type(e.type), parts);
}

NodeId Lowering::logical(const Expr& e) {
    const bool is_and = e.form == ExpressionForm::logical_and;
    const Expr& a = *e.operands[0];
    const Expr& b = *e.operands[1];
    if (a.is_known()) return a.constant.boolean() == is_and ? value(b) : ir_.constant(!is_and);
    const NodeId left = value(a);
    if (b.is_cheap && b.cost <= cheap_cost) {
        const NodeId right = value(b);
        ir_.at(e.where);
        return ir_.binary(is_and ? Op::bit_and : Op::bit_or, left, right);
    }
    ir_.at(e.where);
    const NodeId result = temporary(is_and ? "and" : "or", bool_type, left);
    ir_.begin_if(is_and ? left : ir_.unary(Op::logical_not, left));
    const NodeId right = value(b);
    ir_.at(e.where);
    ir_.store(result, right);
    ir_.end_if();
    return ir_.load(result);
}

NodeId Lowering::atomic(const Expr& e) {
    const NodeId where = reference(*e.operands[0]);
    if (e.op == Op::atomic_load) {
        ir_.at(e.where);
        return ir_.atomic(e.op, where);
    }
    const NodeId first = value(*e.operands[1]);
    if (e.op != Op::atomic_compare_exchange) {
        ir_.at(e.where);
        return ir_.atomic(e.op, where, first);
    }
    const NodeId desired = value(*e.operands[2]);
    ir_.at(e.where);
    const NodeId old = ir_.atomic(e.op, where, desired, first);
    // The exchange never fails spuriously, so it happened if and only if the old value is the expected one.
    return ir_.compose(type(e.type), std::array{old, ir_.binary(Op::eq, old, first)});
}

}  // namespace muster::wgsl
