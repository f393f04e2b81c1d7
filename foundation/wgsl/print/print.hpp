// print.hpp - prints a Program as WGSL text that parses to the same Program.
//
//     std::string text = wgsl::print(program);
//     wgsl::parse(text)->fingerprint() == program.fingerprint()
//
// Values are printed as one `let` each, in the program's order, under their own names if they have some.
// Names are made valid, unique ("x", "x_1") and short; unnamed values are v1, v2, ... Bindings and the entry
// point keep their names. IR without a direct WGSL form:
//   - a scope becomes `switch 0 { default { ... } }`;
//   - a constant that would make a const-expression which is folded or refused (1/0, a shift by 40, NaN)
//     becomes a `let` first, so that its use is a run-time expression. NaN and infinities are
//     `bitcast<f32>` of such a let.
//
// If a binding's name hides a predeclared word (a binding called max, and a clamp), the word is written
// muster_predeclared_max, after `enable muster_predeclared;`, an extension of muster's.
//
// Every valid program within program_limits.hpp reads back, except programs with extension operations other
// than grid_barrier.hpp's, and programs whose names make the text longer than max_text_bytes.
// Threads: pure. Time and memory: linear in the program.
#pragma once

#include <string>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::wgsl {
MUSTER_API_BEGIN

std::string print(const Program& program);

MUSTER_API_END
}  // namespace muster::wgsl
