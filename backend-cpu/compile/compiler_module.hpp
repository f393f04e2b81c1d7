// compiler_module.hpp - finds and opens the compiler, the half of the backend that needs LLVM, on first use.
//
// Opened once per process; an error is remembered. In a build with MUSTER_BACKEND_CPU_LINK_COMPILER the
// compiler is linked in and nothing is opened. Threads: any.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// Errors: as open_compiler().
Result<const Compiler*> compiler();

/// Paths to try for the module, in order: beside `holder` (the path of the library, plugin or program
/// that contains the backend), in the installation's folder muster/ that belongs to each of these (of
/// a program in a folder called bin: ../lib/muster), then the plain name, for the file that the
/// system's loader would find.
std::vector<std::string> compiler_places(const std::string& holder);

/// The file that has the compiler: the first of its places that exists and that nobody else may change
/// (may_run.hpp), otherwise the plain name. Opens nothing.
std::string compiler_file();

/// The part of the compiler that isn't here, if any: its module, LLVM, a library that one of them needs.
/// Looks at files; opens the module only if one is missing there, because the loader's word is the last.
const std::optional<Missing>& missing_compiler();

/// All that compiled code depends on besides the program, its options and the architecture: the files of both
/// halves of the backend, and what this processor has. Opens nothing.
const std::string& compiler_identity();

/// Opens the first of `places` that exists, that nobody else may change and that loads. Errors: unavailable
/// (there is none, or it is of another build); refused (others may change each that there is); out_of_memory
/// (the process may not map the addresses that it and LLVM take).
Result<const Compiler*> open_compiler(std::span<const std::string> places);

}  // namespace muster::cpu
