#include <algorithm>
#include <cstdlib>

#include <muster/driver/platform/environment_variable.hpp>

namespace muster::platform {

std::optional<std::string> environment_variable(std::string_view name) {
    if (has_foreign_rights()) return std::nullopt;
    const char* const value = std::getenv(std::string(name).c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> environment_names(std::string_view prefix) {
    std::vector<std::string> names;
    if (has_foreign_rights() || inherited_environment() == nullptr) return names;
    for (char** each = inherited_environment(); *each != nullptr; ++each) {
        const std::string_view text = *each;
        if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace muster::platform
