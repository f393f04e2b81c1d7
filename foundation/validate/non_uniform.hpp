// non_uniform.hpp - why validate() refuses a program, as data, if the reason is non-uniform control flow
// alone. Internal to foundation.
//
//     for (const NonUniform& each : find_non_uniform(program)) report(each.what.where, each.what.message);
#pragma once

#include <vector>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// A barrier or subgroup operation that only some of the invocations may reach.
struct NonUniform {
    Diagnostic what;
    SourceLocation branch;  // where it is decided which invocations do
    bool is_barrier = false;
};

/// Empty if the program is valid, or if validate() finds any fault of another kind.
std::vector<NonUniform> find_non_uniform(const Program& program);

}  // namespace muster
