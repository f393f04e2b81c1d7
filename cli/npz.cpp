#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <muster/cli/npz.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

constexpr std::string_view suffix = ".npy";
constexpr std::size_t most_names = 20;  // listed in a message

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

std::unexpected<Error> unreadable(const std::string& path, std::string_view why) {
    return fail(ErrorCode::io_failed, fmt::format("\"{}\" can't be read as .npz: {}.", path, why));
}

Result<Archive> open(const std::string& path) {
    int code = 0;
    Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (archive) return archive;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (code == ZIP_ER_NOENT)
        return fail(ErrorCode::not_found, fmt::format("The file \"{}\" can't be read: {}.", path, why));
    return unreadable(path, why);
}

std::vector<std::string> names_in(zip_t* archive) {
    std::vector<std::string> names;
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; ++i) {
        const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
        if (name == nullptr) continue;
        std::string_view text(name);
        if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
        names.emplace_back(text);
    }
    return names;
}

std::unexpected<Error> no_such_array(zip_t* archive, const std::string& path, const std::string& name) {
    std::vector<std::string> names = names_in(archive);
    const std::size_t more = names.size() - std::min(names.size(), most_names);
    names.resize(names.size() - more);
    return fail(ErrorCode::not_found, fmt::format("\"{}\" holds no array \"{}\".", path, name),
                names.empty() ? "it holds none at all"
                              : fmt::format("it holds {}{}", fmt::join(names, ", "),
                                            more > 0 ? fmt::format(" and {} more", more) : ""));
}

/// Reads an entry. Grows with the data actually read, since the size that the archive claims can't be trusted.
Result<Bytes> read_all(zip_file_t* file, const std::string& path, std::uint64_t most_bytes) {
    Bytes bytes;
    std::array<std::byte, 1 << 16> piece;
    for (;;) {
        const zip_int64_t count = zip_fread(file, piece.data(), piece.size());
        if (count < 0) return unreadable(path, zip_error_strerror(zip_file_get_error(file)));
        if (count == 0) return bytes;
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + count);
        if (bytes.size() > most_bytes)
            return fail(
                ErrorCode::limit_exceeded,
                fmt::format("An array in \"{}\" has more than the {} bytes that are read of such a file.",
                            path, most_bytes));
    }
}

}  // namespace

Result<Bytes> read_npz(const std::string& path, const std::string& name) {
    const Archive archive = TRY(open(path));
    const zip_int64_t which = zip_name_locate(archive.get(), (name + std::string(suffix)).c_str(), 0);
    if (which < 0) return no_such_array(archive.get(), path, name);
    const std::unique_ptr<zip_file_t, Discard> file(
        zip_fopen_index(archive.get(), static_cast<zip_uint64_t>(which), 0));
    if (!file) {
        zip_error_t* error = zip_get_error(archive.get());
        if (zip_error_code_zip(error) == ZIP_ER_NOPASSWD || zip_error_code_zip(error) == ZIP_ER_ENCRNOTSUPP)
            return fail(ErrorCode::unsupported, fmt::format("\"{}\" is encrypted.", path),
                        "write it again with numpy.savez");
        return unreadable(path, zip_error_strerror(error));
    }
    return read_all(file.get(), path, physical_memory() / 2);
}

}  // namespace muster::cli
