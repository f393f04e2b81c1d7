// file.hpp - whole files in and out, with errors that name the file and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>

namespace muster::cli {

using Bytes = std::vector<std::byte>;

/// This machine's memory; UINT64_MAX where the system doesn't say.
std::uint64_t physical_memory();

/// Reads all of a file; "-" is standard input. Errors: not_found, io_failed, limit_exceeded (over `most_bytes`, told
/// before such a file is read where the system knows its size).
Result<Bytes> read_file(const std::string& path, std::uint64_t most_bytes = physical_memory() / 2);

/// Creates or replaces a file, all of it or nothing (replace_file.hpp); "-" is standard output. Errors: io_failed.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);

/// Whether write_file() can begin, asked before long work; creates nothing. Errors: not_found, io_failed.
Result<void> check_writable(const std::string& path);

/// The path's extension in lower case with its dot: ".png"; empty where it has none.
std::string extension_of(const std::string& path);

}  // namespace muster::cli
