// code_library.hpp - writes a kernel's code as a shared library (ELF), which perf, gdb and valgrind read like any other: symbols,
// DWARF and a build id. Pure, and without LLVM, so that stored code gets one, too.
//
//     const std::vector<std::byte> file = code_library(code, "x86-64-v3", debug);
//     write(file); dlopen(); dlsym(debug.symbols[0].name)
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <muster/backend-cpu/native/debug_data.hpp>

namespace muster::cpu {

/// The library's file. It exports the first symbol. `arch`: ImageHeader::arch. Precondition: there is a symbol, and its name has at most
/// most_symbol_characters.
std::vector<std::byte> code_library(std::span<const std::byte> code, std::string_view arch,
                                    const DebugData& debug);

}  // namespace muster::cpu
