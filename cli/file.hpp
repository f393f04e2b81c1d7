// file.hpp - whole files in and out, with errors that name the file and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/result.hpp>

namespace muster::cli {

using Bytes = std::vector<std::byte>;

/// Reads all of a file; "-" is standard input. Errors: not_found, io_failed, limit_exceeded.
Result<Bytes> read_file(const std::string& path);

/// Creates or replaces a file; "-" is standard output. Errors: io_failed.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);

/// The path's extension in lower case with its dot: ".png"; empty where it has none.
std::string extension_of(const std::string& path);

}  // namespace muster::cli
