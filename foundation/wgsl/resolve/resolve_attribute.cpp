// Attributes: checks where each may be used, and evaluates its arguments.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/wgsl/resolve/names.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {

const ast::Attribute* Resolver::find(ast::Range<ast::Attribute> attributes, std::string_view name) const {
    const auto all = ast_[attributes];
    const auto found = std::ranges::find(all, name, &ast::Attribute::name);
    return found == all.end() ? nullptr : &*found;
}

void Resolver::allow(ast::Range<ast::Attribute> attributes, std::span<const std::string_view> names,
                     std::string_view on) {
    const auto all = ast_[attributes];
    for (std::size_t n = 0; n < all.size(); ++n) {
        const ast::Attribute& attribute = all[n];
        if (attribute.name == "diagnostic") continue;
        if (std::ranges::find(names, attribute.name) == names.end())
            refuse(attribute.where, fmt::format("The attribute @{} doesn't apply to {}.", attribute.name, on),
                   attribute.name == "stage"
                       ? "write @compute."
                       : nearest_fix(attribute.name, std::vector<std::string>(names.begin(), names.end()),
                                     "remove it."));
        for (std::size_t other = 0; other < n; ++other)
            if (all[other].name == attribute.name)
                refuse(attribute.where, fmt::format("The attribute @{} is given twice.", attribute.name),
                       "remove one.");
    }
}

void Resolver::filter_diagnostics(Filter filter, std::vector<Filter>& of_range) {
    constexpr std::array<std::string_view, 4> severities{"off", "info", "warning", "error"};
    const ast::Name& severity = filter.severity;
    if (std::ranges::find(severities, severity.text) == severities.end())
        refuse(severity.where, fmt::format("No diagnostic severity is called {}.", severity.text),
               "write off, info, warning or error.");
    const auto same = std::ranges::find(of_range, filter.rule, &Filter::rule);
    if (same != of_range.end() && same->severity.text != severity.text)
        throw Refusal{
            {{severity.where,
              fmt::format("The diagnostic {} is {} here, and {} by another filter of the same range.",
                          filter.rule, severity.text, same->severity.text),
              "remove one of them."},
             {{same->severity.where, "the other filter"}}}};
    if (filter.rule == "subgroup_uniformity") subgroups_may_diverge_ = severity.text != "error";
    of_range.push_back(std::move(filter));
}

Resolver::DiagnosticScope::DiagnosticScope(Resolver& resolver, ast::Range<ast::Attribute> attributes)
    : resolver_(resolver), before_(resolver.subgroups_may_diverge_) {
    std::vector<Filter> filters;
    for (const ast::Attribute& attribute : resolver.ast_[attributes]) {
        if (attribute.name != "diagnostic") continue;
        const auto arguments = resolver.ast_[attribute.arguments];
        if (arguments.size() != 2 || resolver.ast_[arguments[0]].kind != ast::ExpressionKind::identifier)
            refuse(attribute.where, "@diagnostic takes a severity and a rule.",
                   "write, for instance, @diagnostic(off, subgroup_uniformity).");
        const ast::Expression& rule = resolver.ast_[arguments[1]];
        const bool has_space = rule.kind == ast::ExpressionKind::member &&
                               resolver.ast_[rule.a].kind == ast::ExpressionKind::identifier;
        if (!has_space && rule.kind != ast::ExpressionKind::identifier) continue;
        resolver.filter_diagnostics({{resolver.ast_[arguments[0]].name, attribute.where},
                                     has_space ? fmt::format("{}.{}", resolver.ast_[rule.a].name, rule.name)
                                               : std::string(rule.name)},
                                    filters);
    }
}

std::int64_t Resolver::attribute_integer(const ast::Attribute& attribute, std::int64_t low,
                                         std::int64_t high) {
    const auto arguments = ast_[attribute.arguments];
    if (arguments.size() != 1)
        refuse(attribute.where,
               fmt::format("@{} takes one number, {} given.", attribute.name, arguments.size()),
               fmt::format("write @{}(0), with its number.", attribute.name));
    Expr* e = value(arguments[0]);
    if (!e->is_known() || e->stage != Stage::constant || !e->type->is_index())
        refuse(e->where, fmt::format("The number of @{} isn't a constant integer.", attribute.name),
               "write an integer.");
    const std::int64_t number = e->constant.integer();
    if (number < low || number > high)
        refuse(e->where, fmt::format("@{}({}) is outside {} to {}.", attribute.name, number, low, high),
               "use a number in that range.");
    return number;
}

std::string_view Resolver::attribute_name(const ast::Attribute& attribute) {
    const auto arguments = ast_[attribute.arguments];
    if (arguments.size() != 1 || ast_[arguments[0]].kind != ast::ExpressionKind::identifier)
        refuse(attribute.where, fmt::format("@{} takes one name.", attribute.name),
               "write, for instance, @builtin(global_invocation_id).");
    return ast_[arguments[0]].name;
}

}  // namespace muster::wgsl
