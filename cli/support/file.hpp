// file.hpp - reads and writes whole files; errors name the file and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>

namespace muster::cli {

using Bytes = std::vector<std::byte>;

/// This machine's memory in bytes; UINT64_MAX if unknown.
std::uint64_t physical_memory();

/// Reads a whole file; "-" is standard input. Errors: not_found, io_failed, limit_exceeded (over
/// `most_bytes`; reported before reading if the system knows the file's size).
Result<Bytes> read_file(const std::string& path, std::uint64_t most_bytes = physical_memory() / 2);

/// The bytes as text.
inline std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Creates or replaces a file, atomically (replace_file.hpp); "-" is standard output. Errors: io_failed.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);

/// Likewise, of a text.
Result<void> write_text(const std::string& path, std::string_view text);

/// Checks before long work whether write_file() could begin; creates nothing. Errors: not_found, io_failed.
Result<void> check_writable(const std::string& path);

/// The path's extension with its dot, in lower case: ".png"; empty if it has none.
std::string extension_of(const std::string& path);

}  // namespace muster::cli
