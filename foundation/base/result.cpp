#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

std::string_view name(ErrorCode code) { return enum_name(code); }

std::string Error::to_string() const {
    std::string text = message;
    for (const std::string& step : context) text += "\n  while " + step;
    if (!fix.empty()) text += "\nFix: " + fix;
    return text;
}

}  // namespace muster
