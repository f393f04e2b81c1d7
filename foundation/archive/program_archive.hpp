// program_archive.hpp - a program as bytes, to be stored and read by another process.
//
//     std::vector<std::byte> bytes = program_bytes(*program);
//     Result<ValidProgram> again = read_program(bytes);       // same_structure, names, locations and files
//
// Reading trusts nothing: any bytes give a valid program or an error, and take memory in proportion to their
// number. The format belongs to one version of muster (artifact files state theirs). Pure. Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

std::vector<std::byte> program_bytes(const Program& program);

/// Errors: invalid_program (damaged bytes, or what validate() refuses), limit_exceeded.
Result<ValidProgram> read_program(std::span<const std::byte> bytes);

}  // namespace muster
