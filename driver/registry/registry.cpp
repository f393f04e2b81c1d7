#include <algorithm>
#include <exception>
#include <utility>

#include <muster/driver/registry/project_backends.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/driver/registry/registry_builder.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster {
namespace {

std::string quoted(std::string_view text) { return "\"" + printable(text) + "\""; }

/// Calls a factory and turns exceptions, null and a wrong id into errors.
Result<std::unique_ptr<Backend>> construct(const RegisteredBackend& backend) {
    const std::string fix =
        "take another backend, or report this to whoever provides " + printable(backend.module) + ".";
    const auto thrown = [&](std::string_view what) {
        return fail(ErrorCode::unavailable,
                    "The factory of backend " + quoted(backend.id) + " throws: " + printable(what) + ".",
                    fix);
    };
    try {
        auto made = backend.factory();
        if (!made) return made;
        if (*made == nullptr)
            return fail(ErrorCode::unavailable,
                        "The factory of backend " + quoted(backend.id) + " returns nothing.", fix);
        if (const std::string_view own = (*made)->id(); own != backend.id)
            return fail(ErrorCode::unavailable,
                        "The factory of backend " + quoted(backend.id) +
                            " constructs one that calls itself " + quoted(own) + ".",
                        fix);
        return made;
    } catch (const std::exception& exception) {
        return thrown(exception.what());
    } catch (...) {
        return thrown("something that isn't a std::exception");
    }
}

}  // namespace

std::string_view name(RegistryRule rule) {
    switch (rule) {
        case RegistryRule::damaged_record: return "damaged_record";
        case RegistryRule::foreign_schema: return "foreign_schema";
        case RegistryRule::foreign_abi: return "foreign_abi";
        case RegistryRule::invalid_id: return "invalid_id";
        case RegistryRule::incomplete_registration: return "incomplete_registration";
        case RegistryRule::duplicate_registration: return "duplicate_registration";
        case RegistryRule::duplicate_precedence: return "duplicate_precedence";
        case RegistryRule::duplicate_capability: return "duplicate_capability";
        case RegistryRule::orphaned_precedence: return "orphaned_precedence";
        case RegistryRule::orphaned_capability: return "orphaned_capability";
        case RegistryRule::duplicate_environment: return "duplicate_environment";
        case RegistryRule::orphaned_environment: return "orphaned_environment";
        case RegistryRule::dropped_by_linker: return "dropped_by_linker";
    }
    return "unknown";
}

bool RegisteredBackend::has_tag(std::string_view tag) const {
    for (std::string_view rest = tags; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (!tag.empty() && rest.substr(0, end) == tag) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

Registry Registry::from(std::vector<Inventory> inventories) {
    return RegistryBuilder(std::move(inventories)).build();
}

Registry Registry::from_records(std::span<const BackendRegistration> registrations,
                                std::span<const BackendPrecedence> precedences,
                                std::span<const BackendCapability> capabilities,
                                std::span<const BackendExpectation> expectations) {
    std::vector<Inventory> inventories(1);
    Inventory& inventory = inventories.front();
    inventory.module = "records";
    for (const auto& record : registrations) inventory.records.push_back(&record.header);
    for (const auto& record : precedences) inventory.records.push_back(&record.header);
    for (const auto& record : capabilities) inventory.records.push_back(&record.header);
    for (const auto& record : expectations) inventory.records.push_back(&record.header);
    return from(std::move(inventories));
}

const RegisteredBackend* Registry::find(std::string_view id) const {
    const auto at = std::ranges::lower_bound(by_id_, id, {}, &RegisteredBackend::id);
    return at != by_id_.end() && at->id == id ? &*at : nullptr;
}

const RegistryFault* Registry::fault(std::string_view id) const {
    const auto at = std::ranges::find(faults_, id, &RegistryFault::id);
    return at != faults_.end() ? &*at : nullptr;
}

Result<std::unique_ptr<Backend>> Registry::acquire(std::string_view id) const {
    if (const RegisteredBackend* backend = find(id))
        return during("acquiring backend " + quoted(id), construct(*backend));
    if (const RegistryFault* known = fault(id); known != nullptr && !id.empty())
        return std::unexpected(known->error);
    std::vector<std::string> there;
    for (const RegisteredBackend& backend : by_precedence_) there.emplace_back(backend.id);
    return std::unexpected(unknown_backend(id, there));
}

}  // namespace muster
