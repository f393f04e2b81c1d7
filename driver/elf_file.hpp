// elf_file.hpp - the bytes of an ELF file's sections, by name: as much of the format as records need.
// Internal to the driver. Every offset and size of the file is checked against its length before use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/result.hpp>

namespace muster {

/// The contents of all sections of this name; object files may have several. Aligned for any type.
/// Errors: not_found, io_failed, unsupported, as read_record_file.
Result<std::vector<std::vector<std::byte>>> elf_sections(const std::string& path, std::string_view name);

}  // namespace muster
