// text.hpp - formats and parses quantities, and indents text.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster::cli {

/// "16.0 KiB", "80.0 GiB", "512 bytes"; "unlimited" for the largest number.
std::string human_bytes(std::uint64_t bytes);

/// Parses "10" and "10s" (seconds), "500ms", "1.5min", "1h". Errors: invalid_argument, also for "0".
Result<std::chrono::nanoseconds> parse_time(std::string_view text);

/// "1.23 ms", "45.6 us", "2.50 s": three significant digits.
std::string human_time(std::uint64_t ns);

/// The number that the whole text is; none if it isn't one.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return number;
}

/// The first line, without its end.
std::string first_line(const std::string& text);

/// The text with every `from` replaced.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// Indents every line but the first.
std::string indented(std::string_view text, std::size_t columns);

}  // namespace muster::cli
