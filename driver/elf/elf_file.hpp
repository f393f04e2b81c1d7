// elf_file.hpp - the bytes of an ELF file's sections, by name: as much of the format as records need.
// Internal to the driver. Every offset and size of the file is checked against its length before use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>

namespace muster {

struct ElfFile {
    std::uint16_t type = 0, machine = 0;
    std::vector<std::vector<std::byte>> sections;  // aligned for any type
};
inline constexpr std::uint16_t elf_shared_object = 3;  // a type: what can be opened

/// The contents of all sections of this name; object files may have several.
/// Errors: not_found, io_failed, unsupported, as read_record_file.
Result<ElfFile> read_elf_file(const std::string& path, std::string_view name);

/// Refuses a shared library whose program headers or dynamic section can't be right: the dynamic loader follows them
/// unchecked, and a damaged one ends the process. They are held to the file's size, to one another, and to the section
/// table, which says the same again. Errors: as read_elf_file; io_failed, with what is wrong.
Result<void> check_loadable_elf(const std::string& path);

/// Has the system fetch what will be read of these files, of all at once: a disk serves many requests in the time of
/// a few. Does nothing where that can't be, or for a file that isn't there. Threads: any.
void read_ahead(std::span<const std::string> paths);

/// The machine that this code is for; 0: not known here.
std::uint16_t elf_native_machine();
/// "x86-64", or the number.
std::string elf_machine_name(std::uint16_t machine);

}  // namespace muster
