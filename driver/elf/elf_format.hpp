// elf_format.hpp - the structures of ELF files, and checked reading of a file. Internal to the elf_*.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::elf {

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
struct ProgramHeader {
    std::uint32_t type, flags;
    std::uint64_t offset, address, physical, file_bytes, memory_bytes, alignment;
};
struct DynamicEntry {
    std::int64_t tag;
    std::uint64_t value;
};
static_assert(sizeof(FileHeader) == 64 && sizeof(SectionHeader) == 64 && sizeof(ProgramHeader) == 56);
constexpr std::uint32_t no_bits = 8;  // a section that occupies no bytes of the file

/// The most bytes that are read of one file: section tables and records are far smaller.
constexpr std::uint64_t most_bytes = 16u << 20;

/// An open file. Every read is checked against the file's length.
class File {
  public:
    static Result<File> open(const std::string& path) {
        std::error_code error;
        const auto status = std::filesystem::status(path, error);
        if (!std::filesystem::exists(status))
            return fail(ErrorCode::not_found, "There is no file " + printable(path) + ".", "check the path.");
        if (!std::filesystem::is_regular_file(status))
            return fail(ErrorCode::io_failed, printable(path) + " isn't a regular file.",
                        "give a library's file.");
        const auto size = std::filesystem::file_size(path, error);
        std::ifstream stream(path, std::ios::binary);
        if (error || !stream)
            return fail(ErrorCode::io_failed, "The file " + printable(path) + " can't be opened for reading.",
                        "check its permissions.");
        return File(printable(path), size, std::move(stream));
    }

    std::uint64_t size() const { return size_; }

    template <class T>
    requires std::is_trivially_copyable_v<T> Result<std::vector<T>> read(std::uint64_t offset,
                                                                         std::uint64_t count,
                                                                         std::string_view what) {
        // Divides, because a sparse file may be so long that multiplying `count` by a size would overflow.
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

    std::string path_;  // printable
    std::uint64_t size_;
    std::uint64_t read_ = 0;
    std::ifstream stream_;
};

/// A file whose header and section table have been read.
struct OpenFile {
    File file;
    FileHeader header;
    std::vector<SectionHeader> sections;
    std::vector<char> names;

    /// The section's name; empty if the file gives it none.
    std::string_view name(const SectionHeader& section) const;
};
/// Opens a file and reads its header and section table. Errors: not_found, io_failed, unsupported.
Result<OpenFile> open_elf(const std::string& path);

}  // namespace muster::elf
