// compile_elsewhere.hpp - where a kernel is compiled: in this process, or in one of its own.
//
// MUSTER_PROBE=isolated asks for the latter (driver/probing/isolation.hpp): LLVM is neither opened nor run in this process, and what
// it does when it finds no memory, or has a fault, it does to the other one. Threads: any.
#pragma once

#include <muster/backend-cpu/compile/compiler.hpp>

namespace muster::cpu {

/// Errors: those of compiler() and of the compiler; in a process of its own those of call_in_helper().
Result<Artifact> compile(const ValidProgram& program, const CompileRequest& request);

}  // namespace muster::cpu
