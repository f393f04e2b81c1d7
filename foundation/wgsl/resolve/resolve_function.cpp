// Resolves functions: signatures, entry points and bodies; and scopes.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/wgsl/parse/limits.hpp>
#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/resolve/names.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {

void Resolver::resolve_signature(ModuleSymbol& symbol, const ast::Function& function) {
    constexpr std::array<std::string_view, 6> names{"compute", "workgroup_size", "must_use",
                                                    "vertex",  "fragment",       "subgroup_size"};
    TypedFunction& out = out_.functions.emplace_back();
    symbol.function = &out;
    out.name = function.name;
    out.where = function.where;
    allow(function.attributes, names, "a function");
    resolve_stage(out, function);
    out.must_use = find(function.attributes, "must_use") != nullptr;
    out.result = function.result ? type(function.result) : types_.nothing;
    if (out.must_use && out.result == types_.nothing)
        refuse(function.where, fmt::format("@must_use is on {}, which returns nothing.", out.name),
               "remove it.");
    if (function.result && !out.result->constructible)
        refuse(ast_[function.result].where, fmt::format("A function can't return {}.", out.result->name),
               "return a fixed-size value, or take a pointer.");
    const auto fields = ast_[function.parameters];
    if (fields.size() > limits::parameters)
        refuse(function.where,
               fmt::format("{} has {} parameters; the limit is {}.", out.name, fields.size(),
                           limits::parameters),
               "pass a structure.");
    for (const ast::Field& field : fields) {
        const TypeRef of = type(field.type);
        if (!of->constructible && of->kind != Kind::pointer)
            refuse(field.where, fmt::format("A parameter can't have type {}.", of->name), "pass a pointer.");
        Local& local = out_.locals.emplace_back();
        local.name = field.name;
        local.where = field.where;
        local.type = of;
        local.index = out.locals++;
        out.parameters.push_back(&local);
        if (out.stage.empty())
            allow(field.attributes, {}, "a parameter of a function that isn't an entry point");
    }
    if (out.is_entry)
        resolve_inputs(out, function);
    else if (!out.stage.empty())
        check_graphics_interface(out, function);
}

// Resolves the stage and its attributes, before the types: these may be types that muster doesn't support.
void Resolver::resolve_stage(TypedFunction& out, const ast::Function& function) {
    for (std::string_view stage : {"compute", "vertex", "fragment"}) {
        const ast::Attribute* attribute = find(function.attributes, stage);
        if (attribute == nullptr) continue;
        if (!out.stage.empty())
            refuse(attribute->where, fmt::format("{} is both @{} and @{}.", out.name, out.stage, stage),
                   "write a function for each.");
        out.stage = stage;
    }
    out.is_entry = out.stage == "compute";
    if (out.is_entry) resolve_workgroup_size(out, function);
    if (out.is_entry) resolve_subgroup_size(out, function);
    for (std::string_view name : {"workgroup_size", "subgroup_size"})
        if (const ast::Attribute* size = find(function.attributes, name); size != nullptr && !out.is_entry)
            refuse(size->where,
                   fmt::format("@{} is on {}, which isn't {}entry point.", name, out.name,
                               out.stage.empty() ? "an " : "a compute "),
                   out.stage.empty() ? "add @compute." : "remove it.");
}

// Checks the interface of a vertex or fragment shader, which muster doesn't run.
void Resolver::check_graphics_interface(const TypedFunction& out, const ast::Function& function) {
    constexpr std::array<std::string_view, 5> names{"builtin", "location", "interpolate", "invariant",
                                                    "blend_src"};
    const auto fields = ast_[function.parameters];
    for (std::size_t n = 0; n < fields.size(); ++n) {
        allow(fields[n].attributes, names, "a parameter");
        check_interface_attributes(fields[n].attributes, out.parameters[n]->type);
    }
    allow(function.result_attributes, names, "a result");
    check_interface_attributes(function.result_attributes, out.result);
}

void Resolver::check_interface_attributes(ast::Range<ast::Attribute> attributes, TypeRef type) {
    if (const ast::Attribute* builtin = find(attributes, "builtin"))
        check_builtin(attribute_name(*builtin), type, builtin->where);
    if (const ast::Attribute* location = find(attributes, "location"))
        (void)attribute_integer(*location, 0, INT32_MAX);
    if (const ast::Attribute* source = find(attributes, "blend_src")) (void)attribute_integer(*source, 0, 1);
    if (const ast::Attribute* invariant = find(attributes, "invariant");
        invariant != nullptr && invariant->arguments.count != 0)
        refuse(invariant->where, "@invariant takes no arguments.", "remove them.");
    const ast::Attribute* interpolate = find(attributes, "interpolate");
    if (interpolate == nullptr) return;
    constexpr std::array<std::string_view, 3> types{"perspective", "linear", "flat"};
    constexpr std::array<std::string_view, 5> samplings{"center", "centroid", "sample", "first", "either"};
    const auto is_one_of = [&](ast::ExpressionId id, std::span<const std::string_view> names) {
        return ast_[id].kind == ast::ExpressionKind::identifier &&
               std::ranges::find(names, ast_[id].name) != names.end();
    };
    const auto arguments = ast_[interpolate->arguments];
    const bool fits = (arguments.size() == 1 || arguments.size() == 2) && is_one_of(arguments[0], types) &&
                      (arguments.size() == 1 || is_one_of(arguments[1], samplings));
    if (!fits)
        refuse(interpolate->where, "@interpolate takes a type, and a sampling if need be.",
               "write, for instance, @interpolate(flat, either).");
}

void Resolver::resolve_workgroup_size(TypedFunction& out, const ast::Function& function) {
    const ast::Attribute* size = find(function.attributes, "workgroup_size");
    if (size == nullptr)
        refuse(function.where, fmt::format("The entry point {} has no @workgroup_size.", out.name),
               "write, for instance, @workgroup_size(64).");
    const auto arguments = ast_[size->arguments];
    if (arguments.empty() || arguments.size() > 3)
        refuse(size->where,
               fmt::format("@workgroup_size takes one to three numbers, {} given.", arguments.size()),
               "write, for instance, @workgroup_size(8, 8).");
    std::array<std::uint32_t, 3> extent{1, 1, 1};
    std::uint64_t invocations = 1;
    TypeRef common = nullptr;
    for (std::size_t n = 0; n < arguments.size(); ++n) {
        Expr* e = value(arguments[n]);
        if (!e->type->is_abstract && common != nullptr && e->type != common)
            refuse(e->where,
                   fmt::format("The numbers of @workgroup_size are {} and {}.", common->name, e->type->name),
                   "give them one type.");
        if (!e->type->is_abstract) common = e->type;
        e = sizing(concrete(e));
        if (!e->is_known() || !e->type->is_index())
            refuse(e->where, "A number of @workgroup_size isn't an integer known before the program runs.",
                   "use an i32 or u32 constant or override.");
        const std::int64_t number = e->constant.integer();
        invocations *= static_cast<std::uint64_t>(std::clamp<std::int64_t>(number, 0, INT32_MAX));
        if (number < 1)
            refuse(e->where, fmt::format("A number of @workgroup_size is {}.", number), "use at least 1.");
        if (invocations > limits::workgroup_invocations)
            refuse(size->where,
                   fmt::format("A workgroup has {} invocations or more; the limit is {}.", invocations,
                               limits::workgroup_invocations),
                   "use a smaller workgroup, and more of them.");
        extent[n] = static_cast<std::uint32_t>(number);
    }
    out.workgroup_size = {extent[0], extent[1], extent[2]};
}

void Resolver::resolve_subgroup_size(TypedFunction& out, const ast::Function& function) {
    const ast::Attribute* size = find(function.attributes, "subgroup_size");
    if (size == nullptr) return;
    if (!subgroup_size_enabled_)
        refuse(size->where, "@subgroup_size needs the extension subgroup_size_control, which isn't enabled.",
               "write `enable subgroup_size_control;` as the first line.");
    const auto arguments = ast_[size->arguments];
    if (arguments.size() != 1)
        refuse(size->where, fmt::format("@subgroup_size takes one number, {} given.", arguments.size()),
               "write, for instance, @subgroup_size(32).");
    Expr* const given = concrete(value(arguments[0]));
    const Expr* const e = sizing(given);
    if (!e->is_known() || !e->type->is_index())
        refuse(e->where, "The number of @subgroup_size isn't an integer known before the program runs.",
               "use an i32 or u32 constant or override.");
    if (e != given) return;  // an override without a value
    const std::int64_t number = e->constant.integer();
    if (number < 0 || !limits::is_subgroup_size(static_cast<std::uint64_t>(number)))
        refuse(size->where, fmt::format("@subgroup_size({}) isn't a size of a subgroup.", number),
               "use a power of two from 4 to 128.");
    out.subgroup_size = static_cast<std::uint32_t>(number);
    if (out.workgroup_size.x % out.subgroup_size != 0)
        refuse(size->where,
               fmt::format(
                   "The workgroup has {} invocations along x, which isn't a multiple of @subgroup_size({}).",
                   out.workgroup_size.x, number),
               "use a multiple.");
}

void Resolver::resolve_inputs(TypedFunction& out, const ast::Function& function) {
    if (out.result != types_.nothing)
        refuse(ast_[function.result].where, fmt::format("The entry point {} returns a value.", out.name),
               "write its results to storage variables.");
    const auto fields = ast_[function.parameters];
    std::vector<std::string_view> seen;
    for (std::size_t n = 0; n < fields.size(); ++n) {
        EntryInput input = entry_input(*out.parameters[n], fields[n]);
        for (std::string_view builtin : input.builtins) {
            if (std::ranges::find(seen, builtin) != seen.end())
                refuse(fields[n].where, fmt::format("The entry point takes @builtin({}) twice.", builtin),
                       "remove one.");
            seen.push_back(builtin);
        }
        out.inputs.push_back(std::move(input));
    }
}

EntryInput Resolver::entry_input(const Local& local, const ast::Field& field) {
    constexpr std::array<std::string_view, 1> names{"builtin"};
    for (const ast::Attribute& attribute : ast_[field.attributes])
        if (attribute.name == "location")
            refuse(attribute.where, "A compute entry point has no @location inputs.",
                   "read from a storage or uniform variable.");
    allow(field.attributes, names, "a parameter");
    EntryInput input{&local, {}};
    if (const ast::Attribute* builtin = find(field.attributes, "builtin")) {
        input.builtins.push_back(attribute_name(*builtin));
        check_compute_builtin(input.builtins[0], builtin->where);
        check_builtin(input.builtins[0], local.type, builtin->where);
        return input;
    }
    const auto members = member_builtins_.find(local.type);
    if (members == member_builtins_.end())
        refuse(field.where, fmt::format("The parameter {} of an entry point has no @builtin.", local.name),
               "write, for instance, @builtin(global_invocation_id) in front.");
    for (std::size_t n = 0; n < members->second.size(); ++n) {
        if (members->second[n].empty())
            refuse(field.where,
                   fmt::format("The member {} of {} has no @builtin, and an entry point takes it.",
                               local.type->members[n].name, local.type->name),
                   "add @builtin to each member.");
        check_compute_builtin(members->second[n], field.where);
        input.builtins.push_back(members->second[n]);
    }
    return input;
}

namespace {

/// A built-in value and its type in WGSL; an empty type means that several are possible.
struct BuiltinValue {
    std::string_view name, type;
    bool is_supported = false;
};
constexpr std::array builtin_values{
    BuiltinValue{"global_invocation_id", "vec3<u32>", true},
    BuiltinValue{"local_invocation_id", "vec3<u32>", true},
    BuiltinValue{"workgroup_id", "vec3<u32>", true},
    BuiltinValue{"num_workgroups", "vec3<u32>", true},
    BuiltinValue{"local_invocation_index", "u32", true},
    BuiltinValue{"global_invocation_index", "u32", true},
    BuiltinValue{"workgroup_index", "u32", true},
    BuiltinValue{"subgroup_invocation_id", "u32", true},
    BuiltinValue{"subgroup_size", "u32", true},
    BuiltinValue{"subgroup_id", "u32", true},
    BuiltinValue{"num_subgroups", "u32", true},
    BuiltinValue{"vertex_index", "u32"},
    BuiltinValue{"instance_index", "u32"},
    BuiltinValue{"primitive_index", "u32"},
    BuiltinValue{"sample_index", "u32"},
    BuiltinValue{"sample_mask", "u32"},
    BuiltinValue{"position", "vec4<f32>"},
    BuiltinValue{"front_facing", "bool"},
    BuiltinValue{"frag_depth", "f32"},
    BuiltinValue{"clip_distances", ""},
};

std::vector<std::string> builtin_names(bool only_supported) {
    std::vector<std::string> names;
    for (const BuiltinValue& each : builtin_values)
        if (each.is_supported || !only_supported) names.emplace_back(each.name);
    return names;
}

}  // namespace

void Resolver::check_builtin(std::string_view builtin, TypeRef type, SourceLocation where) {
    const auto known = std::ranges::find(builtin_values, builtin, &BuiltinValue::name);
    if (known == builtin_values.end())
        refuse(where, fmt::format("No built-in value is called {}.", builtin),
               nearest_fix(builtin, builtin_names(false), "check its spelling."));
    if (!known->type.empty() && type->name != known->type)
        refuse(where, fmt::format("@builtin({}) has type {}, not {}.", builtin, known->type, type->name),
               fmt::format("declare it {}.", known->type));
}

void Resolver::check_compute_builtin(std::string_view builtin, SourceLocation where) {
    if (builtin.starts_with("subgroup") || builtin == "num_subgroups")
        need_subgroups(fmt::format("@builtin({})", builtin), where);
    const auto known = std::ranges::find(builtin_values, builtin, &BuiltinValue::name);
    if (known == builtin_values.end() || !known->is_supported)
        refuse(where, fmt::format("No built-in value of compute shaders is called {}.", builtin),
               nearest_fix(
                   builtin, builtin_names(true),
                   "use global_invocation_id, local_invocation_id, local_invocation_index, workgroup_id, "
                   "num_workgroups, global_invocation_index, workgroup_index, or those of subgroups."));
}

void Resolver::resolve_body(ModuleSymbol& symbol) {
    if (faults_.size() >= max_faults) return;
    const ast::Function& function = ast_.functions[symbol.index];
    function_ = symbol.function;
    in_module_scope_ = false;
    loops_ = switches_ = 0;
    continuing_.clear();
    const std::uint32_t refusals_before = refusals_;
    std::optional<DiagnosticScope> filter;
    guarded([&] { filter.emplace(*this, function.attributes); });
    open_scope();
    for (const Local* parameter : function_->parameters)
        guarded([&] { declare(parameter->name, parameter->where, {.local = parameter}); });
    function_->body = &out_.blocks.emplace_back();
    // Parameters and the body's own declarations share one scope.
    const Behavior behavior = block(function.body, *function_->body, false);
    close_scope();
    const auto& statements = function_->body->statements;
    function_->returns_last = function_->returns == 0 || (function_->returns == 1 && !statements.empty() &&
                                                          statements.back().form == StatementForm::return_);
    if (function_->result != types_.nothing && !behavior.is_return_only() && refusals_ == refusals_before)
        guarded([&] {
            refuse(ast_[function.body].end,
                   fmt::format("The function {} can end without returning a value of type {}.",
                               function_->name, function_->result->name),
                   "add a return statement.");
        });
    in_module_scope_ = true;
    function_ = nullptr;
}

// Scopes.

void Resolver::close_scope() {
    for (std::size_t n = declared_.size(); n > scope_marks_.back(); --n) locals_[declared_[n - 1]].pop_back();
    declared_.resize(scope_marks_.back());
    scope_marks_.pop_back();
}

void Resolver::declare(std::string_view name, SourceLocation where, LocalSymbol symbol) {
    symbol.depth = static_cast<std::uint32_t>(scope_marks_.size());
    std::vector<LocalSymbol>& same = locals_[name];
    if (!same.empty() && same.back().depth == symbol.depth)
        refuse(where,
               {fmt::format("{} is declared twice in one scope.", name), "give one of them another name."},
               declared(name, "first declared"));
    symbol.where = where;
    same.push_back(symbol);
    declared_.push_back(name);
}

const Resolver::LocalSymbol* Resolver::find_local(std::string_view name) const {
    if (in_module_scope_) return nullptr;
    const auto found = locals_.find(name);
    return found == locals_.end() || found->second.empty() ? nullptr : &found->second.back();
}

std::vector<RelatedPlace> Resolver::declared(std::string_view name, std::string_view what) const {
    SourceLocation where;
    if (const LocalSymbol* local = find_local(name))
        where = local->where;
    else if (const auto found = module_.find(name); found != module_.end())
        where = place_of(found->second);
    if (where.line == 0) return {};
    return {{where, fmt::format("{} is {} here", name, what)}};
}

std::vector<RelatedPlace> Resolver::declared_root(ast::ExpressionId of) const {
    while (ast_[of].kind != ast::ExpressionKind::identifier) {
        if (!ast_[of].a) return {};
        of = ast_[of].a;
    }
    return declared(ast_[of].name);
}

std::vector<std::string> Resolver::names(Wanted wanted) const {
    std::vector<std::string> found;
    if (wanted == Wanted::value)
        for (const std::string_view each : declared_) found.emplace_back(each);
    for (const ModuleSymbol* each : order_) {
        const ast::DeclarationKind kind = each->kind;
        const std::uint32_t index = each->index;
        const bool is_type = kind == ast::DeclarationKind::structure || kind == ast::DeclarationKind::alias;
        if (kind == ast::DeclarationKind::variable && wanted == Wanted::value)
            found.emplace_back(ast_.variables[index].name);
        if (kind == ast::DeclarationKind::function && wanted == Wanted::function)
            found.emplace_back(ast_.functions[index].name);
        if (is_type && wanted != Wanted::value)
            found.emplace_back(kind == ast::DeclarationKind::alias ? ast_.aliases[index].name
                                                                   : ast_.structures[index].name);
    }
    const auto add = [&](auto&& predeclared) {
        for (const std::string_view each : predeclared) found.emplace_back(each);
    };
    if (wanted == Wanted::function) add(function_names()), add(other_functions());
    if (wanted == Wanted::type) add(predeclared_types());
    return found;
}

void Resolver::refuse_unknown(Wanted wanted, std::string_view name, SourceLocation where) const {
    const std::string_view synonym = in_wgsl(name);
    const auto fix = [&](std::string otherwise) {
        return synonym.empty() ? nearest_fix(name, names(wanted), std::move(otherwise))
                               : std::string(synonym);
    };
    if (wanted == Wanted::function)
        refuse_name(where, fmt::format("No function is called {}.", name),
                    fix("declare it, or check its spelling."));
    if (wanted == Wanted::type)
        refuse_name(where, fmt::format("No type is called {}.", name),
                    fix("declare it, or use a built-in type such as f32, vec4<f32> or array<u32>."));
    refuse_name(where, fmt::format("Nothing is called {} here.", name),
                fix("declare it, or check its spelling and scope."));
}

Local& Resolver::new_local(std::string_view name, SourceLocation where, TypeRef type, bool is_variable) {
    Local& local = out_.locals.emplace_back();
    local.name = name;
    local.where = where;
    local.type = type;
    local.is_variable = is_variable;
    local.index = function_->locals++;
    return local;
}

}  // namespace muster::wgsl
