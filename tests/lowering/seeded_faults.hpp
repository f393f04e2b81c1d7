// seeded_faults.hpp - plants mistakes that a lowering could make in its module: a dropped mask, a signed shift,
// a missed barrier. A test that passes with one of them planted wouldn't have found it.
//
//     for (const Change& plant : places(kind, module)) ...  // each plants the fault at another position
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <llvm/IR/Module.h>

namespace muster::test {

/// Plants a fault. The module is valid IR afterwards; other changes for the same module must not be used any
/// more.
using Change = std::function<void()>;

struct FaultKind {
    std::string_view what;
    Change (*at)(llvm::Instruction&);  // empty if the kind doesn't apply
};

std::span<const FaultKind> fault_kinds();

/// The changes that plant the fault in a module of lower(), one for each position.
std::vector<Change> places(const FaultKind& kind, llvm::Module& module);

}  // namespace muster::test
