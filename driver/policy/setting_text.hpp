// setting_text.hpp - the text of a setting, of the environment or of an option: its spaces, and lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::policy {

/// The text without the spaces at its ends.
inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t";
    const auto first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

/// The items of a list, trimmed; an empty text has one, which is empty.
inline std::vector<std::string> items(std::string_view list, char separator = ',') {
    std::vector<std::string> found;
    for (;;) {
        const auto comma = list.find(separator);
        found.emplace_back(trimmed(list.substr(0, comma)));
        if (comma == std::string_view::npos) return found;
        list.remove_prefix(comma + 1);
    }
}

}  // namespace muster::policy
