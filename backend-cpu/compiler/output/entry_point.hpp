// entry_point.hpp - adds the C functions of an emitted kernel, as LLVM IR in the kernel's own module.
#pragma once

#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/output/c_interface.hpp>

namespace muster::cpu {

/// Adds NAME and NAME_part, as the header declares them (c_header.hpp), and makes the kernel internal, so
/// that many kernels link into one program.
void add_entry_points(llvm::Module& module, const CInterface& interface);

}  // namespace muster::cpu
