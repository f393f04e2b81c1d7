#include <algorithm>

#include <muster/foundation/wgsl/uniformity/walk.hpp>

namespace muster::wgsl::uniformity {
namespace {

constexpr Ways on{.next = true};

/// The kinds of built-in values: the same for a whole workgroup, for each subgroup of it, or neither.
enum class Builtin : std::uint8_t { uniform, subgroup_uniform, other };
Builtin kind_of(std::string_view builtin) {
    if (builtin == "workgroup_id" || builtin == "num_workgroups" || builtin == "subgroup_size" ||
        builtin == "num_subgroups")
        return Builtin::uniform;
    return builtin == "subgroup_id" ? Builtin::subgroup_uniform : Builtin::other;
}

}  // namespace

Walk::Walk(const TypedFunction& function, const Summaries& summaries, Graph& graph)
    : function_(function),
      summaries_(summaries),
      graph_(graph),
      variables_(graph, function.locals),
      values_(function.locals, no_node),
      places_(function.locals) {}

Interface Walk::run() {
    interface_.start = control_ = graph_.add();
    block_ = variables_.begin();
    if (function_.result->kind != Kind::nothing) interface_.result = graph_.add();
    declare_parameters();
    if (block(*function_.body).next) leave();
    variables_.finish();
    return std::move(interface_);
}

void Walk::declare_parameters() {
    for (const Local* parameter : function_.parameters) {
        Interface::Parameter made;
        made.value = function_.stage.empty() ? graph_.add() : input(*parameter);
        if (points_to_variable(*parameter)) {
            made.contents = graph_.add();
            made.written = graph_.add();
            variables_.set(block_, parameter->index, made.contents);
        }
        values_[parameter->index] = made.value;
        interface_.parameters.push_back(made);
    }
}

// An input of an entry point. A structure isn't uniform if one of its members isn't: composite
// values count as a whole.
Node Walk::input(const Local& parameter) {
    const auto found = std::ranges::find(function_.inputs, &parameter, &EntryInput::parameter);
    if (found == function_.inputs.end())
        return graph_.source({.kind = Source::Kind::input, .name = parameter.name, .where = parameter.where});
    const auto worst = std::ranges::max_element(found->builtins, {}, kind_of);
    if (worst == found->builtins.end() || kind_of(*worst) == Builtin::uniform) return control_;
    const bool is_structure = parameter.type->kind == Kind::structure;
    return graph_.source({.kind = is_structure ? Source::Kind::member : Source::Kind::builtin,
                          .name = *worst,
                          .where = parameter.where,
                          .is_subgroup_uniform = kind_of(*worst) == Builtin::subgroup_uniform});
}

// Notes what pointers to variables point to when the function ends.
void Walk::leave() {
    for (std::size_t i = 0; i < interface_.parameters.size(); ++i)
        if (interface_.parameters[i].written != no_node)
            graph_.edge(interface_.parameters[i].written,
                        variables_.get(block_, function_.parameters[i]->index));
}

// Code behind a statement that never goes on isn't analysed.
Ways Walk::block(const TypedBlock& block) {
    Ways all = on;
    for (const TypedStatement& each : block.statements) {
        if (!all.next) break;
        all.then(statement(each));
    }
    return all;
}

Ways Walk::statement(const TypedStatement& s) {
    switch (s.form) {
        case StatementForm::block: return block(*s.body);
        case StatementForm::declare:
            variables_.set(block_, s.local->index, s.a != nullptr ? value(*s.a) : control_);
            return on;
        case StatementForm::let:
            if (s.local->type->kind == Kind::pointer)
                places_[s.local->index] = place(*s.a);
            else
                values_[s.local->index] = value(*s.a);
            return on;
        case StatementForm::store:
        case StatementForm::update: store(*s.a, *s.b); return on;
        case StatementForm::evaluate: (void)value(*s.a); return on;
        case StatementForm::if_: return if_statement(s);
        case StatementForm::loop: return loop(s);
        case StatementForm::switch_: return switch_statement(s);
        case StatementForm::break_: targets_.back().left.push_back(block_); return {.breaks = true};
        case StatementForm::continue_:
            std::ranges::find_if(targets_.rbegin(), targets_.rend(), &Target::is_loop)
                ->continued.push_back(block_);
            return {.continues = true};
        case StatementForm::return_:
            if (s.a != nullptr) graph_.edge(interface_.result, value(*s.a));
            leave();
            return {.returns = true};
    }
    return on;
}

void Walk::store(const Expr& reference, const Expr& value) {
    const Place to = place(reference);
    stored_ = &reference;
    stored_place_ = to;
    const Node stored = this->value(value);
    stored_ = nullptr;
    if (to.root != Place::Root::variable) return;
    const Node before = to.is_partial ? variables_.get(block_, to.local->index) : no_node;
    variables_.set(block_, to.local->index, graph_.join({control_, stored, to.index, before}));
}

Ways Walk::if_statement(const TypedStatement& s) {
    const Node test = graph_.branch(value(*s.a), control_, s.where);
    const Block before = block_;
    const Node control = control_;
    Blocks ends;
    Node end = no_node;
    Ways all;
    for (const TypedBlock* each : {s.body, s.otherwise}) {
        block_ = variables_.open(before);
        control_ = test;
        const Ways one = each != nullptr ? block(*each) : on;
        if (one.next) ends.push_back(block_);
        end = graph_.join({end, control_});
        all |= one;
    }
    block_ = variables_.meet(ends, before);
    control_ = all == on ? control : end;
    return all;
}

Ways Walk::switch_statement(const TypedStatement& s) {
    const Node test = graph_.branch(value(*s.a), control_, s.where);
    const Block before = block_;
    const Node control = control_;
    targets_.push_back({});
    const Node end = graph_.add();
    Ways all;
    for (const TypedCase& each : s.cases) {
        block_ = variables_.open(before);
        control_ = test;
        const Ways one = block(*each.body);
        if (one.next) targets_.back().left.push_back(block_);
        graph_.edge(end, control_);
        all |= one;
    }
    all = all.left();
    block_ = variables_.meet(targets_.back().left, before);
    targets_.pop_back();
    control_ = all == on ? control : end;
    return all;
}

// `for` and `while` have a condition at the top: `if !condition { break; }`.
Ways Walk::loop(const TypedStatement& s) {
    const Block before = block_;
    const Node control = control_;
    const Node turn = graph_.add();  // CF'
    graph_.edge(turn, control);
    const Block top = block_ = variables_.begin_loop(before);
    control_ = turn;
    targets_.push_back({.is_loop = true});
    Ways all;
    if (s.a != nullptr) {
        control_ = graph_.branch(value(*s.a), control_, s.where);
        targets_.back().left.push_back(block_);
        block_ = variables_.open(block_);
        all.breaks = true;
    }
    const Ways of_body = block(*s.body);
    all |= of_body;
    const bool turns = of_body.next || of_body.continues;
    Blocks again;
    if (turns) {
        Blocks& continued = targets_.back().continued;
        if (of_body.next) continued.push_back(block_);
        block_ = variables_.meet(continued, top);
        if (s.continuing != nullptr) all |= block(*s.continuing);
        if (s.b != nullptr) {
            control_ = graph_.branch(value(*s.b), control_, s.b->where);
            targets_.back().left.push_back(block_);
            all.breaks = true;
        }
        graph_.edge(turn, control_);  // CF' -> CF2
        again.push_back(block_);
    }
    variables_.end_loop(top, again);
    block_ = variables_.meet(targets_.back().left, before);
    targets_.pop_back();
    if (!of_body.returns)
        control_ = control;
    else if (turns)
        control_ = turn;
    return {.next = all.breaks, .returns = all.returns};
}

}  // namespace muster::wgsl::uniformity
