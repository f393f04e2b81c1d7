// text.hpp - quantities and paragraphs for people.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster::cli {

/// "16.0 KiB", "80.0 GiB", "512 bytes"; "unlimited" for the largest number.
std::string human_bytes(std::uint64_t bytes);

/// "8GiB", "512 MiB", "1.5GB" (powers of 1000), "4096". Errors: invalid_argument.
Result<std::uint64_t> parse_bytes(std::string_view text);

/// "10" and "10s" are seconds; "500ms", "1.5min", "1h". Errors: invalid_argument, also for none at all: "0".
Result<std::chrono::nanoseconds> parse_time(std::string_view text);

/// "1.23 ms", "45.6 us", "2.50 s"; three digits that count.
std::string human_time(std::uint64_t ns);

/// Every line but the first moved to the right.
std::string indented(std::string_view text, std::size_t columns);

}  // namespace muster::cli
