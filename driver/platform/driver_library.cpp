#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/platform/may_run.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster {

std::optional<Error> why_no_driver(std::string_view name) {
    if (!platform::has_foreign_rights()) return std::nullopt;
    return Error{
        ErrorCode::refused,
        fmt::format("{} isn't opened: this program has more rights than who started it, and drivers "
                    "obey variables of that user's, some of which name code to run or files to write.",
                    printable(name)),
        "start it without these rights (set-user-ID, set-group-ID, file capabilities)",
        {}};
}

Result<DriverLibrary> DriverLibrary::open(const char* name, CodePlace place, const std::string& module) {
    const bool is_path = std::string_view(name).find('/') != std::string_view::npos;
    std::string file = name;
    if (is_path && (place == CodePlace::found || platform::has_foreign_rights())) {
        // What is judged is what is opened: a link on the way may change at any time.
        std::error_code ignored;
        if (const auto real = std::filesystem::canonical(name, ignored); !real.empty()) file = real.string();
        if (auto why = platform::why_not_run(file, module)) return std::unexpected(*std::move(why));
    }
    if (!is_path)
        if (auto why = why_no_driver(name)) return std::unexpected(*std::move(why));
    return loaded(file);
}

}  // namespace muster
