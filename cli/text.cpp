#include <array>

#include <fmt/format.h>

#include <muster/cli/text.hpp>

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

std::string human_time(std::uint64_t ns) {
    constexpr std::array<const char*, 4> units{"ns", "us", "ms", "s"};
    auto value = static_cast<double>(ns);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
    if (unit == 0) return fmt::format("{} ns", ns);
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, units[unit]);
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
