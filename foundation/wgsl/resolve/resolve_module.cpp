// Resolves module scope: declarations in any order, constants and variables.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/limits.hpp>
#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/resolve/aliases.hpp>
#include <muster/foundation/wgsl/resolve/names.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {

void refuse(SourceLocation where, std::string message, std::string fix) {
    throw Refusal{{{where, std::move(message), std::move(fix)}}, false};
}
void refuse(SourceLocation where, ConstFault fault) {
    refuse(where, std::move(fault.message), std::move(fault.fix));
}
void refuse(SourceLocation where, ConstFault fault, std::vector<RelatedPlace> others) {
    throw Refusal{{{where, std::move(fault.message), std::move(fault.fix)}, std::move(others)}, false};
}
void refuse_name(SourceLocation where, std::string message, std::string fix) {
    throw Refusal{{{where, std::move(message), std::move(fix)}, {}, true}, false};
}
void refuse_unsupported(SourceLocation where, std::string message, std::string fix) {
    throw Refusal{{{where, std::move(message), std::move(fix)}}, false, true};
}

void Resolver::run() {
    directives();
    collect();
    for (ModuleSymbol* symbol : order_) guarded([&] { resolve(*symbol); });
    for (const ast::ConstAssert& each : ast_.const_asserts) {
        // The module's own; local ones are checked with their statements.
        guarded([&] { const_assert(each.condition, each.where); });
    }
    for (ModuleSymbol* symbol : order_)
        if (symbol->function != nullptr && symbol->state == State::done) resolve_body(*symbol);
    if (faults_.empty()) guarded([&] { refuse_recursion(); });
    if (faults_.empty()) refuse_aliases(out_, faults_);
    if (leaves_uniformity_) out_.needs_uniformity = false;
    place_immediates();
    guarded([&] { check_given_overrides(); });
}

namespace {

// Known extensions that muster doesn't support are accepted: their uses are refused if an
// entry point reaches them.
constexpr std::array unsupported_extensions{"clip_distances", "dual_source_blending", "primitive_index"};

std::vector<std::string> extensions() {
    std::vector<std::string> names{unsupported_extensions.begin(), unsupported_extensions.end()};
    for (const std::string_view each :
         {grid_barrier_enable, predeclared_enable, float_atomics_enable, narrow_enable, int64_enable,
          float64_enable, std::string_view("f16"), std::string_view("subgroups"),
          std::string_view("subgroup_size_control")})
        names.emplace_back(each);
    return names;
}

}  // namespace

bool Resolver::enable(std::string_view name) {
    if (name == grid_barrier_enable) return grid_barrier_enabled_ = true;
    if (name == predeclared_enable) return predeclared_enabled_ = true;
    if (name == float_atomics_enable) return float_atomics_enabled_ = true;
    if (name == narrow_enable) return narrow_enabled_ = true;
    if (name == int64_enable) return int64_enabled_ = true;
    if (name == float64_enable) return float64_enabled_ = true;
    if (name == "f16") return f16_enabled_ = true;
    if (name == "subgroups") return subgroups_enabled_ = true;
    if (name == "subgroup_size_control") return subgroups_enabled_ = subgroup_size_enabled_ = true;
    return std::ranges::find(unsupported_extensions, name) != unsupported_extensions.end();
}

void Resolver::directives() {
    constexpr std::array features{"readonly_and_readwrite_storage_textures",
                                  "packed_4x8_integer_dot_product",
                                  "unrestricted_pointer_parameters",
                                  "pointer_composite_access",
                                  "uniform_buffer_standard_layout",
                                  "subgroup_id",
                                  "subgroup_uniformity",
                                  "texture_and_sampler_let",
                                  "texture_formats_tier1",
                                  "linear_indexing",
                                  "immediate_address_space",
                                  "fragment_depth",
                                  "buffer_view"};
    std::vector<Filter> filters;
    for (const ast::Directive& directive : ast_.directives) {
        guarded([&] {
            const auto names = ast_[directive.names];
            if (directive.kind == ast::DirectiveKind::diagnostic)
                return filter_diagnostics(
                    {names[0], names.size() == 2 ? std::string(names[1].text)
                                                 : fmt::format("{}.{}", names[1].text, names[2].text)},
                    filters);
            for (const ast::Name& name : names) {
                if (directive.kind == ast::DirectiveKind::enable && !enable(name.text))
                    refuse_name(name.where, fmt::format("No extension of WGSL is called {}.", name.text),
                                nearest_fix(name.text, extensions(),
                                            "remove the enable directive and what needs it."));
                if (directive.kind == ast::DirectiveKind::requires_ &&
                    std::ranges::find(features, name.text) == features.end())
                    refuse_name(
                        name.where, fmt::format("No language feature of WGSL is called {}.", name.text),
                        nearest_fix(name.text, std::vector<std::string>(features.begin(), features.end()),
                                    "remove it from the requires directive, and what needs it."));
            }
        });
    }
    const auto uniformity = std::ranges::find(filters, uniformity_rule, &Filter::rule);
    leaves_uniformity_ = uniformity != filters.end() && uniformity->severity.text != "error";
}

void Resolver::collect() {
    for (const ast::Declaration& declaration : ast_.declarations) {
        std::string_view name;
        SourceLocation where;
        const auto note = [&](const auto& thing) { name = thing.name, where = thing.where; };
        switch (declaration.kind) {
            case ast::DeclarationKind::variable: note(ast_.variables[declaration.index]); break;
            case ast::DeclarationKind::structure: note(ast_.structures[declaration.index]); break;
            case ast::DeclarationKind::alias: note(ast_.aliases[declaration.index]); break;
            case ast::DeclarationKind::function: note(ast_.functions[declaration.index]); break;
            case ast::DeclarationKind::const_assert: continue;
        }
        guarded([&] {
            const auto [at, is_new] =
                module_.try_emplace(name, ModuleSymbol{declaration.kind, declaration.index});
            if (!is_new)
                refuse(where,
                       {fmt::format("{} is declared twice at module scope.", name),
                        "give one of them another name."},
                       declared(name, "first declared"));
            order_.push_back(&at->second);
        });
    }
}

SourceLocation Resolver::place_of(const ModuleSymbol& symbol) const {
    switch (symbol.kind) {
        case ast::DeclarationKind::variable: return ast_.variables[symbol.index].where;
        case ast::DeclarationKind::structure: return ast_.structures[symbol.index].where;
        case ast::DeclarationKind::alias: return ast_.aliases[symbol.index].where;
        case ast::DeclarationKind::function: return ast_.functions[symbol.index].where;
        case ast::DeclarationKind::const_assert: break;
    }
    return {};
}

Resolver::ModuleSymbol& Resolver::resolved_symbol(std::string_view name, SourceLocation where) {
    ModuleSymbol& symbol = module_.at(name);
    if (symbol.state == State::in_work)
        refuse(where, fmt::format("The declaration of {} depends on itself.", name), "break the cycle.");
    if (depth_ >= limits::declaration_depth)
        refuse(where,
               fmt::format("{} declarations need each other in a chain; the limit is {}.", depth_ + 1,
                           limits::declaration_depth),
               "declare constants and types before what needs them, or shorten the chain.");
    resolve(symbol);
    return symbol;
}

void Resolver::resolve(ModuleSymbol& symbol) {
    if (symbol.state == State::done) return;
    if (symbol.state == State::failed && symbol.unsupported) throw Refusal{*symbol.unsupported, false, true};
    if (symbol.state == State::failed) throw Refusal{{}, true};
    // A declaration is resolved in module scope, wherever it was first needed.
    struct Restore {
        Resolver& self;
        bool in_module_scope;
        std::uint32_t unevaluated;
        ModuleSymbol& symbol;
        ~Restore() {
            --self.depth_;
            self.in_module_scope_ = in_module_scope;
            self.unevaluated_ = unevaluated;
            if (symbol.state == State::in_work) symbol.state = State::failed;
        }
    } restore{*this, in_module_scope_, unevaluated_, symbol};
    ++depth_;
    in_module_scope_ = true;
    unevaluated_ = 0;
    symbol.state = State::in_work;
    try {
        resolve_declaration(symbol);
    } catch (const Refusal& refusal) {
        if (refusal.is_unsupported) {
            symbol.unsupported = refusal.diagnostic;
            if (symbol.function != nullptr) symbol.function->unsupported.push_back(refusal.diagnostic);
        }
        throw;
    }
    symbol.state = State::done;
}

void Resolver::resolve_declaration(ModuleSymbol& symbol) {
    switch (symbol.kind) {
        case ast::DeclarationKind::variable: resolve_variable(symbol, ast_.variables[symbol.index]); break;
        case ast::DeclarationKind::structure: resolve_structure(symbol, ast_.structures[symbol.index]); break;
        case ast::DeclarationKind::alias: {
            const ast::Alias& alias = ast_.aliases[symbol.index];
            symbol.type = type(alias.type);
            out_.aliases.emplace_back(alias.name, symbol.type);
            break;
        }
        case ast::DeclarationKind::function: resolve_signature(symbol, ast_.functions[symbol.index]); break;
        case ast::DeclarationKind::const_assert: break;
    }
}

void Resolver::resolve_variable(ModuleSymbol& symbol, const ast::Variable& variable) {
    if (variable.kind == ast::VariableKind::var) return resolve_global(symbol, variable);
    if (variable.kind == ast::VariableKind::override_) return resolve_override(symbol, variable);
    allow(variable.attributes, {}, "a const declaration");
    if (!variable.initial)
        refuse(variable.where, fmt::format("The constant {} has no value.", variable.name), "add `= value`.");
    Expr* initial = value(variable.initial);
    if (variable.type)
        initial = convert(initial, type(variable.type), fmt::format("the constant {}", variable.name));
    if (!initial->is_known() || initial->stage != Stage::constant)
        refuse(initial->where,
               fmt::format("The value of the constant {} isn't a const-expression.", variable.name),
               "use literals, constants and built-in functions of them, or declare an override.");
    symbol.value = initial;
}

void Resolver::resolve_global(ModuleSymbol& symbol, const ast::Variable& variable) {
    constexpr std::array<std::string_view, 2> names{"group", "binding"};
    Global& global = out_.globals.emplace_back();
    global.name = variable.name;
    global.where = variable.where;
    global.index = static_cast<std::uint32_t>(out_.globals.size() - 1);
    const auto templates = ast_[variable.templates];
    // Textures and samplers have no address space; type() refuses them as unsupported.
    if (templates.empty() && variable.type) (void)type(variable.type);
    if (templates.empty())
        refuse(variable.where,
               fmt::format("The module-scope variable {} has no address space.", variable.name),
               "write var<storage, read_write>, var<uniform>, var<workgroup> or var<private>.");
    global.is_immediate = ast_[templates[0]].name == "immediate";
    global.space = address_space(ast_[templates[0]]);
    if (global.space == AddressSpace::function)
        refuse(variable.where, "The address space function is for variables inside functions.",
               "write var<private>.");
    const bool bound = global.space == AddressSpace::storage || global.space == AddressSpace::uniform;
    global.access = bound ? Access::read : Access::read_write;
    if (templates.size() > 1) {
        if (global.space != AddressSpace::storage)
            refuse(ast_[templates[1]].where, "Only storage variables take an access mode.", "remove it.");
        global.access = access_mode(ast_[templates[1]]);
        if (global.access == Access::write)
            refuse(ast_[templates[1]].where, "A storage variable can't be write-only.", "write read_write.");
    }
    allow(variable.attributes,
          bound && !global.is_immediate ? std::span<const std::string_view>(names)
                                        : std::span<const std::string_view>(),
          "this variable");
    const auto number = [&](std::string_view name) {
        const ast::Attribute* attribute = find(variable.attributes, name);
        if (attribute == nullptr)
            refuse(variable.where, fmt::format("The variable {} has no @{}.", variable.name, name),
                   "write @group(0) @binding(0) in front, with its numbers.");
        return static_cast<std::uint32_t>(attribute_integer(*attribute, 0, limits::binding_number));
    };
    if (bound && !global.is_immediate) global.group = number("group"), global.binding = number("binding");

    Expr* initial = nullptr;
    if (variable.initial) {
        if (global.space != AddressSpace::private_)
            refuse(variable.where,
                   fmt::format("A {} variable can't have an initial value.", muster::name(global.space)),
                   "remove it and assign in a function.");
        initial = value(variable.initial);
    }
    if (variable.type) {
        global.type = type(variable.type);
        if (initial != nullptr)
            initial = convert(initial, global.type, fmt::format("the variable {}", variable.name));
    } else {
        if (initial == nullptr)
            refuse(variable.where,
                   fmt::format("The variable {} has neither a type nor a value.", variable.name),
                   "add `: type`.");
        initial = concrete(initial);
        global.type = initial->type;
    }
    if (initial != nullptr && !initial->is_known() && initial->form != ExpressionForm::unset_override)
        refuse(initial->where, "The initial value of a private variable isn't known before the program runs.",
               "use constants and overrides, or assign in a function.");
    global.initial = initial;

    check_type_of(global);
    symbol.global = &global;
}

void Resolver::check_type_of(const Global& global) const {
    const bool bound = global.space == AddressSpace::storage || global.space == AddressSpace::uniform;
    const TypeRef type = global.type;
    if (type->kind == Kind::buffer) return check_buffer(global);
    const auto has_array = [](const auto& self, TypeRef t) -> bool {
        return t->kind == Kind::array ||
               std::ranges::any_of(t->members, [&](const WgslMember& m) { return self(self, m.type); });
    };
    if (global.is_immediate && has_array(has_array, type))
        refuse(global.where, fmt::format("The immediate {} is or holds an array.", global.name),
               "use scalars, vectors, matrices and structures of them, or var<uniform>.");
    if (bound && !type->host_shareable)
        refuse(global.where,
               fmt::format("The type {} of {} can't be shared with the host.", type->name, global.name),
               "use i32, u32, f32, their vectors, and arrays and structures of them; bool isn't allowed.");
    if (global.space == AddressSpace::uniform && !type->constructible)
        refuse(
            global.where,
            fmt::format("The uniform variable {} has type {}, which holds an atomic or is sized at run time.",
                        global.name, type->name),
            "use var<storage>, or a fixed-size type without atomics.");
    if (global.space == AddressSpace::storage && global.access == Access::read && holds_atomic(type))
        refuse(global.where, fmt::format("{} holds an atomic and is read-only.", global.name),
               "write var<storage, read_write>.");
    if (global.space == AddressSpace::private_ && !type->constructible)
        refuse(global.where, fmt::format("A private variable can't have type {}.", type->name),
               "use a fixed-size type without atomics.");
    if (global.space == AddressSpace::workgroup && (type->has_runtime_array || type->kind == Kind::pointer))
        refuse(global.where, fmt::format("A workgroup variable can't have type {}.", type->name),
               "give arrays a size.");
}

// An entry point uses one of them at most, so all may have one number.
void Resolver::place_immediates() {
    std::vector<std::uint32_t> taken;
    for (const Global& each : out_.globals)
        if ((each.space == AddressSpace::storage || each.space == AddressSpace::uniform) && each.group == 0 &&
            !each.is_immediate)
            taken.push_back(each.binding);
    std::ranges::sort(taken);
    std::uint32_t free = 0;
    for (const std::uint32_t each : taken) free += each == free ? 1 : 0;
    for (Global& each : out_.globals)
        if (each.is_immediate) each.binding = free;
}

// Depth-first search over calls, with an explicit stack.
void Resolver::refuse_recursion() {
    enum class Mark : std::uint8_t { white, grey, black };
    std::unordered_map<const TypedFunction*, Mark> marks;
    for (const TypedFunction& root : out_.functions) {
        std::vector<std::pair<const TypedFunction*, std::size_t>> stack;
        if (marks[&root] == Mark::white) stack.emplace_back(&root, 0), marks[&root] = Mark::grey;
        while (!stack.empty()) {
            auto& [function, next] = stack.back();
            if (next == function->callees.size()) {
                marks[function] = Mark::black;
                stack.pop_back();
                continue;
            }
            const TypedFunction* callee = function->callees[next++];
            if (marks[callee] == Mark::grey)
                refuse(callee->where,
                       fmt::format("The function {} calls itself{}.", callee->name,
                                   callee == function ? "" : fmt::format(" through {}", function->name)),
                       "WGSL has no recursion; use a loop.");
            if (marks[callee] == Mark::white) {
                marks[callee] = Mark::grey;
                stack.emplace_back(callee, 0);
            }
        }
    }
}

}  // namespace muster::wgsl
