// Resolves calls: value constructors, built-in functions, the program's own functions.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/wgsl/parse/limits.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {
namespace {

/// Prefixes of WGSL's built-in functions that muster doesn't support yet, and the
/// feature that each belongs to.
struct Unsupported {
    std::string_view prefix, feature;
};
constexpr std::array unsupported{
    Unsupported{"texture", "textures"},
    Unsupported{"dpdx", "derivatives"},
    Unsupported{"dpdy", "derivatives"},
    Unsupported{"fwidth", "derivatives"},
};

void refuse_unsupported_function(std::string_view name, SourceLocation where) {
    for (const Unsupported& each : unsupported)
        if (name.starts_with(each.prefix))
            refuse_unsupported(
                where,
                fmt::format("The function {} is not supported yet by muster ({}).", name, each.feature),
                "write it without.");
}

bool is_of_subgroups(std::string_view name) {
    return name.starts_with("subgroup") || name.starts_with("quad");
}

std::string list_types(std::span<TypedExpression* const> parts) {
    std::string text;
    for (const TypedExpression* part : parts) text += (text.empty() ? "" : ", ") + part->type->name;
    return text;
}

}  // namespace

TypedExpression* Resolver::call(const ast::Expression& e) {
    const ast::Expression& callee = ast_[e.a];
    if (const LocalSymbol* local = find_local(callee.name)) {
        if (local->failed) throw Refusal{{}, true};
        refuse(e.where,
               {fmt::format("{} is a value here, not a function.", callee.name),
                "rename the value, or call something else."},
               declared(callee.name));
    }
    if (module_.contains(callee.name)) {
        ModuleSymbol& symbol = resolved_symbol(callee.name, callee.where);
        if (symbol.function != nullptr) return user_call(*symbol.function, e);
        if (symbol.type != nullptr) return construct(type(e.a), e);
        refuse(e.where,
               {fmt::format("{} is a value, not a function.", callee.name), "call a function or a type."},
               declared(callee.name));
    }
    const std::string_view name = predeclared(callee.name);
    if (is_predeclared_type(name)) {
        const bool inferred =
            !callee.has_template && (name == "array" || (name.starts_with("vec") && name.size() == 4) ||
                                     (name.starts_with("mat") && name.size() == 6));
        return inferred ? construct_inferred(callee, e) : construct(type(e.a), e);
    }
    if (name == "bitcast") return bitcast(callee, e);
    if (name == "bufferView" || name == "bufferArrayView") return buffer_view(name, callee, e);
    if (!is_function(name) && name != "textureBarrier") refuse_unsupported_function(name, e.where);
    if (callee.has_template)
        refuse(e.where, fmt::format("The function {} takes no template arguments.", name), "remove them.");
    return function_call(name, e);
}

std::vector<TypedExpression*> Resolver::arguments(const ast::Expression& e) {
    std::vector<Expr*> values;
    for (ast::ExpressionId id : ast_[e.list]) values.push_back(value(id));
    return values;
}

void Resolver::expect_arguments(const ast::Expression& e, std::string_view name, std::size_t count) {
    if (e.list.count != count)
        refuse(e.where,
               {fmt::format("{} takes {} argument{}, {} given.", name, count, count == 1 ? "" : "s",
                            e.list.count),
                "add or remove arguments."},
               declared(name));
}

// Value constructors.

TypedExpression* Resolver::construct(TypeRef type, const ast::Expression& e) {
    if (!type->constructible)
        refuse(e.where, fmt::format("A value of type {} can't be made.", type->name),
               "use a fixed-size type without atomics.");
    if (type->words > ConstValue::max_words)
        refuse(e.where,
               fmt::format("A value of type {} has {} scalars; the limit is {}.", type->name, type->words,
                           ConstValue::max_words),
               "use a smaller one.");
    std::vector<Expr*> parts = arguments(e);
    if (parts.empty()) return known(ConstValue::zero(type), Stage::constant, e.where);
    if (type->is_scalar()) {
        expect_arguments(e, type->name, 1);
        return construct_scalar(type, parts[0], e.where);
    }
    if (type->is_vector()) {
        if (parts.size() == 1 && parts[0]->type->is_vector() && parts[0]->type->count == type->count)
            return construct_scalar(type, parts[0], e.where);
        return construct_vector(type->element, type->count, std::move(parts), e.where);
    }
    if (type->is_matrix()) return construct_matrix(type, std::move(parts), e.where);
    return construct_composite(type, std::move(parts), e.where);
}

TypedExpression* Resolver::construct_inferred(const ast::Expression& callee, const ast::Expression& e) {
    std::vector<Expr*> parts = arguments(e);
    const std::string_view name = predeclared(callee.name);
    const MatrixShape matrix = matrix_shape(name);
    const bool is_vector = name.starts_with("vec");
    const auto width = is_vector ? static_cast<std::uint32_t>(name[3] - '0') : 0;
    if (parts.empty()) {
        if (!is_vector)
            refuse(e.where, fmt::format("{}() has neither a type nor elements.", name),
                   matrix.columns != 0 ? fmt::format("write {}f().", name) : "write array<f32, 4>().");
        return known(ConstValue::zero(types_.vector(types_.abstract_int, width)), Stage::constant, e.where);
    }
    const auto kind = [&](const Expr* part) { return name == "array" ? part->type : part->type->scalar(); };
    TypeRef common = kind(parts[0]);
    for (const Expr* part : parts) {
        const TypeRef of = kind(part);
        if (converts(common, of))
            common = of;
        else if (!converts(of, common))
            refuse(part->where,
                   fmt::format("{} is given {} and {}, which have no common type.", callee.name, common->name,
                               of->name),
                   fmt::format("convert one, as in {}(...).", types_.concrete(common)->name));
    }
    if (matrix.columns != 0 && common == types_.abstract_int) common = types_.abstract_float;
    if (stage_of(parts) != Stage::constant) common = types_.concrete(common);
    if (matrix.columns != 0) {
        if (!common->is_scalar() || !common->is_float())
            refuse(e.where, fmt::format("A matrix can't have components of type {}.", common->name),
                   "use f32.");
        return construct_matrix(types_.matrix(common, matrix.columns, matrix.rows), std::move(parts),
                                e.where);
    }
    if (is_vector) {
        if (!common->is_scalar())
            refuse(e.where, fmt::format("A vector can't have components of type {}.", common->name),
                   "use scalars or vectors.");
        return construct_vector(common, width, std::move(parts), e.where);
    }
    if (!common->constructible)
        refuse(e.where, fmt::format("An array can't have elements of type {} here.", common->name),
               "use values.");
    const TypeRef made = types_.array(common, static_cast<std::uint32_t>(parts.size()));
    return construct_composite(made, std::move(parts), e.where);
}

// Converts a scalar, or a vector or matrix of the same shape by component.
TypedExpression* Resolver::construct_scalar(TypeRef type, Expr* argument, SourceLocation where) {
    if (!have_one_shape(argument->type, type))
        refuse(where, fmt::format("{} can't be made of {}.", type->name, argument->type->name),
               "give it a value of the same shape.");
    if (type->is_narrow() && !argument->type->is_integer() && !argument->type->is_narrow())
        refuse(where, fmt::format("{} can't be made of {}.", type->name, argument->type->name),
               "convert it to an i32 or a u32 first.");
    if (argument->is_known())
        return known(convert_constant(argument->constant, type), type, argument->stage, where);
    if (argument->type == type) return argument;
    return make(ExpressionForm::convert, type, where, {argument});
}

TypedExpression* Resolver::construct_matrix(TypeRef type, std::vector<Expr*> parts, SourceLocation where) {
    if (parts.size() == 1) return construct_scalar(type, parts[0], where);
    const std::uint32_t rows = type->rows();
    if (parts.size() == std::size_t{type->count} * rows) {
        std::vector<Expr*> columns;
        for (std::size_t n = 0; n < parts.size(); n += rows)
            columns.push_back(construct_composite(type->element, {&parts[n], &parts[n] + rows}, where));
        parts = std::move(columns);
    }
    if (parts.size() != type->count)
        refuse(where,
               fmt::format("{} takes {} columns or {} scalars, {} values given ({}).", type->name,
                           type->count, type->words, parts.size(), list_types(parts)),
               "give it all columns, all scalars in the columns' order, or none for zero.");
    return construct_composite(type, std::move(parts), where);
}

TypedExpression* Resolver::construct_vector(TypeRef scalar, std::uint32_t width, std::vector<Expr*> parts,
                                            SourceLocation where) {
    const TypeRef type = types_.vector(scalar, width);
    std::uint32_t components = 0;
    for (Expr*& part : parts) {
        if (!part->type->is_scalar() && !part->type->is_vector())
            refuse(part->where, fmt::format("{} can't be made of {}.", type->name, part->type->name),
                   "use scalars and vectors.");
        part = convert(part, types_.shaped(scalar, part->type), type->name);
        components += part->type->width();
    }
    if (parts.size() == 1 && components == 1) return splat(parts[0], width);
    if (components != width)
        refuse(where, fmt::format("{} takes {} components, {} given.", type->name, width, components),
               "give it one scalar for all, or one for each.");
    return compose(type, std::move(parts), where);
}

TypedExpression* Resolver::construct_composite(TypeRef type, std::vector<Expr*> parts, SourceLocation where) {
    const bool is_structure = type->kind == Kind::structure;
    const std::size_t count = is_structure ? type->members.size() : type->count;
    if (parts.size() != count)
        refuse(where,
               fmt::format("{} takes {} values, {} given ({}).", type->name, count, parts.size(),
                           list_types(std::span(parts).first(std::min<std::size_t>(parts.size(), 8)))),
               "give one value each, or none for zero.");
    for (std::size_t n = 0; n < count; ++n)
        parts[n] =
            convert(parts[n], is_structure ? type->members[n].type : type->element,
                    is_structure ? fmt::format("The member {} of {}", type->members[n].name, type->name)
                                 : fmt::format("An element of {}", type->name));
    return compose(type, std::move(parts), where);
}

TypedExpression* Resolver::compose(TypeRef type, std::vector<Expr*> parts, SourceLocation where) {
    const Stage stage = stage_of(parts);
    if (type->words > ConstValue::max_words)
        refuse(where,
               fmt::format("A value of type {} has {} scalars; the limit is {}.", type->name, type->words,
                           ConstValue::max_words),
               "use a smaller one.");
    if (!all_known(parts)) return make(ExpressionForm::compose, type, where, std::move(parts));
    spend_words(type->words, where);
    std::vector<Word> words;
    words.reserve(type->words);
    for (const Expr* part : parts)
        words.insert(words.end(), part->constant.words().begin(), part->constant.words().end());
    return known(ConstValue(type, words), stage, where);
}

// Functions.

TypedExpression* Resolver::function_call(std::string_view name, const ast::Expression& e) {
    if (name == "arrayLength") return array_length(e);
    if (name == "bufferLength") return buffer_length(e);
    if (name == "workgroupBarrier") return barrier(Op::workgroup_barrier, name, e);
    // A kernel that runs has no textures, so that of a texture's barrier only its waiting is left.
    if (name == "storageBarrier" || name == "textureBarrier") return barrier(Op::storage_barrier, name, e);
    if (name == "workgroupUniformLoad") return workgroup_uniform_load(e);
    if (name == "gridBarrier") return grid_barrier(e);
    if (name == "gridUniformLoad") return grid_uniform_load(e);
    if (name.starts_with("atomic")) return atomic(name, e);
    if (!is_function(name)) refuse_unknown(Wanted::function, name, e.where);
    if (is_of_subgroups(name)) need_subgroups(name, e.where);
    std::vector<Expr*> values = arguments(e);
    std::vector<Argument> described;
    for (const Expr* each : values) described.push_back({each->type, each->stage == Stage::constant});
    auto chosen = choose_overload(types_, name, described);
    if (!chosen) refuse(e.where, std::move(chosen).error());
    return function_call(*std::move(chosen), name, std::move(values), e.where);
}

TypedExpression* Resolver::function_call(FunctionCall chosen, std::string_view name,
                                         std::vector<Expr*> values, SourceLocation where) {
    const FunctionCall& call = out_.calls.emplace_back(std::move(chosen));
    std::vector<const ConstValue*> constants;
    for (std::size_t n = 0; n < values.size(); ++n) {
        values[n] = convert(values[n], call.parameters[n], name);
        constants.push_back(values[n]->is_known() ? &values[n]->constant : nullptr);
    }
    if (all_known(values) && !is_of_subgroups(name)) {
        std::vector<ConstValue> known_values;
        for (const Expr* each : values) known_values.push_back(each->constant);
        return known(evaluate(call, known_values), call.result, stage_of(values), where);
    }
    if (auto wrong = check_arguments(call, constants); wrong && unevaluated_ == 0)
        refuse(where, *std::move(wrong));
    Expr* result = make(ExpressionForm::builtin_call, call.result, where, std::move(values));
    result->call = &call;
    result->name = name;
    result->cost += 3;
    if (is_of_subgroups(name)) {
        result->stage = Stage::runtime;
        result->is_cheap = false;
        result->may_diverge = subgroups_may_diverge_;
        if (!subgroups_may_diverge_) out_.needs_uniformity = true;
    }
    return result;
}

TypedExpression* Resolver::bitcast(const ast::Expression& callee, const ast::Expression& e) {
    const auto templates = ast_[callee.list];
    if (templates.size() != 1)
        refuse(e.where, fmt::format("bitcast takes one template argument, {} given.", templates.size()),
               "write bitcast<u32>(x).");
    expect_arguments(e, "bitcast", 1);
    const TypeRef to = type(templates[0]);
    Expr* a = value(ast_[e.list][0]);
    // bitcast from an abstract integer to u32 converts it to u32 first, so it must fit.
    if (a->type->is_abstract)
        a = a->type->is_integer() && to->scalar()->kind == Kind::u32
                ? convert(a, types_.shaped(types_.u32, a->type), "bitcast")
                : concrete(a);
    const auto has_bits = [](TypeRef t) { return (t->is_scalar() || t->is_vector()) && !t->is_narrow(); };
    const bool shaped = has_bits(to) && has_bits(a->type);
    if (!shaped || to->is_boolean() || a->type->is_boolean() || to->size != a->type->size)
        refuse(e.where, fmt::format("{} can't be seen as {}.", a->type->name, to->name),
               "use numbers and vectors of the same size.");
    if (a->is_known()) return known(reinterpret(a->constant, to), to, a->stage, e.where);
    return a->type == to ? a : make(ExpressionForm::bitcast, to, e.where, {a});
}

TypedExpression* Resolver::array_length(const ast::Expression& e) {
    expect_arguments(e, "arrayLength", 1);
    Expr* reference = expression(ast_[e.list][0]);
    if (reference->is_reference || reference->type->kind != Kind::pointer ||
        !(reference->type->element->kind == Kind::array && reference->type->element->count == 0))
        refuse(e.where,
               fmt::format("arrayLength takes a pointer to an array sized at run time, not {}.",
                           reference->type->name),
               reference->is_reference ? "write & in front." : "pass &x of a storage variable array<T>.");
    Expr* result = make(ExpressionForm::array_length, types_.u32, e.where, {reference});
    result->is_cheap = true;
    return result;
}

TypedExpression* Resolver::barrier(Op op, std::string_view name, const ast::Expression& e) {
    expect_arguments(e, name, 0);
    Expr* result = make(ExpressionForm::barrier, types_.nothing, e.where);
    result->op = op;
    result->name = name;
    result->is_cheap = false;
    out_.needs_uniformity = true;
    return result;
}

TypedExpression* Resolver::workgroup_uniform_load(const ast::Expression& e) {
    expect_arguments(e, "workgroupUniformLoad", 1);
    Expr* reference = expression(ast_[e.list][0]);
    const TypeRef of = reference->type->kind == Kind::pointer ? reference->type->element : nullptr;
    if (reference->is_reference || of == nullptr || reference->space != AddressSpace::workgroup)
        refuse(e.where,
               fmt::format("workgroupUniformLoad takes a pointer to workgroup memory, not {}.",
                           reference->type->name),
               reference->is_reference ? "write & in front." : "pass &x of a workgroup variable.");
    if (!of->constructible && of->kind != Kind::atomic)
        refuse(e.where, fmt::format("A value of type {} can't be read as a whole.", of->name),
               "load an element without atomics, or one atomic.");
    Expr* result = make(ExpressionForm::workgroup_uniform_load, of->kind == Kind::atomic ? of->element : of,
                        e.where, {reference});
    result->is_cheap = false;
    out_.needs_uniformity = true;
    return result;
}

void Resolver::need_grid_barrier(std::string_view name, SourceLocation where) const {
    if (!grid_barrier_enabled_)
        refuse(where,
               fmt::format("{} needs the extension {}, which isn't enabled.", name, grid_barrier_enable),
               fmt::format("write `enable {};` as the first line.", grid_barrier_enable));
}

void Resolver::need_subgroups(std::string_view name, SourceLocation where) const {
    if (!subgroups_enabled_)
        refuse(where, fmt::format("{} needs the extension subgroups, which isn't enabled.", name),
               "write `enable subgroups;` as the first line.");
}

TypedExpression* Resolver::grid_barrier(const ast::Expression& e) {
    need_grid_barrier("gridBarrier", e.where);
    expect_arguments(e, "gridBarrier", 0);
    Expr* result = make(ExpressionForm::grid_barrier, types_.nothing, e.where);
    result->is_cheap = false;
    return result;
}

TypedExpression* Resolver::grid_uniform_load(const ast::Expression& e) {
    need_grid_barrier("gridUniformLoad", e.where);
    expect_arguments(e, "gridUniformLoad", 1);
    Expr* reference = expression(ast_[e.list][0]);
    const TypeRef of = reference->type->kind == Kind::pointer ? reference->type->element : nullptr;
    const TypeRef word = of != nullptr && of->kind == Kind::atomic ? of->element : of;
    if (reference->is_reference || word == nullptr || (word != types_.i32 && word != types_.u32))
        refuse(
            e.where,
            fmt::format("gridUniformLoad takes a pointer to a u32, an i32 or an atomic one, not {}.",
                        reference->type->name),
            reference->is_reference ? "write & in front." : "load one word, as in gridUniformLoad(&count).");
    if (reference->space != AddressSpace::storage)
        refuse(e.where,
               fmt::format("gridUniformLoad reads storage variables, not {} ones.",
                           muster::name(reference->space)),
               "declare it var<storage, read_write>.");
    Expr* result = make(ExpressionForm::grid_uniform_load, word, e.where, {reference});
    result->is_cheap = false;
    return result;
}

TypedExpression* Resolver::atomic(std::string_view name, const ast::Expression& e) {
    const auto* const spelled = std::ranges::find(op_spellings, name);
    if (spelled == std::end(op_spellings)) refuse_unknown(Wanted::function, name, e.where);
    const Op op{static_cast<std::uint8_t>(spelled - std::begin(op_spellings))};
    expect_arguments(e, name, static_cast<std::size_t>(info(op).operands));
    Expr* reference = expression(ast_[e.list][0]);
    if (reference->is_reference || reference->type->kind != Kind::pointer ||
        reference->type->element->kind != Kind::atomic)
        refuse(e.where, fmt::format("{} takes a pointer to an atomic, not {}.", name, reference->type->name),
               reference->is_reference ? "write & in front." : "pass &x of an atomic variable.");
    if (reference->space != AddressSpace::storage && reference->space != AddressSpace::workgroup)
        refuse(e.where,
               fmt::format("{} works on storage and workgroup variables, not {} ones.", name,
                           muster::name(reference->space)),
               "declare it var<workgroup> or var<storage, read_write>.");
    if (reference->access != Access::read_write)
        refuse(e.where,
               fmt::format("{} needs read_write access, and the pointer has {}.", name,
                           muster::name(reference->access)),
               "write read_write.");
    const TypeRef scalar = reference->type->element->element;
    if (scalar == types_.f32 && !is_atomic_of_f32(op))
        refuse(e.where, fmt::format("{} doesn't work on atomic<f32>.", name),
               "use an atomic<u32>, with bitcast<u32>(x) as the value.");
    std::vector<Expr*> operands{reference};
    for (std::size_t n = 1; n < ast_[e.list].size(); ++n)
        operands.push_back(convert(value(ast_[e.list][n]), scalar, name));
    TypeRef result = op == Op::atomic_store ? types_.nothing : scalar;
    if (op == Op::atomic_compare_exchange)
        result = types_.hidden_structure(
            fmt::format("__atomic_compare_exchange_result_{}", scalar->name),
            {{.name = "old_value", .type = scalar}, {.name = "exchanged", .type = types_.boolean}});
    Expr* made = make(ExpressionForm::atomic, result, e.where, std::move(operands));
    made->op = op;
    made->name = *spelled;
    made->is_cheap = false;
    return made;
}

TypedExpression* Resolver::user_call(TypedFunction& callee, const ast::Expression& e) {
    if (in_module_scope_)
        refuse(e.where, fmt::format("The function {} can't be called before the program runs.", callee.name),
               "use built-in functions of constants here.");
    if (!callee.stage.empty())
        refuse(e.where, fmt::format("{} is an entry point and can't be called.", callee.name),
               "move its body to a function that both call.");
    if (ast_[e.a].has_template)
        refuse(e.where, fmt::format("The function {} takes no template arguments.", callee.name),
               "remove them.");
    expect_arguments(e, callee.name, callee.parameters.size());
    std::vector<Expr*> operands;
    for (std::size_t n = 0; n < callee.parameters.size(); ++n) {
        const Local& parameter = *callee.parameters[n];
        const auto place = [&] {
            return std::vector<RelatedPlace>{
                {parameter.where, fmt::format("{} is declared here", parameter.name)}};
        };
        Expr* argument =
            parameter.type->kind == Kind::pointer ? expression(ast_[e.list][n]) : value(ast_[e.list][n]);
        if (parameter.type->kind != Kind::pointer)
            argument = convert(argument, parameter.type,
                               fmt::format("The parameter {} of {}", parameter.name, callee.name), place);
        else if (argument->is_reference || !passes_as(argument->type, parameter.type))
            refuse(argument->where,
                   {fmt::format("The parameter {} of {} takes {}, not {}.", parameter.name, callee.name,
                                parameter.type->name, argument->type->name),
                    argument->is_reference ? "write & in front."
                    : parameter.type->element->kind == Kind::buffer
                        ? "pass a buffer that is at least as large, of this address space and access mode."
                        : "address space, type and access mode must agree."},
                   place());
        operands.push_back(argument);
    }
    if (std::ranges::find(function_->callees, &callee) == function_->callees.end())
        function_->callees.push_back(&callee);
    Expr* result = make(ExpressionForm::user_call, callee.result, e.where, std::move(operands));
    result->form = ExpressionForm::user_call;
    result->callee = &callee;
    result->name = callee.name;
    result->is_cheap = false;
    return result;
}

}  // namespace muster::wgsl
