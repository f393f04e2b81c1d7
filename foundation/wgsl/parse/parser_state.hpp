// parser_state.hpp - the parser's state and rules. Internal to parse*.cpp.
//
// Recursive descent by the grammar of WGSL's specification; functions are named like its rules. The first
// fault of a statement or declaration puts the parser into a failed state, in which every token reads as
// the end of the text, so that all rules return at once; the statement list or the module's loop then
// recovers after the fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/wgsl/parse/ast.hpp>
#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {

class Parser {
  public:
    Parser(SourceFile file, std::uint32_t file_index);
    ParsedModule run() &&;

  private:
    // parser.cpp: tokens. While failed_, the current token reads as the end of the text.
    const Token& peek(std::size_t ahead = 0) const;
    bool at(TokenKind kind) const { return peek().kind == kind; }
    bool at_any(std::initializer_list<TokenKind> kinds) const;
    Token take();
    bool accept(TokenKind kind);
    /// Consumes a token of this kind, or reports "`what` needs ';' here, but ...".
    bool expect(TokenKind kind, std::string_view what);
    /// Consumes the `;` that ends `what`.
    bool expect_semicolon(std::string_view what);
    /// Consumes a name that is declared or referred to; empty after a fault.
    ast::Name expect_name(std::string_view what);
    /// Consumes the first half of a token of two equal characters (`--` as `-` `-`).
    void take_half(TokenKind half);
    std::string_view text(const Token& token) const;
    SourceLocation location(const Token& token) const;
    /// The current token in quotes, or a description of it ("the end of the text").
    std::string found() const;

    // parser.cpp: faults and recovery.
    void fault(SourceLocation where, std::string message, std::string fix);
    /// Reports a fault at the current token. If the token itself is invalid or
    /// reserved, reports that instead.
    void fault_here(std::string message, std::string fix);
    void unclosed(SourceLocation open, std::string_view bracket);
    bool recover_header(bool over_semicolons = false);
    bool recover_statement(std::size_t begin);
    bool recover_clause(std::size_t begin);
    void recover_member();
    void recover_declaration(std::size_t begin);
    void skip_block();

    // parse_declaration.cpp
    void translation_unit();
    void global_directive();
    void diagnostic_names();
    void global_decl();
    void struct_decl();
    void struct_member();
    void type_alias_decl();
    void function_decl(ast::Range<ast::Attribute> attributes);
    ast::Range<ast::Field> param_list();
    ast::Range<ast::Attribute> attributes();
    void attribute();
    void refuse_old_attributes();
    void global_variable(ast::Range<ast::Attribute> attributes);
    /// `var`, `let`, `const` or `override`, without the `;`.
    ast::Id<ast::Variable> variable_decl(ast::Range<ast::Attribute> attributes);
    void refuse_attributes(ast::Range<ast::Attribute> attributes, std::string_view before);

    // parse_statement.cpp
    enum class Block : std::uint8_t { plain, loop_body, continuing };
    ast::StatementId compound_statement(Block block = Block::plain, ast::StatementId* continuing = nullptr);
    void statement_list(Block block, ast::StatementId* continuing);
    ast::StatementId statement();
    ast::StatementId keyword_statement(const Token& first);
    ast::StatementId if_statement();
    ast::StatementId if_clause();
    ast::StatementId switch_statement();
    void switch_clause(std::uint32_t& defaults);
    ast::StatementId loop_statement();
    ast::StatementId for_statement();
    void for_header(ast::Statement& statement);
    ast::StatementId for_part(bool may_declare);
    ast::StatementId while_statement();
    ast::StatementId break_statement();
    ast::StatementId break_if_statement();
    ast::StatementId return_statement();
    ast::StatementId variable_statement();
    ast::StatementId const_assert_statement();
    ast::StatementId misplaced_statement();
    /// Assignment, increment, decrement or call, without the `;`.
    ast::StatementId expression_statement();
    ast::StatementId phony_assignment();
    ast::StatementId add(ast::Statement statement);

    // parse_expression.cpp
    ast::ExpressionId expression();
    ast::ExpressionId relational_expression(ast::ExpressionId left);
    ast::ExpressionId shift_expression(ast::ExpressionId left);
    ast::ExpressionId multiplicative_chain(ast::ExpressionId left);
    ast::ExpressionId unary_expression();
    ast::ExpressionId singular_expression();
    ast::ExpressionId primary_expression();
    ast::ExpressionId template_elaborated_ident();
    ast::ExpressionId type_specifier(std::string_view what);
    ast::ExpressionId literal();
    ast::ExpressionId binary(const Token& op, ast::ExpressionId left, ast::ExpressionId right);
    ast::Range<ast::ExpressionId> expression_list(TokenKind close, std::string_view what);
    /// Adds an expression whose first token begins at byte `begin`, and whose last one was just taken.
    ast::ExpressionId add(ast::Expression expression, std::uint32_t begin);
    std::uint16_t depth(ast::ExpressionId id) const;
    void refuse_mixing();

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::uint32_t taken_to_ = 0;  // the end of the last token that was taken, in bytes
    std::uint32_t file_index_ = 0;
    bool failed_ = false;           // after a fault in the current statement
    bool leaves_function_ = false;  // a block isn't closed: continue at module scope
    bool resynchronised_ = false;   // nothing to skip when recovering
    std::uint32_t expression_nesting_ = 0;
    std::uint32_t statement_nesting_ = 0;
    TokenKind last_operator_ = TokenKind::end;
    std::vector<ast::ExpressionId> open_expressions_;  // elements of the lists being parsed
    std::vector<ast::StatementId> open_statements_;
    std::vector<ast::Case> open_cases_;
    ast::Module module_;
    std::vector<Fault> faults_;
};

/// The operator of `a op b` or `a op= b`. Precondition: the token is one.
ast::BinaryOp binary_op(TokenKind kind);
bool is_binary_operator(TokenKind kind);
bool is_compound_assignment(TokenKind kind);

}  // namespace muster::wgsl
