// elf_file.hpp - reads sections of an ELF file by name, as records need, and checks that a library
// can be loaded safely. Internal to the driver. Every offset and size in the file is checked
// against its length before use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>

namespace muster {

struct ElfFile {
    std::uint16_t type = 0, machine = 0;
    std::vector<std::vector<std::byte>> sections;  // aligned for any type
};
inline constexpr std::uint16_t elf_shared_object = 3;  // the `type` of a file that dlopen() accepts

/// The contents of all sections of this name; object files may have several.
/// Errors: not_found, io_failed, unsupported, as read_record_file.
Result<ElfFile> read_elf_file(const std::string& path, std::string_view name);

/// Refuses a shared library whose program headers or dynamic section can't be right: the dynamic
/// loader doesn't check them, and damaged ones end the process. They are compared with the file's
/// size, with one another, and with the section table, which repeats them. Errors: as read_elf_file;
/// io_failed, which names the damage.
Result<void> check_loadable_elf(const std::string& path);

/// The ELF machine number that this code is compiled for; 0 if unknown.
std::uint16_t elf_native_machine();
/// The machine's name, such as "x86-64", or its number.
std::string elf_machine_name(std::uint16_t machine);

}  // namespace muster
