// parser.hpp - WGSL text -> syntax tree.
//
// Reads the whole grammar of WGSL's compute part, whatever later steps support of it. A fault doesn't stop
// it: it goes on at the next statement or declaration, so that one reading names up to `max_faults` faults,
// one per statement.
//
//     ParsedModule parsed = parse_module({"saxpy.wgsl", std::make_shared<const std::string>(text)});
//     if (!parsed.faults.empty()) ...   // parsed.module holds what could be read; don't lower it
//
// Any bytes are accepted as input; what isn't WGSL is a fault. Time and memory are linear in the text's
// length. Threads: pure. Source: WGSL sections "Textual Structure", "Grammar for Recursive Descent Parsing".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/wgsl/parse/ast.hpp>

namespace muster::wgsl {

inline constexpr std::size_t max_faults = 20;
/// Levels of an expression's tree: `a + b + c` has three.
inline constexpr std::uint32_t max_expression_depth = 1000;
/// Parentheses, brackets, argument lists and unary operators inside each other.
inline constexpr std::uint32_t max_expression_nesting = 250;
/// Brace-enclosed statements inside each other; WGSL section "Limits" asks for 127.
inline constexpr std::uint32_t max_statement_nesting = limits::nesting;
/// `else if` after each other, which the program has nested.
inline constexpr std::uint32_t max_else_ifs = limits::nesting;
/// Bytes of text: as many as a program of IrBuilder::max_nodes operations takes.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 26;

struct ParsedModule {
    ast::Module module;
    std::vector<Diagnostic> faults;  // in the text's order; empty: the text is well-formed
};

/// `file.text` must not be null. `file_index`: what locations carry as their file.
ParsedModule parse_module(SourceFile file, std::uint32_t file_index = 0);

}  // namespace muster::wgsl
