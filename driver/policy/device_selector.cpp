#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/policy/device_selector.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::policy {
namespace {

std::optional<std::uint8_t> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
    return std::nullopt;
}

constexpr bool is_dash(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

/// Parses 8-4-4-4-12 hexadecimal digits.
std::optional<Uuid> parse_uuid(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Uuid uuid{};
    std::size_t digits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_dash(i)) {
            if (text[i] != '-') return std::nullopt;
            continue;
        }
        const auto digit = hex_digit(text[i]);
        if (!digit) return std::nullopt;
        std::uint8_t& byte = uuid[digits++ / 2];
        byte = static_cast<std::uint8_t>(byte << 4 | *digit);
    }
    return uuid;
}

std::optional<std::uint32_t> parse_ordinal(std::string_view text) {
    std::uint32_t ordinal = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, ordinal);
    const bool has_zero_before = text.size() > 1 && text.front() == '0';
    if (error != std::errc() || stopped != end || has_zero_before) return std::nullopt;
    return ordinal;
}

/// Digits and dashes alone, hexadecimal ones, are a UUID that was cut off.
bool is_arch(std::string_view text) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto fits = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    };
    const auto is_of_uuid = [](char c) { return c == '-' || hex_digit(c).has_value(); };
    return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, fits) &&
           !std::ranges::all_of(text, is_of_uuid);
}

}  // namespace

Result<DeviceSelector> DeviceSelector::parse(std::string_view text) {
    const auto colon = text.find(':');
    const std::string_view id = text.substr(0, colon);
    if (!valid_id(id))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" can't be the id of a backend.", printable(id)),
                    "write lower-case letters, digits, '-' and '_', a letter first");
    if (colon == std::string_view::npos) return DeviceSelector{std::string(id)};
    const std::string_view which = text.substr(colon + 1);
    if (const auto ordinal = parse_ordinal(which)) return DeviceSelector{std::string(id), *ordinal};
    const auto uuid = parse_uuid(which);
    if (!uuid && is_arch(which)) return DeviceSelector{std::string(id), Arch{std::string(which)}};
    if (!uuid)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("\"{}\" in \"{}\" is neither an ordinal, an architecture nor a UUID.",
                        printable(which), printable(text)),
            fmt::format("write {}:0, or {} and the device's whole UUID as `muster backends` prints it", id,
                        id));
    if (*uuid == Uuid{})
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The UUID in \"{}\" is all zeros: that of devices whose UUID isn't known.", text),
            "name the device by its ordinal");
    return DeviceSelector{std::string(id), *uuid};
}

std::string DeviceSelector::to_string() const {
    if (const auto* ordinal = std::get_if<std::uint32_t>(&device))
        return fmt::format("{}:{}", backend, *ordinal);
    if (const auto* uuid = std::get_if<Uuid>(&device))
        return fmt::format("{}:{}", backend, muster::to_string(*uuid));
    if (const auto* arch = std::get_if<Arch>(&device)) return fmt::format("{}:{}", backend, arch->name);
    return backend;
}

bool DeviceSelector::matches(std::string_view of, const DeviceInfo& info) const {
    if (of != backend) return false;
    if (const auto* arch = std::get_if<Arch>(&device)) return info.on_request && info.arch == arch->name;
    if (info.on_request) return false;
    if (const auto* ordinal = std::get_if<std::uint32_t>(&device)) return info.ordinal == *ordinal;
    if (const auto* uuid = std::get_if<Uuid>(&device)) return info.uuid == *uuid;
    return true;
}

}  // namespace muster::policy
