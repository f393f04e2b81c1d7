#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/plugins/plugin_selection.hpp>
#include <muster/driver/plugins/plugins.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/process/backends.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/registry/code_registration.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

Result<std::unique_ptr<Backend>> stand_in() {
    return fail(ErrorCode::internal, "A stand-in for a backend's maker is called.");
}
const OpSet& no_ops() {
    static const OpSet none;
    return none;
}

Result<void> check_text(std::string_view what, std::string_view text, std::size_t room) {
    if (!valid_id(text))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" can't be {} of a backend.", printable(text), what),
                    "write lower-case letters, digits, '-' and '_', a letter first");
    if (text.size() >= room)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" has {} characters, more than the {} that {} of a backend can have.",
                                text, text.size(), room - 1, what),
                    "use a shorter one");
    return {};
}

}  // namespace

Result<void> register_backend(std::string_view id, BackendMaker maker, const std::vector<std::string>& tags,
                              BackendClaims claims) {
    if (const std::string& library = module_being_admitted(); !library.empty())
        return fail(ErrorCode::refused,
                    fmt::format("The backend \"{}\" is registered by a constructor, while muster opens the "
                                "library {}.",
                                id, library),
                    "submit its records instead (MUSTER_SUBMIT), or register it from a function that the "
                    "program calls later");
    TRY(check_text("the id", id, Id{}.characters.size()));
    for (const std::string& tag : tags) TRY(check_text("a tag", tag, Tags{}.characters.size()));
    const std::string all_tags = fmt::format("{}", fmt::join(tags, " "));
    if (all_tags.size() >= Tags{}.characters.size())
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The tags of \"{}\" have {} characters together, more than {}.", id,
                                all_tags.size(), Tags{}.characters.size() - 1),
                    "use fewer, or shorter ones");
    if (!maker)
        return fail(ErrorCode::invalid_argument, fmt::format("The backend \"{}\" comes without a maker.", id),
                    "give a function that returns the backend: make_backend<Mine>");
    auto made = std::make_unique<CodeRegistration>();
    made->registration.id.append(id);
    made->registration.factory = stand_in;
    made->registration.supported_ops = no_ops;
    made->registration.tags.append(all_tags);
    made->precedence.id.append(id);
    made->precedence.rank = claims.rank;
    made->capability.id.append(id);
    made->capability.dispatches = claims.dispatches;
    made->maker = std::move(maker);
    made->supported_ops = std::move(claims.supported_ops);
    if (const std::string plugin = Plugins::process().file_with(id); !plugin.empty())
        return fail(ErrorCode::conflict, fmt::format("The id \"{}\" is taken: by {}.", id, printable(plugin)),
                    "register the backend by another id");
    return publish(std::move(made));
}

std::vector<std::string> list_backends(std::initializer_list<std::string_view> exclude_tags) {
    const std::shared_ptr<Fleet> fleet = process_fleet();
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < fleet->size(); ++i) {
        const FleetEntry& entry = fleet->entry(i);
        const auto is_tagged = [&](std::string_view tag) { return entry.has_tag(tag); };
        if (!entry.fault && std::ranges::none_of(exclude_tags, is_tagged)) ids.push_back(entry.id);
    }
    return ids;
}

namespace {

/// Opens the plugin that has a backend of this id, if no other library has it and the
/// process searches for plugins.
Result<void> provide_plugin(std::string_view id) {
    Plugins& plugins = Plugins::process();
    if (!valid_id(id) || !plugins::module_with(registry(), id).empty() || !plugins.is_automatic()) return {};
    auto provided = plugins.provide(id);
    // If no plugin has the id, the registry's fault explains more.
    if (!provided && provided.error().code == ErrorCode::not_found && registry().fault(id)) return {};
    return provided;
}

}  // namespace

Result<std::unique_ptr<Backend>> acquire(std::string_view id) {
    TRY(during("acquiring backend \"" + printable(id) + "\"", provide_plugin(id)));
    return registry().acquire(id);
}

}  // namespace muster
