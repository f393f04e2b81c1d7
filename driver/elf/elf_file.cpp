#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <muster/driver/elf/elf_file.hpp>
#include <muster/driver/elf/elf_format.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

namespace elf {
namespace {

constexpr std::uint64_t compressed = 0x800;        // a section's flag
constexpr std::uint16_t index_elsewhere = 0xffff;  // names_index is in the first section header's link

Result<void> check_format(std::span<const unsigned char> ident, const std::string& path) {
    const auto begins = [&](std::string_view magic) {
        return ident.size() >= magic.size() && std::memcmp(ident.data(), magic.data(), magic.size()) == 0;
    };
    const auto refuse = [&](const std::string& what) {
        return fail(
            ErrorCode::unsupported,
            printable(path) + " is " + what + "; records are read from 64-bit ELF files of this byte order.",
            "give a shared library built for this machine.");
    };
    if (begins("!<arch>\n")) return refuse("a static library");
    if (begins("MZ")) return refuse("a PE file");
    if (begins("\xcf\xfa\xed\xfe") || begins("\xca\xfe\xba\xbe")) return refuse("a Mach-O file");
    if (!begins("\x7f"
                "ELF") ||
        ident.size() < 16)
        return refuse("not an ELF file");
    if (ident[4] != 2) return refuse("an ELF file that isn't 64-bit");
    if (ident[5] != (std::endian::native == std::endian::little ? 1 : 2))
        return refuse("an ELF file of another byte order");
    return {};
}

/// All section headers, and the index of the section that holds their names.
Result<std::pair<std::vector<SectionHeader>, std::uint64_t>> section_table(File& file,
                                                                           const FileHeader& header) {
    if (header.sections_offset == 0) return {};
    if (header.section_bytes != sizeof(SectionHeader))
        return fail(
            ErrorCode::io_failed,
            "Its section headers are " + std::to_string(header.section_bytes) + " bytes each instead of 64.",
            "the file is damaged: build or copy it again.");
    std::uint64_t count = header.section_count;
    std::uint64_t names = header.names_index;
    // Numbers that are too large for the header's fields are in the first section header.
    if (count == 0 || names == index_elsewhere) {
        const auto first = TRY(file.read<SectionHeader>(header.sections_offset, 1, "first section header"));
        if (count == 0) count = first[0].size;
        if (names == index_elsewhere) names = first[0].link;
    }
    auto table = TRY(file.read<SectionHeader>(header.sections_offset, count, "section table"));
    return std::pair(std::move(table), names);
}

}  // namespace

std::string_view OpenFile::name(const SectionHeader& section) const {
    const std::string_view all(names.data(), names.size());
    if (section.name >= all.size()) return {};
    const std::string_view rest = all.substr(section.name);
    return rest.substr(0, rest.find('\0'));
}

Result<OpenFile> open_elf(const std::string& path) {
    File file = TRY(File::open(path));
    const auto ident =
        TRY(file.read<unsigned char>(0, std::min<std::uint64_t>(16, file.size()), "identification"));
    TRY(check_format(ident, path));
    const FileHeader header = TRY(file.read<FileHeader>(0, 1, "header")).front();
    auto [table, names_index] = TRY(section_table(file, header));
    std::vector<char> names;
    if (!table.empty() && names_index >= table.size())
        return fail(ErrorCode::io_failed,
                    "Its header places the section names in section " + std::to_string(names_index) + " of " +
                        std::to_string(table.size()) + ".",
                    "the file is damaged: build or copy it again.");
    if (!table.empty())
        names = TRY(file.read<char>(table[names_index].offset, table[names_index].size, "section names"));
    return OpenFile{std::move(file), header, std::move(table), std::move(names)};
}

}  // namespace elf

Result<ElfFile> read_elf_file(const std::string& path, std::string_view name) {
    elf::OpenFile open = TRY(elf::open_elf(path));
    ElfFile found{open.header.type, open.header.machine, {}};
    for (const elf::SectionHeader& section : open.sections)
        if (section.type != elf::no_bits && (section.flags & elf::compressed) == 0 &&
            open.name(section) == name)
            found.sections.push_back(
                TRY(open.file.read<std::byte>(section.offset, section.size, "inventory")));
    return found;
}

std::uint16_t elf_native_machine() {
#if defined(__x86_64__)
    return 62;
#elif defined(__aarch64__)
    return 183;
#elif defined(__riscv)
    return 243;
#elif defined(__powerpc64__)
    return 21;
#elif defined(__loongarch__)
    return 258;
#elif defined(__s390x__)
    return 22;
#else
    return 0;
#endif
}

std::string elf_machine_name(std::uint16_t machine) {
    struct Named {
        std::uint16_t machine;
        const char* name;
    };
    static constexpr std::array<Named, 6> known{{{62, "x86-64"},
                                                 {183, "aarch64"},
                                                 {243, "RISC-V"},
                                                 {21, "POWER"},
                                                 {258, "LoongArch"},
                                                 {22, "s390x"}}};
    for (const Named& one : known)
        if (one.machine == machine) return one.name;
    return "machine " + std::to_string(machine);
}

}  // namespace muster
