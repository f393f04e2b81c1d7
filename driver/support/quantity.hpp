// quantity.hpp - reads a number with its unit, "8GiB" or "1.5 min".
//
//     constexpr std::array<QuantityUnit, 2> units{{{"", 1}, {"KiB", 0x1p10}}};
//     quantity("4 KiB", units);      // 4096
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace muster {

struct QuantityUnit {
    std::string_view name;
    double size;
};

/// Parses a number and its unit, with at most one space between; none if it isn't that, or
/// needs more than 63 bits.
inline std::optional<std::uint64_t> quantity(std::string_view text, std::span<const QuantityUnit> units) {
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
    std::string_view rest(end, static_cast<std::size_t>(last - end));
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    for (const QuantityUnit& unit : units)
        if (error == std::errc() && value >= 0 && unit.name == rest && value * unit.size < 0x1p63)
            return static_cast<std::uint64_t>(value * unit.size);
    return {};
}

}  // namespace muster
