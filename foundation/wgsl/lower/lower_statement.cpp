#include <utility>

#include <muster/foundation/wgsl/lower/lowering.hpp>
#include <muster/foundation/wgsl/lower/lowering_guard.hpp>

namespace muster::wgsl {

void Lowering::block(const TypedBlock& block) {
    for (const TypedStatement& s : block.statements) {
        if (ir_.block_ended()) return;  // unreachable code
        statement(s);
    }
}

void Lowering::statement(const TypedStatement& s) {
    const Guard guard(*this, s.where);
    spend(s.where);
    ir_.at(s.where);
    switch (s.form) {
        case StatementForm::block: block(*s.body); break;
        case StatementForm::declare: {
            const NodeId initial = s.a != nullptr ? value(*s.a) : NodeId{};
            ir_.at(s.where);
            frame_->locals[s.local->index] = temporary(s.local->name, type(s.local->type), initial);
            break;
        }
        case StatementForm::let: {
            const Place initial = operand(*s.a);
            if (s.local->type->kind != Kind::pointer) ir_.name(initial.node, s.local->name);
            frame_->locals[s.local->index] = initial;
            break;
        }
        case StatementForm::store: {
            const Place to = place(*s.a);
            const NodeId what = value(*s.b);
            ir_.at(s.where);
            store(to, what);
            break;
        }
        case StatementForm::update: {
            const Place to = place(*s.a);
            const Expr* outer = std::exchange(fixed_, s.a);
            const Place outer_place = std::exchange(fixed_place_, to);
            const NodeId what = value(*s.b);
            fixed_ = outer;
            fixed_place_ = outer_place;
            ir_.at(s.where);
            store(to, what);
            break;
        }
        case StatementForm::evaluate: (void)value(*s.a); break;
        case StatementForm::if_: {
            const NodeId test = value(*s.a);
            ir_.at(s.where);
            ir_.begin_if(test);
            block(*s.body);
            if (s.otherwise != nullptr) {
                ir_.begin_else();
                block(*s.otherwise);
            }
            ir_.end_if();
            break;
        }
        case StatementForm::loop: loop(s); break;
        case StatementForm::switch_: switch_statement(s); break;
        case StatementForm::break_: ir_.break_(); break;
        case StatementForm::continue_: ir_.continue_(); break;
        case StatementForm::return_: return_statement(s); break;
    }
}

void Lowering::loop(const TypedStatement& s) {
    ir_.begin_loop();
    ++frame_->breakables;
    const bool is_always_true = s.a != nullptr && s.a->is_known() && s.a->constant.boolean();
    // `while true {}` becomes a loop left by `if !true { break; }`, which WGSL counts as an exit
    // although it is never taken.
    if (s.a != nullptr && (!is_always_true || s.leaves_by_test)) {
        const NodeId test = value(*s.a);
        ir_.at(s.where);
        ir_.begin_if(ir_.unary(Op::logical_not, test));
        ir_.break_();
        ir_.end_if();
    }
    block(*s.body);
    ir_.begin_continuing();
    // A continuing block that can't be reached may use values of the body that were not lowered.
    if (!ir_.block_ended()) {
        if (s.continuing != nullptr) block(*s.continuing);
        if (s.b != nullptr) {
            const NodeId test = value(*s.b);
            ir_.at(s.b->where);
            ir_.break_if(test);
        }
    }
    --frame_->breakables;
    ir_.end_loop();
    leave_if_returned(s);
}

void Lowering::switch_statement(const TypedStatement& s) {
    ++frame_->breakables;
    if (s.a->is_known() && s.cases.size() == 1) {
        // `switch 0 { default: { ... } }` is a block that `break` leaves: a scope. Scopes are also printed in
        // this form.
        ir_.begin_scope();
        block(*s.cases[0].body);
        ir_.end_scope();
    } else {
        const NodeId selector = value(*s.a);
        ir_.at(s.where);
        ir_.begin_switch(selector);
        for (const TypedCase& each : s.cases) {
            ir_.begin_case(each.selectors, each.is_default);
            block(*each.body);
        }
        ir_.end_switch();
    }
    --frame_->breakables;
    leave_if_returned(s);
}

void Lowering::return_statement(const TypedStatement& s) {
    const NodeId result = s.a != nullptr ? value(*s.a) : NodeId{};
    ir_.at(s.where);
    if (frame_->function == &entry_) {
        // At the end of its body, the entry point returns implicitly.
        if (frame_->breakables != 0 || &s != &entry_.body->statements.back()) ir_.return_();
        return;
    }
    if (!frame_->is_scope) {
        frame_->result = result;
        return;
    }
    if (result) ir_.store(frame_->result, result);
    if (frame_->breakables != 0) ir_.store(frame_->returned, ir_.constant(true));
    ir_.break_();
}

void Lowering::leave_if_returned(const TypedStatement& s) {
    if (!s.has_return || frame_->function == &entry_) return;
    ir_.at(s.where);
    ir_.begin_if(ir_.load(frame_->returned));
    ir_.break_();
    ir_.end_if();
}

}  // namespace muster::wgsl
