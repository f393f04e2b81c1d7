#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>

namespace muster {

std::string printable(std::string_view text) {
    const std::string quoted = fmt::format("{:?}", text);
    std::string shown;
    shown.reserve(quoted.size());
    for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
        // Keep fmt's escapes except for backslashes and quotes, which are escaped only because {:?} quotes.
        if (quoted[i] == '\\' && (quoted[i + 1] == '\\' || quoted[i + 1] == '"')) ++i;
        shown += quoted[i];
    }
    return shown;
}

}  // namespace muster
