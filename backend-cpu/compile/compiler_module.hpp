// compiler_module.hpp - finds and opens the half of the backend that needs LLVM, when something is to be compiled.
//
// It is opened once per process, and its error is remembered. Where the build linked it in
// (MUSTER_BACKEND_CPU_LINK_COMPILER), there is nothing to open. Threads: any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// Errors: as open_compiler().
Result<const Compiler*> compiler();

/// Where the module is looked for, in this order: beside what holds the backend (`holder`, the path of a library or
/// program), in the library folder that goes with a program's folder, then by its plain name, where the system looks.
std::vector<std::string> compiler_places(const std::string& holder);

/// The first of `places` that is there. Errors: unavailable (none is, it doesn't load, or it is of another build);
/// out_of_memory (the process may not have the addresses that it and LLVM are mapped to).
Result<const Compiler*> open_compiler(std::span<const std::string> places);

}  // namespace muster::cpu
