#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/helper/last_words.hpp>
#include <muster/driver/plugins/plugin_file.hpp>
#include <muster/driver/plugins/plugin_open.hpp>
#include <muster/driver/plugins/plugin_path.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::plugins {
namespace {

/// The loader's error, without the path that it usually begins with.
std::string loader_error(const std::string& path, std::string_view error) {
    if (error.starts_with(path + ": ")) error.remove_prefix(path.size() + 2);
    return printable(error);
}

/// Checks a library's records by themselves and against the backends that the process has.
Result<void> check_records(Inventory inventory) {
    const std::string module = inventory.module;
    if (inventory.records.empty() && inventory.damaged.empty())
        return fail(ErrorCode::invalid_argument, "It registers no backend.",
                    "submit its records, and link them into it");
    if (inventory.is_foreign)
        return fail(ErrorCode::unsupported,
                    "It is linked to another copy of muster, which reads its backends.",
                    "link it to the libmuster of this program: leave the static one out of it");
    PluginFile described;
    if (auto wrong = first_fault(std::move(inventory), described)) return std::unexpected(*std::move(wrong));
    for (const PluginPack& pack : described.packs)
        if (const RegisteredPack* there = registry().find_pack(pack.id); there && there->module != module)
            return fail(ErrorCode::conflict,
                        fmt::format("The process has the pack \"{}\" already, from {}.", pack.id,
                                    printable(there->module)),
                        "link it or load it, not both");
    for (const PluginBackend& backend : described.backends)
        if (const RegisteredBackend* there = find_backend(backend.id); there && there->module != module)
            return fail(ErrorCode::conflict,
                        fmt::format("The process has the backend \"{}\" already, from {}.", backend.id,
                                    printable(there->module)),
                        "link it or load it, not both");
    return {};
}

}  // namespace

std::optional<Error> cannot_open_plugins() {
    static const bool is_library = driver_home().is_library;
    if (is_library) return std::nullopt;
    return Error{ErrorCode::unsupported,
                 "This program is linked with the static driver, and a plugin would bring a second one: a "
                 "process has one driver.",
                 "link the shared libmuster (find_package(muster COMPONENTS shared)), or link the backend",
                 {}};
}

Result<void> open_plugin(const std::string& path, CodePlace place) {
    if (auto error = cannot_open_plugins()) return std::unexpected(*std::move(error));
    return admit_module(path, [&]() -> Result<void> {
        const helper::LastWords words("opening the plugin " + printable(path));
        auto library = DriverLibrary::open(path.c_str(), place);
        if (!library && library.error().code == ErrorCode::refused) return std::unexpected(library.error());
        if (!library)
            return fail(ErrorCode::unavailable,
                        fmt::format("It doesn't open: {}.", loader_error(path, library.error().message)),
                        "install what it needs, or rebuild it against this version of muster");
        TRY(check_records(read_inventory(library->handle())));
        library->keep();  // the registry pins it when it reads the modules
        return {};
    });
}

}  // namespace muster::plugins
