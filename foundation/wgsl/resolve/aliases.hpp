// aliases.hpp - refuses calls whose callee could reach one variable in two ways, one of them writing.
//
//     fn f(p: ptr<function, i32>, q: ptr<function, i32>) { *p = *q; }
//     f(&a, &a);   // a fault: both lead to a, and f writes through p
//
// What two arguments lead to counts as one variable where it begins at one name, whatever parts of it they
// are: &a[0] and &a[1] too. Internal to foundation/wgsl. Threads: a function without shared state. Source:
// WGSL section "Alias Analysis".
#pragma once

#include <vector>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/wgsl/resolve/typed.hpp>

namespace muster::wgsl {

/// The module has no other faults; no function of it calls itself. Finds up to `max_faults`.
void refuse_aliases(const TypedModule& module, std::vector<Diagnostic>& faults);

}  // namespace muster::wgsl
