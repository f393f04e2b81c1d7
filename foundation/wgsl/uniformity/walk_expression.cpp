#include <algorithm>
#include <array>

#include <muster/foundation/wgsl/uniformity/walk.hpp>

namespace muster::wgsl::uniformity {
namespace {

bool is_subgroup_function(std::string_view name) {
    return name.starts_with("subgroup") || name.starts_with("quad");
}

/// True if all invocations of a subgroup get the same result.
bool gives_one_result(std::string_view name) {
    constexpr std::array functions{"subgroupAdd",
                                   "subgroupAll",
                                   "subgroupAnd",
                                   "subgroupAny",
                                   "subgroupBallot",
                                   "subgroupBroadcast",
                                   "subgroupBroadcastFirst",
                                   "subgroupMax",
                                   "subgroupMin",
                                   "subgroupMul",
                                   "subgroupOr",
                                   "subgroupXor"};
    return std::ranges::find(functions, name) != functions.end();
}

bool takes_uniform_distance(std::string_view name) {
    return name == "subgroupShuffleUp" || name == "subgroupShuffleDown" || name == "subgroupShuffleXor";
}

}  // namespace

Node Walk::value(const Expr& e) {
    switch (e.form) {
        case ExpressionForm::constant:
        case ExpressionForm::unset_override: return control_;
        case ExpressionForm::local: return local(e);
        case ExpressionForm::local_reference:
        case ExpressionForm::global_reference:
        case ExpressionForm::index_reference:
        case ExpressionForm::member_reference:
        case ExpressionForm::buffer_view: return pointer(place(e));
        case ExpressionForm::load: return load(e);
        case ExpressionForm::logical_and:
        case ExpressionForm::logical_or: return logical(e);
        case ExpressionForm::extract:
        case ExpressionForm::extract_dynamic:
        case ExpressionForm::swizzle:
        case ExpressionForm::unary:
        case ExpressionForm::binary:
        case ExpressionForm::convert:
        case ExpressionForm::bitcast:
        case ExpressionForm::splat:
        case ExpressionForm::compose:
        case ExpressionForm::array_length:
        case ExpressionForm::buffer_length:
        case ExpressionForm::grid_uniform_load: return all_of(e.operands);
        case ExpressionForm::builtin_call: return builtin_call(e);
        case ExpressionForm::user_call: return user_call(e);
        case ExpressionForm::atomic: return atomic(e);
        case ExpressionForm::barrier:
            require(control_, {.scope = Scope::workgroup, .function = e.name, .where = e.where});
            return control_;
        case ExpressionForm::grid_barrier: return control_;  // validate() proves more of these
        case ExpressionForm::workgroup_uniform_load: return workgroup_uniform_load(e);
    }
    return control_;
}

Node Walk::all_of(const std::vector<Expr*>& operands) {
    Node all = control_;
    for (const Expr* each : operands) all = graph_.join({all, value(*each)});
    return all;
}

// The left side decides if the right one is evaluated, and so what calls in that write.
Node Walk::logical(const Expr& e) {
    const Node control = control_;
    control_ = graph_.branch(value(*e.operands[0]), control, e.where);
    const Block before = block_;
    block_ = variables_.open(before);
    const Node right = value(*e.operands[1]);
    const std::array ends{before, block_};
    block_ = variables_.meet(ends, before);
    control_ = control;
    return right;
}

Node Walk::local(const Expr& e) {
    if (e.local->type->kind == Kind::pointer) return pointer(place(e));
    return graph_.join({control_, values_[e.local->index]});
}

// Places.

Walk::Place Walk::place(const Expr& e) {
    if (&e == stored_) return stored_place_;
    Place to;
    if (e.form == ExpressionForm::local_reference) {
        to.local = e.local;
    } else if (e.form == ExpressionForm::global_reference) {
        to.root = Place::Root::global;
        to.global = e.global;
        to.is_read_only = e.global->access == Access::read;
    } else if (e.form == ExpressionForm::local) {
        if (std::ranges::find(function_.parameters, e.local) == function_.parameters.end())
            return places_[e.local->index];
        to.local = e.local;
        to.is_parameter = true;
        to.is_read_only = e.local->type->access == Access::read;
        if (e.local->type->space != AddressSpace::function) to.root = Place::Root::pointed_to;
    } else {  // a part of another place
        to = place(*e.operands[0]);
        to.is_partial = true;
        for (std::size_t i = 1; i < e.operands.size(); ++i)
            to.index = graph_.join({to.index, value(*e.operands[i])});
    }
    return to;
}

// The position of a place: known for a variable, decided by the caller's pointer for
// what a parameter points to.
Node Walk::pointer(const Place& place) {
    const Node root = place.is_parameter ? values_[place.local->index] : no_node;
    return graph_.join({control_, root, place.index});
}

Node Walk::contents(const Place& place, SourceLocation where) {
    switch (place.root) {
        case Place::Root::variable: return variables_.get(block_, place.local->index);
        case Place::Root::global:
            if (place.is_read_only) return no_node;
            return graph_.source({.kind = Source::Kind::memory, .name = place.global->name, .where = where});
        case Place::Root::pointed_to:
            if (place.is_read_only) return values_[place.local->index];
            return graph_.source({.kind = Source::Kind::pointer, .name = place.local->name, .where = where});
    }
    return no_node;
}

Node Walk::load(const Expr& e) {
    const Place from = place(*e.operands[0]);
    return graph_.join({control_, contents(from, e.where), from.index});
}

// Calls.

Node Walk::atomic(const Expr& e) {
    (void)all_of(e.operands);
    return graph_.source({.kind = Source::Kind::result, .name = e.name, .where = e.where});
}

Node Walk::workgroup_uniform_load(const Expr& e) {
    const Node from = pointer(place(*e.operands[0]));
    constexpr std::string_view name = "workgroupUniformLoad";
    require(control_, {.scope = Scope::workgroup, .function = name, .where = e.where});
    require(from, {.scope = Scope::workgroup, .function = name, .argument = 1, .where = e.where});
    return from;
}

Node Walk::builtin_call(const Expr& e) {
    if (!is_subgroup_function(e.name)) return all_of(e.operands);
    std::vector<Node> operands;
    for (const Expr* each : e.operands) operands.push_back(value(*each));
    if (!e.may_diverge) {
        require(control_, {.scope = Scope::subgroup, .function = e.name, .where = e.where});
        if (takes_uniform_distance(e.name))
            require(operands[1],
                    {.scope = Scope::subgroup, .function = e.name, .argument = 2, .where = e.where});
    }
    const Node result = graph_.join({control_, graph_.add()});
    graph_.source(result, {.kind = Source::Kind::result,
                           .name = e.name,
                           .where = e.where,
                           .is_subgroup_uniform = gives_one_result(e.name)});
    return result;
}

Node Walk::dependence(const Dependence& on, const std::vector<Node>& values,
                      const std::vector<Node>& contents) {
    Node all = control_;
    for (const std::uint32_t i : on.values) all = graph_.join({all, values[i]});
    for (const std::uint32_t i : on.contents) all = graph_.join({all, contents[i]});
    return all;
}

Node Walk::user_call(const Expr& e) {
    const auto found = summaries_.find(e.callee);
    if (found == summaries_.end()) return all_of(e.operands);
    const FunctionSummary& callee = found->second;
    const auto here = [&](Requirement what) {
        what.via = e.where;
        return what;
    };
    const std::size_t count = e.operands.size();
    std::vector<Node> values(count), pointed(count, no_node), written(count, no_node);
    std::vector<Place> places(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Local& parameter = *e.callee->parameters[i];
        if (parameter.type->kind == Kind::pointer) places[i] = place(*e.operands[i]);
        values[i] = parameter.type->kind == Kind::pointer ? pointer(places[i]) : value(*e.operands[i]);
        if (points_to_variable(parameter))
            pointed[i] = graph_.join({values[i], contents(places[i], e.operands[i]->where)});
    }
    // Nodes of their own, to which sources are added.
    const Node result = graph_.join({graph_.add(), dependence(callee.result_from, values, pointed)});
    for (std::size_t i = 0; i < count; ++i)
        if (pointed[i] != no_node)
            written[i] =
                graph_.join({graph_.add(), dependence(callee.parameters[i].written_from, values, pointed),
                             places[i].is_partial ? pointed[i] : no_node});
    for (const Scope scope : scopes) {
        if (callee.call[scope]) require(control_, here(*callee.call[scope]));
        if (callee.result[scope]) graph_.source(result, *callee.result[scope]);
        for (std::size_t i = 0; i < count; ++i) {
            const ParameterSummary& parameter = callee.parameters[i];
            if (parameter.value[scope]) require(values[i], here(*parameter.value[scope]));
            if (parameter.contents[scope]) require(pointed[i], here(*parameter.contents[scope]));
            if (parameter.written[scope]) graph_.source(written[i], *parameter.written[scope]);
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        if (written[i] != no_node) variables_.set(block_, places[i].local->index, written[i]);
    return result;
}

}  // namespace muster::wgsl::uniformity
