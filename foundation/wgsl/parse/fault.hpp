// fault.hpp - a fault of a text, as the front end collects it: a diagnostic with the stretch of text that it
// is about, and the other places that explain it. Internal to foundation/wgsl.
//
//     k.wgsl:4:9: error: The assignment takes i32, not f32.
//       a.x = sqrt(b);
//             ^~~~~~~
//     k.wgsl:2:7: a is declared here:
//       var a: S;
//           ^
//     Fix: use a value of type i32.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/wgsl/parse/ast.hpp>

namespace muster::wgsl {

/// Another place that a fault is about.
struct RelatedPlace {
    SourceLocation where;
    std::string what;  // as in "a is declared here"
};

struct Fault : Diagnostic {
    std::vector<RelatedPlace> others{};
    bool is_of_word = false;  // about the word at `where`, not about the expression that begins there
    std::uint32_t begin = 0, end = 0;  // the bytes of the text that are marked; equal: the word at `where`
};

/// Sets what is marked of each fault at an expression: all of it.
void mark_expressions(const ast::Module& module, std::span<Fault> faults);

std::string render(const Fault& fault, const SourceFile& file);

}  // namespace muster::wgsl
