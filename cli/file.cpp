#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <muster/cli/file.hpp>

namespace muster::cli {
namespace {

constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 36;

struct Close {
    void operator()(std::FILE* file) const {
        if (file != stdin && file != stdout) std::fclose(file);
    }
};
using File = std::unique_ptr<std::FILE, Close>;

std::unexpected<Error> failed(const char* what, const std::string& path, int error) {
    const ErrorCode code = error == ENOENT ? ErrorCode::not_found : ErrorCode::io_failed;
    return fail(code, fmt::format("The file \"{}\" can't be {}: {}.", path, what, std::strerror(error)));
}

}  // namespace

Result<Bytes> read_file(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return failed("read", path, EISDIR);
    const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (!file) return failed("read", path, errno);

    Bytes bytes;
    if (const auto size = std::filesystem::file_size(path, ignored); !ignored && size <= max_file_bytes) {
        bytes.reserve(size);
    }
    std::array<std::byte, 1 << 16> piece;
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
        if (bytes.size() > max_file_bytes) {
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("The file \"{}\" has more than {} bytes.", path, max_file_bytes));
        }
    }
    if (std::ferror(file.get())) return failed("read", path, errno);
    return bytes;
}

Result<void> write_file(const std::string& path, std::span<const std::byte> bytes) {
    File file(path == "-" ? stdout : std::fopen(path.c_str(), "wb"));
    if (!file) return failed("written", path, errno);
    if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
        return failed("written", path, errno);
    if (std::fflush(file.get()) != 0) return failed("written", path, errno);
    return {};
}

std::string extension_of(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::ranges::transform(extension, extension.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return extension;
}

}  // namespace muster::cli
