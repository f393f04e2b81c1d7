// aliases.hpp - refuses calls whose callee could access one variable in two ways, one of them writing.
//
//     fn f(p: ptr<function, i32>, q: ptr<function, i32>) { *p = *q; }
//     f(&a, &a);   // a fault: both point to a, and f writes through p
//
// Arguments alias if they have the same root variable, whatever parts of it they point to: &a[0] and &a[1]
// alias too. Internal to foundation/wgsl. Threads: a function without shared state. Source: WGSL
// section "Alias Analysis".
#pragma once

#include <vector>

#include <muster/foundation/wgsl/parse/fault.hpp>
#include <muster/foundation/wgsl/resolve/typed.hpp>

namespace muster::wgsl {

/// Preconditions: the module has no other faults and no recursion. Stops at `max_faults` faults.
void refuse_aliases(const TypedModule& module, std::vector<Fault>& faults);

}  // namespace muster::wgsl
