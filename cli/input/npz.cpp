#include <array>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <minizip/unzip.h>

#include <muster/cli/input/npz.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

constexpr std::string_view suffix = ".npy";
constexpr std::size_t most_names = 20;  // listed in a message
constexpr std::size_t most_name_bytes = 256;

struct Close {
    void operator()(void* archive) const { unzClose(archive); }
};
using Archive = std::unique_ptr<void, Close>;

std::unexpected<Error> unreadable(const std::string& path, std::string_view why) {
    return fail(ErrorCode::io_failed, fmt::format("\"{}\" can't be read as .npz: {}.", path, why));
}

std::unexpected<Error> damaged(const std::string& path, const std::string& name) {
    return unreadable(path, fmt::format("its array \"{}\" is damaged", name));
}

Result<Archive> open(const std::string& path) {
    if (!std::filesystem::exists(path))
        return fail(ErrorCode::not_found, fmt::format("The file \"{}\" can't be read: there is none.", path));
    Archive archive(unzOpen64(path.c_str()));
    if (!archive) return unreadable(path, "it isn't a zip archive, or is a damaged one");
    return archive;
}

std::string current_name(unzFile archive) {
    std::array<char, most_name_bytes + 1> name{};
    unzGetCurrentFileInfo64(archive, nullptr, name.data(), most_name_bytes, nullptr, 0, nullptr, 0);
    return name.data();
}

std::unexpected<Error> no_such_array(unzFile archive, const std::string& path, const std::string& name) {
    std::vector<std::string> names;
    std::size_t more = 0;
    for (int found = unzGoToFirstFile(archive); found == UNZ_OK; found = unzGoToNextFile(archive)) {
        std::string other = current_name(archive);
        if (other.ends_with(suffix)) other.resize(other.size() - suffix.size());
        if (names.size() < most_names)
            names.push_back(std::move(other));
        else
            ++more;
    }
    return fail(ErrorCode::not_found, fmt::format("\"{}\" holds no array \"{}\".", path, name),
                names.empty() ? "it holds none at all"
                              : fmt::format("it holds {}{}", fmt::join(names, ", "),
                                            more > 0 ? fmt::format(" and {} more", more) : ""));
}

/// Reads the open entry. Grows with the data actually read, since the size that the
/// archive claims may be wrong.
Result<Bytes> read_all(unzFile archive, const std::string& path, const std::string& name,
                       std::uint64_t claimed_bytes, std::uint64_t most_bytes) {
    Bytes bytes;
    std::array<std::byte, 1 << 16> piece;
    for (;;) {
        const int count = unzReadCurrentFile(archive, piece.data(), piece.size());
        if (count < 0) return damaged(path, name);
        if (count == 0) break;
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + count);
        if (bytes.size() > most_bytes)
            return fail(
                ErrorCode::limit_exceeded,
                fmt::format("An array in \"{}\" has more than the {} bytes that are read of such a file.",
                            path, most_bytes));
    }
    // Closing compares the checksum, unless the entry has ended before the size that the archive claims.
    if (bytes.size() != claimed_bytes || unzCloseCurrentFile(archive) != UNZ_OK) return damaged(path, name);
    return bytes;
}

}  // namespace

Result<Bytes> read_npz(const std::string& path, const std::string& name) {
    static constexpr int case_sensitive = 1;
    static constexpr uLong encrypted = 1;  // in the flags of an entry
    const Archive archive = TRY(open(path));
    if (unzLocateFile(archive.get(), (name + std::string(suffix)).c_str(), case_sensitive) != UNZ_OK)
        return no_such_array(archive.get(), path, name);
    unz_file_info64 entry{};
    if (unzGetCurrentFileInfo64(archive.get(), &entry, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
        return damaged(path, name);
    if ((entry.flag & encrypted) != 0)
        return fail(ErrorCode::unsupported, fmt::format("\"{}\" is encrypted.", path),
                    "write it again with numpy.savez");
    if (unzOpenCurrentFile(archive.get()) != UNZ_OK) return damaged(path, name);
    return read_all(archive.get(), path, name, entry.uncompressed_size, physical_memory() / 2);
}

}  // namespace muster::cli
