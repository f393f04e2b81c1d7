// text.hpp - formats and parses quantities, and indents text.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster::cli {

/// "16.0 KiB", "80.0 GiB", "512 bytes"; "unlimited" for the largest number.
std::string human_bytes(std::uint64_t bytes);

/// Parses "8GiB", "512 MiB", "1.5GB" (powers of 1000) or "4096". Errors: invalid_argument.
Result<std::uint64_t> parse_bytes(std::string_view text);

/// Parses "10" and "10s" (seconds), "500ms", "1.5min", "1h". Errors: invalid_argument, also for "0".
Result<std::chrono::nanoseconds> parse_time(std::string_view text);

/// "1.23 ms", "45.6 us", "2.50 s": three significant digits.
std::string human_time(std::uint64_t ns);

/// Indents every line but the first.
std::string indented(std::string_view text, std::size_t columns);

}  // namespace muster::cli
