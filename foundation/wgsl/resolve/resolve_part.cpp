// Resolves access to parts: elements, members, swizzles.

#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/wgsl/resolve/names.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {

TypedExpression* Resolver::element_reference(Expr* base, Expr* index, SourceLocation where) {
    Expr* reference = make(ExpressionForm::index_reference, store_type(base)->element, where, {base, index});
    reference->is_reference = true;
    reference->space = base->space;
    reference->access = base->access;
    reference->name = base->name;
    reference->is_cheap = reference->is_cheap && index->is_known();
    reference->cost = base->cost;
    return reference;
}

TypedExpression* Resolver::known_index(Expr* index, TypeRef of, SourceLocation where) {
    const std::int64_t n = index->constant.integer();
    if ((n < 0 || (of->count != 0 && n >= of->count)) && unevaluated_ == 0)
        refuse(where, fmt::format("The index {} is outside {}.", n, of->name),
               of->count == 0 ? "use an index from 0." : fmt::format("use 0 to {}.", of->count - 1));
    // All constant indices get one type, so that a[1], a[1i] and a[1u] become equal nodes.
    return known(
        ConstValue(types_.u32, word(std::int64_t{n < 0 || (of->count != 0 && n >= of->count) ? 0 : n})),
        index->stage, index->where);
}

TypedExpression* Resolver::index(const ast::Expression& e) {
    Expr* base = expression(e.a);
    Expr* index = concrete(value(e.b));
    const bool is_memory_view = base->is_reference || base->type->kind == Kind::pointer;
    const TypeRef of = is_memory_view ? store_type(base) : base->type;
    if (of->kind != Kind::array && of->kind != Kind::vector && of->kind != Kind::matrix)
        refuse(e.where, fmt::format("A value of type {} has no elements.", of->name),
               "index an array, a vector or a matrix.");
    if (!index->type->is_index())
        refuse(index->where, fmt::format("An index has type {}.", index->type->name), "use an i32 or a u32.");
    if (index->is_known()) index = known_index(index, of, e.where);
    if (is_memory_view) return element_reference(base, index, e.where);
    if (index->is_known()) {
        const auto which = static_cast<std::uint32_t>(index->constant.integer());
        if (base->is_known())
            return known(base->constant.element(which), std::max(base->stage, index->stage), e.where);
        Expr* part = make(ExpressionForm::extract, of->element, e.where, {base});
        part->index = which;
        return part;
    }
    base = concrete(base);
    Expr* part = make(ExpressionForm::extract_dynamic, base->type->element, e.where, {base, index});
    part->is_cheap = false;  // reports of out-of-bounds indices need it evaluated only if reached
    return part;
}

TypedExpression* Resolver::member(const ast::Expression& e) {
    Expr* base = expression(e.a);
    const bool is_memory_view = base->is_reference || base->type->kind == Kind::pointer;
    const TypeRef of = is_memory_view ? store_type(base) : base->type;
    if (of->kind == Kind::structure) return structure_member(base, e);
    if (of->kind == Kind::vector) return swizzle(base, e);
    refuse(e.where, fmt::format("A value of type {} has no member {}.", of->name, e.name),
           "structures and vectors have members.");
}

TypedExpression* Resolver::structure_member(Expr* base, const ast::Expression& e) {
    const bool is_memory_view = base->is_reference || base->type->kind == Kind::pointer;
    const TypeRef of = is_memory_view ? store_type(base) : base->type;
    const auto found = std::ranges::find(of->members, e.name, &WgslMember::name);
    if (found == of->members.end()) {
        std::string names;
        for (std::size_t n = 0; n < std::min<std::size_t>(of->members.size(), 12); ++n)
            names += (n == 0 ? "" : ", ") + of->members[n].name;
        std::vector<std::string> members;
        for (const WgslMember& each : of->members) members.push_back(each.name);
        refuse(e.where,
               {fmt::format("The structure {} has no member {}.", of->name, e.name),
                nearest_fix(e.name, members,
                            fmt::format("it has {}{}.", names, of->members.size() > 12 ? ", ..." : ""))},
               declared(of->name));
    }
    const auto which = static_cast<std::uint32_t>(found - of->members.begin());
    if (!is_memory_view && base->is_known())
        return known(base->constant.element(which), base->stage, e.where);
    Expr* part = make(is_memory_view ? ExpressionForm::member_reference : ExpressionForm::extract,
                      found->type, e.where, {base});
    part->index = which;
    if (is_memory_view) {
        part->is_reference = true;
        part->space = base->space;
        part->access = base->access;
        part->name = base->name;
        part->cost = base->cost;
    }
    return part;
}

TypedExpression* Resolver::swizzle(Expr* base, const ast::Expression& e) {
    const bool is_memory_view = base->is_reference || base->type->kind == Kind::pointer;
    const TypeRef of = is_memory_view ? store_type(base) : base->type;
    std::vector<std::uint8_t> components;
    constexpr std::string_view xyzw = "xyzw", rgba = "rgba";
    const std::string_view letters =
        !e.name.empty() && xyzw.find(e.name[0]) != std::string_view::npos ? xyzw : rgba;
    for (char c : e.name) {
        const std::size_t at = letters.find(c);
        if (at == std::string_view::npos || at >= of->count || components.size() == 4)
            refuse(e.where, fmt::format("{} isn't a swizzle of {}.", e.name, of->name),
                   fmt::format("use up to four of {} or of {}.", xyzw.substr(0, of->count),
                               rgba.substr(0, of->count)));
        components.push_back(static_cast<std::uint8_t>(at));
    }
    if (is_memory_view && components.size() == 1)
        return element_reference(
            base, known(ConstValue(types_.u32, word(std::int64_t{components[0]})), Stage::constant, e.where),
            e.where);
    if (is_memory_view && !base->is_reference) {
        Expr* reference = make(base->form, of, base->where);
        *reference = *base;
        reference->type = of;
        reference->is_reference = true;
        base = reference;
    }
    base = load(base);
    const TypeRef type = types_.vector(of->element, static_cast<std::uint32_t>(components.size()));
    if (base->is_known()) {
        std::vector<Word> words;
        for (std::uint8_t c : components) words.push_back(base->constant[c]);
        return known(ConstValue(type, words), base->stage, e.where);
    }
    Expr* part = make(components.size() == 1 ? ExpressionForm::extract : ExpressionForm::swizzle, type,
                      e.where, {base});
    part->index = components[0];
    part->components = std::move(components);
    return part;
}

}  // namespace muster::wgsl
