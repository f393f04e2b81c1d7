// parser.hpp - parses WGSL text into a syntax tree.
//
// Covers the whole grammar of WGSL's compute part, also what later steps don't support. After a fault it goes
// on at the next statement or declaration, so one run reports up to `max_faults` faults, at most one per
// statement.
//
//     ParsedModule parsed = parse_module({"saxpy.wgsl", std::make_shared<const std::string>(text)});
//     if (!parsed.faults.empty()) ...   // parsed.module holds what could be read; don't lower it
//
// Any bytes are accepted as input; text that isn't WGSL is a fault. Time and memory are linear in the text's
// length. Threads: pure. Source: WGSL sections "Textual Structure", "Grammar for Recursive Descent Parsing".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/wgsl/parse/ast.hpp>
#include <muster/foundation/wgsl/parse/fault.hpp>

namespace muster::wgsl {

inline constexpr std::size_t max_faults = 20;
/// Height of an expression's tree: `a + b + c` has three levels.
inline constexpr std::uint32_t max_expression_depth = 1000;
/// Nesting of parentheses, brackets, argument lists and unary operators.
inline constexpr std::uint32_t max_expression_nesting = 250;
/// Nesting of brace-enclosed statements; WGSL section "Limits" requires 127.
inline constexpr std::uint32_t max_statement_nesting = limits::nesting;
/// Length of an `else if` chain, which the program has as nested ifs.
inline constexpr std::uint32_t max_else_ifs = limits::nesting;
/// Most bytes of text; enough for a program of IrBuilder::max_nodes operations.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 26;

struct ParsedModule {
    ast::Module module;
    std::vector<Fault> faults;  // in the text's order; empty if the text is well-formed
};

/// Precondition: `file.text` isn't null. Source locations refer to the file by `file_index`.
ParsedModule parse_module(SourceFile file, std::uint32_t file_index = 0);

}  // namespace muster::wgsl
