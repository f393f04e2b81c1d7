// compile_isolated.hpp - compiles a kernel in this process, or in one of its own.
//
// MUSTER_PROBE=isolated asks for a process of its own (driver/probing/isolation.hpp): LLVM is neither opened
// nor run in this process, so running out of memory or crashing there ends only the other one. Threads: any.
#pragma once

#include <muster/backend-cpu/compile/compiler.hpp>

namespace muster::cpu {

/// Errors: those of compiler() and of the compiler; in a process of its own, also those of call_in_helper().
Result<Artifact> compile(const ValidProgram& program, const CompileRequest& request);

/// A listing of an image or object file, made in this process. Errors: those of compiler() and
/// of Compiler::disassemble.
Result<std::string> disassemble(const Artifact& code);

}  // namespace muster::cpu
