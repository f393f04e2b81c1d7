// Resolves loops and switches.

#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/limits.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {
namespace {}  // namespace

Behavior Resolver::loop_behavior(Behavior body, Behavior continuing, SourceLocation where,
                                 std::uint32_t refusals_before) {
    if (body.is_return_only()) return body;
    Behavior both = body | continuing;
    both.next = both.breaks;
    both.breaks = both.continues = false;
    if (!both.next && !both.returns && refusals_ == refusals_before)
        refuse(where, "The loop never ends: it has no break and no return.", "add one.");
    return both;
}

Behavior Resolver::loop_statement(const ast::Statement& s, TypedBlock& out) {
    const std::uint32_t refusals_before = refusals_;
    allow(s.body_attributes, {}, "a loop's body");
    const ast::Statement& compound = ast_[s.body];
    allow(compound.attributes, {}, "a loop's body");
    const DiagnosticScope filter(*this, s.body_attributes), of_body_block(*this, compound.attributes);
    const std::uint32_t outer_continue = std::exchange(first_continue_, UINT32_MAX);
    const std::uint32_t outer_switches = std::exchange(switches_, 0);
    const std::uint32_t returns_before = function_->returns;
    ++loops_;
    open_scope();  // the continuing block can use the body's declarations
    TypedBlock& body = out_.blocks.emplace_back();
    const Behavior of_body = sequence(ast_[compound.statements], body);
    Behavior of_continuing = goes_on;
    TypedBlock* continuing = nullptr;
    Expr* break_if = nullptr;
    if (s.continuing) {
        const std::uint32_t loops = std::exchange(loops_, 0);
        continuing_.push_back({first_continue_, function_->locals});
        continuing = &out_.blocks.emplace_back();
        const DiagnosticScope of_continuing_block(*this, ast_[s.continuing].attributes);
        auto statements = ast_[ast_[s.continuing].statements];
        const bool breaks =
            !statements.empty() && ast_[statements.back()].kind == ast::StatementKind::break_if;
        open_scope();
        of_continuing = sequence(breaks ? statements.first(statements.size() - 1) : statements, *continuing);
        if (breaks) guarded([&] { break_if = condition(ast_[statements.back()].a, "break if"); });
        close_scope();
        of_continuing.breaks = breaks;
        continuing_.pop_back();
        loops_ = loops;
    }
    close_scope();
    --loops_;
    switches_ = outer_switches;
    first_continue_ = outer_continue;
    TypedStatement& statement = add(out, StatementForm::loop, s.where);
    note_returns(statement, returns_before);
    statement.b = break_if;
    statement.body = &body;
    statement.continuing = continuing;
    return loop_behavior(of_body, of_continuing, s.where, refusals_before);
}

// Resolves `for`, and `while` as a `for` without init and update.
Behavior Resolver::for_statement(const ast::Statement& s, TypedBlock& out) {
    const std::uint32_t refusals_before = refusals_;
    open_scope();
    TypedBlock& around = out_.blocks.emplace_back();
    if (s.init) guarded([&] { statement(s.init, around); });
    Expr* test = nullptr;
    if (s.a) guarded([&] { test = condition(s.a, s.kind == ast::StatementKind::for_ ? "for" : "while"); });
    TypedBlock* update_block = nullptr;
    if (s.update) {
        update_block = &out_.blocks.emplace_back();
        guarded([&] { statement(s.update, *update_block); });
    }
    const std::uint32_t outer_continue = std::exchange(first_continue_, UINT32_MAX);
    const std::uint32_t outer_switches = std::exchange(switches_, 0);
    const std::uint32_t returns_before = function_->returns;
    ++loops_;
    TypedBlock& body = out_.blocks.emplace_back();
    Behavior behavior = block(s.body, body);
    --loops_;
    switches_ = outer_switches;
    first_continue_ = outer_continue;
    close_scope();
    TypedStatement& loop = add(around, StatementForm::loop, s.where);
    note_returns(loop, returns_before);
    loop.a = test;
    loop.body = &body;
    loop.continuing = update_block;
    loop.leaves_by_test = !behavior.breaks && !behavior.returns;
    TypedStatement& whole = add(out, StatementForm::block, s.where);
    whole.body = &around;
    if (s.a) behavior = behavior | Behavior{.next = true, .breaks = true};
    return loop_behavior(behavior, {.next = true}, s.where, refusals_before);
}

std::vector<std::uint32_t> Resolver::case_selectors(const ast::Case& each, TypeRef type) {
    std::vector<std::uint32_t> words;
    for (ast::ExpressionId id : ast_[each.selectors]) {
        Expr* e = convert(value(id), type, "A case of this switch");
        if (!e->is_known() || e->stage != Stage::constant)
            refuse(e->where, "A case selector isn't a const-expression.", "use literals and constants.");
        words.push_back(static_cast<std::uint32_t>(e->constant.integer()));
    }
    return words;
}

Behavior Resolver::switch_statement(const ast::Statement& s, TypedBlock& out) {
    allow(s.body_attributes, {}, "a switch's body");
    const DiagnosticScope filter(*this, s.body_attributes);
    Expr* selector = value(s.a);
    if (!selector->type->is_index())
        refuse(selector->where, fmt::format("The selector of switch has type {}.", selector->type->name),
               "use an i32 or a u32.");
    if (selector->type->is_abstract) {  // u32 if a case has that type, otherwise i32
        TypeRef decided = types_.i32;
        for (const ast::Case& each : ast_[s.cases])
            for (ast::ExpressionId id : ast_[each.selectors])
                if (value(id)->type == types_.u32) decided = types_.u32;
        selector = convert(selector, decided, "switch");
    }
    TypedStatement result;
    std::unordered_map<std::uint32_t, bool> seen;
    std::size_t defaults = 0, selectors = 0;
    const std::uint32_t returns_before = function_->returns;
    Behavior behavior;
    const auto cases = ast_[s.cases];
    ++switches_;
    for (const ast::Case& each : cases) {
        TypedCase typed;
        guarded([&] {
            typed.selectors = case_selectors(each, selector->type);
            for (std::uint32_t bits : typed.selectors)
                if (!seen.emplace(bits, true).second)
                    refuse(each.where,
                           fmt::format("The switch has the case {} twice.",
                                       selector->type == types_.i32
                                           ? std::int64_t{static_cast<std::int32_t>(bits)}
                                           : std::int64_t{bits}),
                           "remove one.");
        });
        typed.is_default = each.is_default;
        defaults += each.is_default ? 1 : 0;
        selectors += typed.selectors.size() + (each.is_default ? 1 : 0);
        typed.body = &out_.blocks.emplace_back();
        behavior = behavior | block(each.body, *typed.body);
        result.cases.push_back(std::move(typed));
    }
    --switches_;
    if (defaults != 1)
        refuse(s.where, fmt::format("The switch has {} default cases.", defaults),
               "give it exactly one: `default: {}`.");
    if (selectors > limits::case_selectors)
        refuse(s.where,
               fmt::format("The switch has {} case selectors; the limit is {}.", selectors,
                           limits::case_selectors),
               "split it.");
    TypedStatement& statement = add(out, StatementForm::switch_, s.where);
    note_returns(statement, returns_before);
    statement.a = selector;
    statement.cases = std::move(result.cases);
    if (behavior.breaks) behavior.next = true;
    behavior.breaks = false;
    return behavior;
}

}  // namespace muster::wgsl
