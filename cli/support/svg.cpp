#include <muster/cli/support/svg.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::cli {

std::string xml_text(std::string_view text) {
    std::string safe;
    for (const char c : printable(text)) {
        safe += c == '<'   ? "&lt;"
                : c == '>' ? "&gt;"
                : c == '&' ? "&amp;"
                : c == '"' ? "&quot;"
                           : std::string(1, c);
    }
    return safe;
}

}  // namespace muster::cli
