// enum_name.hpp - an enumerator's name as text: that which it has in the source, without a last underscore.
//
//     enum_name(AddressSpace::private_) == "private"
//     enum_named<Validation>("warn") == Validation::warn; enum_names<Validation>() has all three
//
// For enumerations whose values count from 0 to at most 62. Threads: pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace muster {
namespace detail {

/// Empty if no enumerator has the value: compilers then show it as a cast, `(muster::Stage)10`.
template <auto value>
consteval std::string_view enumerator() {
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("value = ") + 8);
    text = text.substr(0, text.find_first_of(";]"));
    text.remove_prefix(text.rfind(':') + 1);
    if (text.ends_with('_')) text.remove_suffix(1);
    return text.find(')') == text.npos ? text : std::string_view{};
}

template <class Enum>
inline constexpr auto enumerators = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{enumerator<static_cast<Enum>(i)>()...};
}
(std::make_index_sequence<64>());

}  // namespace detail

/// The names of all enumerators, in their order.
template <class Enum>
constexpr std::span<const std::string_view> enum_names() {
    constexpr auto& names = detail::enumerators<Enum>;
    static_assert(!names.front().empty() && names.back().empty());
    return std::span(names).first(std::ranges::find(names, "") - names.begin());
}

template <class Enum>
constexpr std::string_view enum_name(Enum value) {
    constexpr auto names = enum_names<Enum>();
    const auto at = static_cast<std::size_t>(value);
    return at < names.size() ? names[at] : "unknown";
}

/// The enumerator of this name, if there is one.
template <class Enum>
constexpr std::optional<Enum> enum_named(std::string_view name) {
    constexpr auto names = enum_names<Enum>();
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
}

}  // namespace muster
