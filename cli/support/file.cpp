#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <muster/cli/support/file.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/driver/platform/replace_file.hpp>

namespace muster::cli {
namespace {

struct Close {
    void operator()(std::FILE* file) const {
        if (file != stdin && file != stdout) std::fclose(file);
    }
};
using File = std::unique_ptr<std::FILE, Close>;

std::unexpected<Error> failed(const char* what, const std::string& path, int error) {
    const ErrorCode code = error == ENOENT ? ErrorCode::not_found : ErrorCode::io_failed;
    const std::string_view stream = std::string_view(what) == "read" ? "Standard input" : "Standard output";
    const std::string name = path == "-" ? std::string(stream) : fmt::format("The file \"{}\"", path);
    return fail(code, fmt::format("{} can't be {}: {}.", name, what, std::strerror(error)));
}

}  // namespace

std::uint64_t physical_memory() {
    const std::uint64_t bytes = platform::physical_memory_bytes();
    return bytes != 0 ? bytes : UINT64_MAX;
}

Result<Bytes> read_file(const std::string& path, std::uint64_t most_bytes) {
    const auto too_large = [&] {
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The file \"{}\" has more than the {} bytes that are read of such a file.",
                                path, most_bytes));
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return failed("read", path, EISDIR);
    const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (!file) return failed("read", path, errno);

    Bytes bytes;
    if (const auto size = std::filesystem::file_size(path, ignored); !ignored) {
        if (size > most_bytes) return too_large();
        bytes.reserve(size);
    }
    std::array<std::byte, 1 << 16> piece;
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
        if (bytes.size() > most_bytes) return too_large();
    }
    if (std::ferror(file.get())) return failed("read", path, errno);
    return bytes;
}

Result<void> write_file(const std::string& path, std::span<const std::byte> bytes) {
    const int error =
        path == "-" ? platform::write_standard_output(bytes) : platform::replace_file(path, bytes);
    if (error != 0) return failed("written", path, error);
    return {};
}

Result<void> write_text(const std::string& path, std::string_view text) {
    return write_file(path, std::as_bytes(std::span(text)));
}

Result<void> check_writable(const std::string& path) {
    std::error_code ignored;
    if (path == "-") return {};
    if (std::filesystem::is_directory(path, ignored)) return failed("written", path, EISDIR);
    // The existing file, or the folder that it would be created in.
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const std::string target = std::filesystem::exists(path, ignored) ? path
                               : folder.empty()                       ? "."
                                                                      : folder.string();
    if (const int error = platform::why_not_writable(target); error != 0)
        return failed("written", path, error);
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
