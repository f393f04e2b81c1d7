// Attributes: checks where each may be used, and evaluates its arguments.

#include <algorithm>

#include <fmt/format.h>

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
                   "remove it.");
        for (std::size_t other = 0; other < n; ++other)
            if (all[other].name == attribute.name)
                refuse(attribute.where, fmt::format("The attribute @{} is given twice.", attribute.name),
                       "remove one.");
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
    if (!e->is_known() || e->stage != Stage::constant || !e->type->is_integer() || !e->type->is_scalar())
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
