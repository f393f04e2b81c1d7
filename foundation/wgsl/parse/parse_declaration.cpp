// Parses module scope (WGSL sections "WGSL Module", "Directives", "Declaration and Scope", "Functions",
// "Attributes").
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/parser_state.hpp>
#include <muster/foundation/wgsl/parse/text_faults.hpp>

namespace muster::wgsl {

using ast::Range;
using enum TokenKind;

namespace {

template <class Thing>
std::uint32_t size(const std::vector<Thing>& things) {
    return static_cast<std::uint32_t>(things.size());
}

}  // namespace

void Parser::translation_unit() {
    while (tokens_[at_].kind != end && faults_.size() < max_faults) {
        const std::size_t begin = at_;
        if (at_any({enable, requires_, diagnostic})) {
            global_directive();
        } else {
            global_decl();
        }
        if (failed_) recover_declaration(begin);
    }
}

void Parser::global_directive() {
    const Token first = take();
    ast::Directive result{.where = location(first), .names = {size(module_.names), 0}};
    if (!module_.declarations.empty()) {
        return fault(result.where,
                     fmt::format("The directive {} stands behind a declaration.", quoted(text(first))),
                     "move it to the top of the text.");
    }
    if (first.kind == diagnostic) {
        result.kind = ast::DirectiveKind::diagnostic;
        diagnostic_names();
    } else {
        result.kind = first.kind == enable ? ast::DirectiveKind::enable : ast::DirectiveKind::requires_;
        do {
            if (at(semicolon) && size(module_.names) > result.names.first) break;
            module_.names.push_back(
                expect_name(result.kind == ast::DirectiveKind::enable ? "'enable'" : "'requires'"));
        } while (accept(comma));
    }
    result.names.count = size(module_.names) - result.names.first;
    expect_semicolon("A directive");
    module_.directives.push_back(result);
}

void Parser::diagnostic_names() {
    constexpr std::string_view what = "'diagnostic'";
    expect(paren_left, what);
    module_.names.push_back(expect_name(what));
    expect(comma, what);
    module_.names.push_back(expect_name(what));
    if (accept(period)) module_.names.push_back(expect_name(what));
    accept(comma);
    expect(paren_right, what);
}

void Parser::global_decl() {
    if (accept(semicolon)) return;
    const Range<ast::Attribute> before = attributes();
    if (failed_) return;
    if (at(fn)) return function_decl(before);
    if (at_any({var, override_})) return global_variable(before);
    if (before.count != 0 && at_any({const_, struct_, alias, TokenKind::const_assert}))
        return refuse_attributes(before, fmt::format("'{}'", spelling(peek().kind)));
    if (at(const_)) return global_variable({});
    if (at(struct_)) return struct_decl();
    if (at(alias)) return type_alias_decl();
    if (at(TokenKind::const_assert)) {
        module_.declarations.push_back({ast::DeclarationKind::const_assert, size(module_.const_asserts)});
        ast::ConstAssert result{.where = location(take())};
        result.condition = expression();
        module_.const_asserts.push_back(result);
        expect_semicolon("A const_assert");
        return;
    }
    if (at(let)) {
        return fault_here("'let' stands in functions only, not at module scope.",
                          "write const or override instead.");
    }
    if (at(brace_right)) return fault_here("This '}' closes nothing.", "remove it.");
    fault_here(fmt::format("A declaration can't begin with {}.", found()),
               "module scope holds fn, var, const, override, struct, alias and const_assert.");
}

void Parser::refuse_attributes(Range<ast::Attribute> attributes, std::string_view before) {
    if (failed_ || attributes.count == 0) return;
    const ast::Attribute& first = module_.attributes[attributes.first];
    fault(first.where, fmt::format("The attribute '@{}' can't stand before {}.", first.name, before),
          "remove it.");
}

void Parser::global_variable(Range<ast::Attribute> before) {
    const ast::Id<ast::Variable> variable = variable_decl(before);
    module_.declarations.push_back({ast::DeclarationKind::variable, variable.index});
    expect_semicolon("A declaration");
}

ast::Id<ast::Variable> Parser::variable_decl(Range<ast::Attribute> before) {
    const Token first = take();
    ast::Variable result{.attributes = before};
    std::string_view what = "A var declaration";
    if (first.kind == let) result.kind = ast::VariableKind::let, what = "A let declaration";
    if (first.kind == const_) result.kind = ast::VariableKind::const_, what = "A const declaration";
    if (first.kind == override_) result.kind = ast::VariableKind::override_, what = "An override declaration";
    if (first.kind == var && accept(template_args_start))
        result.templates = expression_list(template_args_end, "A template list");
    const ast::Name name = expect_name(what);
    result.name = name.text;
    result.where = name.where;
    if (accept(colon)) result.type = type_specifier(what);
    const bool needs_value = first.kind == let || first.kind == const_;
    if (needs_value ? expect(equal, what) : accept(equal)) result.initial = expression();
    if (!failed_ && !result.type && !result.initial)
        fault(result.where, fmt::format("{} has neither a type nor a value.", quoted(result.name)),
              fmt::format("write `{}: TYPE` or `{} = VALUE`.", name.text.substr(0, 40),
                          name.text.substr(0, 40)));
    module_.variables.push_back(result);
    return {size(module_.variables) - 1};
}

void Parser::type_alias_decl() {
    take();
    const ast::Name name = expect_name("An alias");
    expect(equal, "An alias");
    const ast::ExpressionId type = failed_ ? ast::ExpressionId{} : type_specifier("An alias");
    module_.declarations.push_back({ast::DeclarationKind::alias, size(module_.aliases)});
    module_.aliases.push_back({name.text, name.where, type});
    expect_semicolon("An alias");
}

void Parser::struct_decl() {
    take();
    const ast::Name name = expect_name("A struct");
    ast::Structure result{name.text, name.where, {size(module_.fields), 0}};
    const SourceLocation open = location(peek());
    if (!expect(brace_left, "A struct")) return;
    const std::size_t faults_before = faults_.size();
    while (!at_any({brace_right, end, fn, struct_})) {
        struct_member();
        if (failed_) recover_member();
        if (leaves_function_) return;
    }
    result.members.count = size(module_.fields) - result.members.first;
    if (!accept(brace_right)) return unclosed(open, "{");
    if (result.members.count == 0 && faults_.size() == faults_before) {
        resynchronised_ = true;
        return fault(result.where, fmt::format("The struct {} has no members.", quoted(result.name)),
                     "give it at least one.");
    }
    module_.declarations.push_back({ast::DeclarationKind::structure, size(module_.structures)});
    module_.structures.push_back(result);
}

void Parser::struct_member() {
    ast::Field result{.attributes = attributes()};
    const ast::Name name = expect_name("A struct's member");
    result.name = name.text;
    result.where = name.where;
    expect(colon, "A struct's member");
    if (failed_) return;
    result.type = type_specifier("A struct's member");
    if (at(semicolon)) fault_here("';' stands behind a struct's member.", "separate members by ','.");
    if (!at(brace_right)) expect(comma, "A struct's member list");
    module_.fields.push_back(result);
}

void Parser::function_decl(Range<ast::Attribute> before) {
    take();
    const ast::Name name = expect_name("A function");
    ast::Function result{.name = name.text, .where = name.where, .attributes = before};
    if (expect(paren_left, "A function")) result.parameters = param_list();
    if (accept(arrow)) {
        result.result_attributes = attributes();
        if (!failed_) result.result = type_specifier("'->'");
    }
    if (!at_any({brace_left, attr})) expect(brace_left, "A function");
    if (!recover_header()) return;
    result.body = compound_statement();
    module_.declarations.push_back({ast::DeclarationKind::function, size(module_.functions)});
    module_.functions.push_back(result);
}

Range<ast::Field> Parser::param_list() {
    Range<ast::Field> result{size(module_.fields), 0};
    while (!at_any({paren_right, end})) {
        ast::Field each{.attributes = attributes()};
        const ast::Name name = expect_name("A parameter");
        each.name = name.text;
        each.where = name.where;
        if (expect(colon, "A parameter")) each.type = type_specifier("A parameter");
        module_.fields.push_back(each);
        if (!accept(comma)) break;
    }
    expect(paren_right, "A parameter list");
    result.count = size(module_.fields) - result.first;
    return result;
}

Range<ast::Attribute> Parser::attributes() {
    Range<ast::Attribute> result{size(module_.attributes), 0};
    while (!failed_ && at(attr)) attribute();
    if (at(bracket_left) && peek(1).kind == bracket_left) refuse_old_attributes();
    result.count = size(module_.attributes) - result.first;
    return result;
}

// Names the attribute of today for the first one of a list like [[stage(compute), workgroup_size(8)]].
void Parser::refuse_old_attributes() {
    const std::string_view name = text(peek(2));
    const std::string_view argument = peek(3).kind == paren_left ? text(peek(4)) : std::string_view();
    std::string fix =
        argument.empty() ? fmt::format("write @{}.", name) : fmt::format("write @{}({}).", name, argument);
    if (name == "stage") fix = fmt::format("write @{}.", argument.empty() ? "compute" : argument);
    if (name == "block") fix = "remove it: a structure needs no attribute.";
    if (name == "access")
        fix = "write the access mode with the address space, as in var<storage, read_write>.";
    if (name == "stride")
        fix = "remove it: an array's elements follow each other at the stride of their type.";
    fault_here("Attributes aren't written in [[ ]] any more.", std::move(fix));
}

void Parser::attribute() {
    ast::Attribute result{.where = location(take())};
    if (at_any({const_, diagnostic})) {
        result.name = text(take());
    } else {
        result.name = expect_name("An attribute").text;
    }
    if (accept(paren_left)) result.arguments = expression_list(paren_right, "An attribute's argument list");
    module_.attributes.push_back(result);
}

}  // namespace muster::wgsl
