#include <array>
#include <charconv>
#include <optional>
#include <span>

#include <fmt/format.h>

#include <muster/cli/support/text.hpp>

namespace muster::cli {
namespace {

struct Unit {
    std::string_view name;
    double size;
};

/// Parses a number and its unit, with at most one space between; none if it isn't that, or
/// needs more than 63 bits.
std::optional<std::uint64_t> quantity(std::string_view text, std::span<const Unit> units) {
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
    std::string_view rest(end, static_cast<std::size_t>(last - end));
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    for (const Unit& unit : units)
        if (error == std::errc() && value >= 0 && unit.name == rest && value * unit.size < 0x1p63)
            return static_cast<std::uint64_t>(value * unit.size);
    return {};
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
    if (bytes == UINT64_MAX) return "unlimited";
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    constexpr std::array<const char*, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    return fmt::format("{:.1f} {}", value, units[unit]);
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
    constexpr std::array<Unit, 9> units{{{"", 1},
                                         {"KiB", 0x1p10},
                                         {"MiB", 0x1p20},
                                         {"GiB", 0x1p30},
                                         {"TiB", 0x1p40},
                                         {"KB", 1e3},
                                         {"MB", 1e6},
                                         {"GB", 1e9},
                                         {"TB", 1e12}}};
    if (const auto bytes = quantity(text, units)) return *bytes;
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is no number of bytes.", text),
                "write a number and a unit: 8GiB, 512MiB, 4096");
}

Result<std::chrono::nanoseconds> parse_time(std::string_view text) {
    constexpr std::array<Unit, 7> units{
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
