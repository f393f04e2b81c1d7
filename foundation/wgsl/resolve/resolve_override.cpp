// Resolves overrides. Values come from the caller or the text, and count as known from then on.

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include <muster/foundation/wgsl/resolve/override_text.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {

void Resolver::resolve_override(ModuleSymbol& symbol, const ast::Variable& variable) {
    constexpr std::array<std::string_view, 1> names{"id"};
    allow(variable.attributes, names, "an override");
    TypedOverride entry;
    entry.name = variable.name;
    entry.where = variable.where;
    entry.has_default = static_cast<bool>(variable.initial);
    if (const ast::Attribute* id = find(variable.attributes, "id")) {
        entry.id = static_cast<std::uint16_t>(attribute_integer(*id, 0, 65535));
        const auto [first, is_first] = override_ids_.emplace(*entry.id, entry.name);
        if (!is_first)
            refuse(id->where,
                   fmt::format("{} and {} both have @id({}).", first->second, entry.name, *entry.id),
                   "give each its own number.");
    }
    const OverrideValue* given = given_for(entry);
    if (given != nullptr)
        ++unevaluated_;  // the default is only checked for its type; resolve() restores this
    Expr* initial = variable.initial ? value(variable.initial) : nullptr;
    if (initial != nullptr && !initial->is_known() && initial->form != ExpressionForm::unset_override)
        refuse(initial->where,
               fmt::format("The value of the override {} isn't known before the program runs.", entry.name),
               "use constants and other overrides.");
    if (variable.type)
        entry.type = type(variable.type);
    else if (initial != nullptr)
        entry.type = concrete(initial)->type;
    else
        refuse(variable.where, fmt::format("The override {} has neither a type nor a value.", entry.name),
               "add `: type`.");
    if (!entry.type->is_scalar() || entry.type->is_narrow())
        refuse(variable.where, fmt::format("The override {} has type {}.", entry.name, entry.type->name),
               "use bool, i32, u32 or f32.");
    symbol.value = override_value(entry, given, initial);
    out_.overrides.push_back(entry);
}

const OverrideValue* Resolver::given_for(const TypedOverride& entry) const {
    const auto named = [&](std::string_view key) -> const OverrideValue* {
        const auto found = given_by_key_.find(key);
        return found != given_by_key_.end() ? found->second : nullptr;
    };
    const OverrideValue* by_name = named(entry.name);
    const OverrideValue* by_id = entry.id ? named(std::to_string(*entry.id)) : nullptr;
    return std::max(by_name, by_id);  // both are in given_: the later one counts
}

TypedExpression* Resolver::override_value(const TypedOverride& entry, const OverrideValue* given,
                                          Expr* initial) {
    if (given != nullptr) {
        ConstResult parsed = parse_override(given->text, entry.type);
        if (!parsed)  // without a location in the text: the caller's value is wrong
            refuse(
                {},
                fmt::format("The override {}: {} {}", entry.name, entry.type->name, parsed.error().message),
                parsed.error().fix);
        return known(*std::move(parsed), Stage::override_, entry.where);
    }
    if (initial != nullptr && initial->is_known()) {
        Expr* value = convert(initial, entry.type, fmt::format("the override {}", entry.name));
        return known(value->constant, Stage::override_, entry.where);
    }
    if (initial != nullptr) (void)convert(initial, entry.type, fmt::format("the override {}", entry.name));
    Expr* unset = make(ExpressionForm::unset_override, entry.type, entry.where);
    unset->name = initial != nullptr ? initial->name : entry.name;
    return unset;
}

TypedExpression* Resolver::sizing(Expr* e) {
    if (e->form != ExpressionForm::unset_override) return e;
    out_.unset.push_back(
        {{e->where, fmt::format("The override {} has no value.", e->name),
          fmt::format("give it one, as with --override {}=VALUE, or a default in the text.", e->name)}});
    return known(ConstValue(e->type, e->type->is_float() ? word(1.0) : word(std::int64_t{1})),
                 Stage::override_, e->where);
}

void Resolver::check_given_overrides() {
    if (given_.empty()) return;
    std::unordered_set<std::string> keys;
    for (const TypedOverride& entry : out_.overrides) {
        keys.emplace(entry.name);
        if (entry.id) keys.insert(std::to_string(*entry.id));
    }
    for (const OverrideValue& each : given_) {
        if (keys.contains(each.name)) continue;
        std::string known;
        for (const TypedOverride& entry : out_.overrides)
            known += (known.empty() ? "" : ", ") + std::string(entry.name);
        if (faults_.empty())
            refuse({},
                   fmt::format("A value is given for the override {}, which the program doesn't have.",
                               each.name),
                   known.empty() ? "it has none." : "it has " + known + ".");
    }
}

}  // namespace muster::wgsl
