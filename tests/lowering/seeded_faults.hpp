// seeded_faults.hpp - mistakes that a lowering could make, to be planted in what it made: a dropped mask, a signed
// shift, a missed barrier. A test that stays green with one of them planted wouldn't have found it.
//
//     for (const Change& plant : places(kind, module)) ...  // each plants the fault at another place
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <llvm/IR/Module.h>

namespace muster::test {

/// Plants a fault. The module is valid IR afterwards, and its other changes, if any, no longer are to be used.
using Change = std::function<void()>;

struct FaultKind {
    std::string_view what;
    Change (*at)(llvm::Instruction&);  // empty where the kind doesn't apply
};

std::span<const FaultKind> fault_kinds();

/// Where a module as lower() makes it can have the fault.
std::vector<Change> places(const FaultKind& kind, llvm::Module& module);

}  // namespace muster::test
