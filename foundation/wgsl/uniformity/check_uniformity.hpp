// check_uniformity.hpp - refuses barriers and subgroup operations where a text doesn't
// prove control flow uniform.
//
// This is the analysis of WGSL's section "Uniformity", which works on the text's functions one by one, so
// that a text is accepted here if and only if other implementations accept it. validate() proves the same
// of a program, whose functions are inlined, and knows more of its values; programs that aren't made of a
// text have that proof alone.
//
//     for (UniformityFault& each : check_uniformity(module, file)) faults.push_back(std::move(each.what));
//
// Threads: a function without shared state. Cost: nearly linear in the text.
#pragma once

#include <vector>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/wgsl/parse/fault.hpp>
#include <muster/foundation/wgsl/resolve/typed.hpp>

namespace muster::wgsl {

struct UniformityFault {
    Fault what;
    SourceLocation
        branch;  // where it is decided which invocations get there; line 0: an argument isn't uniform
    bool is_barrier = false;  // or else a subgroup operation
};

/// At most one fault for each call, in the text's order. Precondition: the module has no faults.
std::vector<UniformityFault> check_uniformity(const TypedModule& module, const SourceFile& file);

}  // namespace muster::wgsl
