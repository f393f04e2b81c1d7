// print.hpp - a Program as WGSL text that parses to the same Program.
//
//     std::string text = wgsl::print(program);
//     wgsl::parse(text)->fingerprint() == program.fingerprint()
//
// One `let` per value, in the program's order, under its own name where it has one. Names are made valid and
// unique
// ("x", "x_1"); unnamed values are v1, v2, ... Bindings, members and the entry point keep theirs where WGSL
// allows them. What has no spelling of its own:
//   - a scope: `switch 0 { default { ... } }`;
//   - a constant where a const-expression would be folded or refused (1/0, a shift by 40, NaN): a `let` of it
//   first,
//     which makes the use a run-time expression. NaN and infinities are `bitcast<f32>` of such a let.
// Not read back: a private variable that begins as NaN or infinity, blocks nested deeper than
// max_statement_nesting, loops that never end, and extension operations other than grid_barrier.hpp's.
// Threads: pure. Time and memory: linear in the program.
#pragma once

#include <string>

#include <muster/foundation/program.hpp>

namespace muster::wgsl {

std::string print(const Program& program);

}  // namespace muster::wgsl
