#include <array>

#include <fmt/format.h>

#include <muster/cli/support/text.hpp>
#include <muster/driver/support/quantity.hpp>

namespace muster::cli {
std::string human_bytes(std::uint64_t bytes) {
    if (bytes == UINT64_MAX) return "unlimited";
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    constexpr std::array<const char*, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    return fmt::format("{:.1f} {}", value, units[unit]);
}

Result<std::chrono::nanoseconds> parse_time(std::string_view text) {
    constexpr std::array<QuantityUnit, 7> units{
        {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"min", 60e9}, {"h", 3600e9}}};
    const auto ns = quantity(text, units);
    if (ns && *ns > 0) return std::chrono::nanoseconds(*ns);
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" isn't a length of time.", text),
                "write a number and a unit: 10s, 500ms, 2min; without a unit, seconds");
}

std::string human_time(std::uint64_t ns) {
    constexpr std::array<const char*, 4> units{"ns", "us", "ms", "s"};
    auto value = static_cast<double>(ns);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
    if (unit == 0) return fmt::format("{} ns", ns);
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, units[unit]);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

std::string indented(std::string_view text, std::size_t columns) {
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '\n') result.append(columns, ' ');
    }
    return result;
}

}  // namespace muster::cli
