#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <muster/driver/elf_file.hpp>
#include <muster/foundation/try.hpp>

namespace muster {

namespace {

constexpr std::uint64_t most_bytes = 16u << 20;  // of one file; section tables and records are far smaller

// The format's own layout (System V ABI, chapter 4), so that files can be read on systems without <elf.h>.
struct FileHeader {
    std::array<unsigned char, 16> ident;
    std::uint16_t type, machine;
    std::uint32_t version;
    std::uint64_t entry, segments_offset, sections_offset;
    std::uint32_t flags;
    std::uint16_t header_bytes, segment_bytes, segment_count, section_bytes, section_count, names_index;
};
struct SectionHeader {
    std::uint32_t name, type;
    std::uint64_t flags, address, offset, size;
    std::uint32_t link, info;
    std::uint64_t alignment, entry_bytes;
};
static_assert(sizeof(FileHeader) == 64 && sizeof(SectionHeader) == 64);
constexpr std::uint32_t no_bits = 8;               // a section that occupies no bytes of the file
constexpr std::uint64_t compressed = 0x800;        // a section's flag
constexpr std::uint16_t index_elsewhere = 0xffff;  // names_index is in the first section header's link

class File {
  public:
    static Result<File> open(const std::string& path) {
        std::error_code error;
        const auto status = std::filesystem::status(path, error);
        if (!std::filesystem::exists(status))
            return fail(ErrorCode::not_found, "There is no file " + path + ".", "check the path.");
        if (!std::filesystem::is_regular_file(status))
            return fail(ErrorCode::io_failed, path + " isn't a regular file.", "give a library's file.");
        const auto size = std::filesystem::file_size(path, error);
        std::ifstream stream(path, std::ios::binary);
        if (error || !stream)
            return fail(ErrorCode::io_failed, "The file " + path + " can't be opened for reading.",
                        "check its permissions.");
        return File(path, size, std::move(stream));
    }

    std::uint64_t size() const { return size_; }

    template <class T>
    requires std::is_trivially_copyable_v<T> Result<std::vector<T>> read(std::uint64_t offset,
                                                                         std::uint64_t count,
                                                                         std::string_view what) {
        // By division: a file of holes may be so long that `count` times a size wraps.
        if (offset > size_ || count > (size_ - offset) / sizeof(T))
            return fail(ErrorCode::io_failed,
                        "The file " + path_ + " is " + std::to_string(size_) + " bytes long, but its " +
                            std::string(what) + " would reach from byte " + std::to_string(offset) +
                            " over " + std::to_string(count) +
                            (sizeof(T) == 1 ? "." : " times " + std::to_string(sizeof(T)) + "."),
                        "the file is cut short or damaged: build or copy it again.");
        const std::uint64_t bytes = count * sizeof(T);
        if (bytes > most_bytes - read_)
            return fail(ErrorCode::io_failed,
                        "The " + std::string(what) + " of " + path_ + " is " + std::to_string(bytes) +
                            " bytes long; at most " + std::to_string(most_bytes) + " are read of a file.",
                        "give a library that holds backends.");
        read_ += bytes;
        std::vector<T> into(count);
        stream_.clear();
        stream_.seekg(static_cast<std::streamoff>(offset));
        stream_.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(bytes));
        if (static_cast<std::uint64_t>(stream_.gcount()) != bytes)
            return fail(ErrorCode::io_failed,
                        "The " + std::string(what) + " of " + path_ + " can't be read: the file ends early.",
                        "the file changes while it is read, or its disk fails: try again.");
        return into;
    }

  private:
    File(std::string path, std::uint64_t size, std::ifstream stream)
        : path_(std::move(path)), size_(size), stream_(std::move(stream)) {}

    std::string path_;
    std::uint64_t size_;
    std::uint64_t read_ = 0;
    std::ifstream stream_;
};

Result<void> check_format(std::span<const unsigned char> ident, const std::string& path) {
    const auto begins = [&](std::string_view magic) {
        return ident.size() >= magic.size() && std::memcmp(ident.data(), magic.data(), magic.size()) == 0;
    };
    const auto refuse = [&](const std::string& what) {
        return fail(ErrorCode::unsupported,
                    path + " is " + what + "; records are read from 64-bit ELF files of this byte order.",
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
    if (count == 0 || names == index_elsewhere) {  // more than the header can count: the first section says
        const auto first = TRY(file.read<SectionHeader>(header.sections_offset, 1, "first section header"));
        if (count == 0) count = first[0].size;
        if (names == index_elsewhere) names = first[0].link;
    }
    auto table = TRY(file.read<SectionHeader>(header.sections_offset, count, "section table"));
    return std::pair(std::move(table), names);
}

}  // namespace

Result<ElfFile> read_elf_file(const std::string& path, std::string_view name) {
    File file = TRY(File::open(path));
    const auto ident =
        TRY(file.read<unsigned char>(0, std::min<std::uint64_t>(16, file.size()), "identification"));
    TRY(check_format(ident, path));
    const FileHeader header = TRY(file.read<FileHeader>(0, 1, "header")).front();
    const auto [table, names_index] = TRY(section_table(file, header));
    ElfFile found{header.type, header.machine, {}};
    if (table.empty()) return found;
    if (names_index >= table.size())
        return fail(ErrorCode::io_failed,
                    "Its section names are said to be in section " + std::to_string(names_index) + " of " +
                        std::to_string(table.size()) + ".",
                    "the file is damaged: build or copy it again.");
    const SectionHeader& names_section = table[names_index];
    const auto names = TRY(file.read<char>(names_section.offset, names_section.size, "section names"));
    const std::string_view all_names(names.data(), names.size());
    for (const SectionHeader& section : table) {
        if (section.type == no_bits || (section.flags & compressed) != 0 || section.name >= all_names.size())
            continue;
        const std::string_view rest = all_names.substr(section.name);
        if (rest.substr(0, rest.find('\0')) != name) continue;
        found.sections.push_back(TRY(file.read<std::byte>(section.offset, section.size, "inventory")));
    }
    return found;
}

void read_ahead([[maybe_unused]] std::span<const std::string> paths) {
#if defined(__linux__)
    constexpr off_t head = 64 << 10;   // the file's header
    constexpr off_t tail = 192 << 10;  // records, section names, section table
    for (const std::string& path : paths) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        struct stat is {};
        if (file < 0) continue;
        if (fstat(file, &is) == 0 && S_ISREG(is.st_mode)) {
            posix_fadvise(file, 0, head, POSIX_FADV_WILLNEED);
            if (is.st_size > head)
                posix_fadvise(file, std::max(head, is.st_size - tail), tail, POSIX_FADV_WILLNEED);
        }
        close(file);
    }
#endif
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
