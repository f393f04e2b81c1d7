// print.hpp - a Program as WGSL text that parses to the same Program.
//
//     std::string text = wgsl::print(program);
//     wgsl::parse(text)->fingerprint() == program.fingerprint()
//
// One `let` per value, in the program's order, under its own name where it has one. Names are made valid, unique
// ("x", "x_1") and short; unnamed values are v1, v2, ... Bindings and the entry point keep theirs. What has no spelling
// of its own:
//   - a scope: `switch 0 { default { ... } }`;
//   - a constant where a const-expression would be folded or refused (1/0, a shift by 40, NaN): a `let` of it
//   first,
//     which makes the use a run-time expression. NaN and infinities are `bitcast<f32>` of such a let.
// A predeclared word that a binding's name hides (a binding called max, and a clamp) is written muster_predeclared_max,
// behind `enable muster_predeclared;`, which is muster's own.
// Every valid program reads back, whatever its size within program_limits.hpp, but for two kinds: one with extension
// operations other than grid_barrier.hpp's, and one whose names make its text longer than max_text_bytes.
// Threads: pure. Time and memory: linear in the program.
#pragma once

#include <string>

#include <muster/foundation/ir/program.hpp>

namespace muster::wgsl {

std::string print(const Program& program);

}  // namespace muster::wgsl
