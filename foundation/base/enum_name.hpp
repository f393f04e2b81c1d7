// enum_name.hpp - an enumerator's name as text: that which it has in the source, without a last underscore.
//
//     enum_name(AddressSpace::private_) == "private"
//
// For enumerations whose values count from 0 to at most 62. Threads: pure.
#pragma once

#include <array>
#include <cstddef>
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

template <class Enum>
constexpr std::string_view enum_name(Enum value) {
    constexpr auto& names = detail::enumerators<Enum>;
    static_assert(!names.front().empty() && names.back().empty());
    const auto at = static_cast<std::size_t>(value);
    return at < names.size() && !names[at].empty() ? names[at] : "unknown";
}

}  // namespace muster
