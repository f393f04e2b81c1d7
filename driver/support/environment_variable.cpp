#include <algorithm>
#include <cstdlib>

#include <muster/driver/support/environment_variable.hpp>

#if defined(__linux__)
#include <sys/auxv.h>
#endif
#if !defined(_WIN32)
#include <unistd.h>
extern char** environ;
#endif

namespace muster {

bool has_foreign_rights() {
#if defined(__linux__)
    static const bool has = getauxval(AT_SECURE) != 0;
    return has;
#elif !defined(_WIN32)
    return issetugid() != 0;
#else
    return false;
#endif
}

std::optional<std::string> environment_variable(std::string_view name) {
    if (has_foreign_rights()) return std::nullopt;
    const char* const value = std::getenv(std::string(name).c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

char** inherited_environment() {
#if !defined(_WIN32)
    return environ;
#else
    return _environ;
#endif
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

}  // namespace muster
