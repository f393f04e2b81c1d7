#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/contract/forwarding_backend.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/session/session_fleet.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

Result<FleetEntry> entry_of(SessionBackend from) {
    if (!from.backend)
        return fail(ErrorCode::invalid_argument, "A backend for the session is null.",
                    "give an object, or none");
    FleetEntry entry;
    entry.id =
        TRY(guarded("Backend::id", [&]() -> Result<std::string> { return std::string(from.backend->id()); }));
    if (!valid_id(entry.id))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A backend for the session says that its id is \"{}\", which can't be one.",
                                printable(entry.id)),
                    "write lower-case letters, digits, '-' and '_', a letter first");
    entry.rank = from.rank;
    entry.dispatches = from.dispatches;
    entry.tags = std::move(from.tags);
    entry.supported_ops = std::move(from.supported_ops);
    entry.checks_devices = false;
    entry.factory = [backend = std::move(from.backend)]() -> Result<std::unique_ptr<Backend>> {
        return std::make_unique<ForwardingBackend>(backend);  // the fleet owns the backends that it makes
    };
    return entry;
}

}  // namespace

Result<std::shared_ptr<Fleet>> with_backends(const std::shared_ptr<Fleet>& fleet,
                                             std::vector<SessionBackend> backends) {
    if (backends.empty()) return fleet;
    std::vector<FleetEntry> entries;
    for (std::size_t i = 0; i < fleet->size(); ++i) entries.push_back(fleet->entry(i));
    for (SessionBackend& one : backends) {
        FleetEntry entry = TRY(entry_of(std::move(one)));
        for (const FleetEntry& other : entries)
            if (other.id == entry.id)
                return fail(ErrorCode::conflict,
                            fmt::format("A backend for the session is called \"{}\", like one that there is.",
                                        entry.id),
                            "give it an id of its own");
        entries.push_back(std::move(entry));
    }
    return std::make_shared<Fleet>(std::move(entries), *fleet);
}

}  // namespace muster
