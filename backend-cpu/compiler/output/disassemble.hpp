// disassemble.hpp - listings of compiled code: a line for each instruction, with its address, and for
// debugging the names of functions and the source lines that code comes from. Pure.
//
// Any bytes are taken: what doesn't decode is listed as bytes. Errors: invalid_argument (a damaged object
// file), not_found and unavailable as find_target().
#pragma once

#include <string>

#include <muster/backend-cpu/compile/compiler.hpp>

namespace muster::cpu {

/// Every section of code, of an ELF object file for the arch that code.target names.
Result<std::string> disassemble_object(const Artifact& code);
/// The kernel of an image; the constants before it are counted.
Result<std::string> disassemble_image(const Artifact& code, const ImageCode& image);

}  // namespace muster::cpu
