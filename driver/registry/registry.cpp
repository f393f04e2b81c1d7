#include <algorithm>
#include <utility>

#include <muster/driver/registry/registry.hpp>
#include <muster/driver/registry/registry_builder.hpp>
#include <muster/foundation/base/enum_name.hpp>

namespace muster {
std::string_view name(RegistryRule rule) { return enum_name(rule); }

bool RegisteredBackend::has_tag(std::string_view tag) const {
    for (std::string_view rest = tags; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (!tag.empty() && rest.substr(0, end) == tag) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

Registry Registry::from(std::vector<Inventory> inventories, const Registry* before) {
    return RegistryBuilder(std::move(inventories), before).build();
}

Registry Registry::from_records(std::span<const BackendRegistration> registrations,
                                std::span<const BackendPrecedence> precedences,
                                std::span<const BackendCapability> capabilities,
                                std::span<const BackendExpectation> expectations,
                                std::span<const BackendPatterns> patterns) {
    std::vector<Inventory> inventories(1);
    Inventory& inventory = inventories.front();
    inventory.module = "records";
    for (const auto& record : registrations) inventory.records.push_back(&record.header);
    for (const auto& record : precedences) inventory.records.push_back(&record.header);
    for (const auto& record : capabilities) inventory.records.push_back(&record.header);
    for (const auto& record : expectations) inventory.records.push_back(&record.header);
    for (const auto& record : patterns) inventory.records.push_back(&record.header);
    return from(std::move(inventories));
}

const RegisteredBackend* Registry::find(std::string_view id) const {
    const auto at = std::ranges::lower_bound(by_id_, id, {}, &RegisteredBackend::id);
    return at != by_id_.end() && (*at)->id == id ? *at : nullptr;
}

const RegisteredPack* Registry::find_pack(std::string_view id) const {
    const auto at = std::ranges::lower_bound(packs_, id, {}, &RegisteredPack::id);
    return at != packs_.end() && at->id == id ? &*at : nullptr;
}

namespace {

const RegistryFault* first_fault(std::span<const RegistryFault> faults, std::string_view id, bool of_pack) {
    const auto at = std::ranges::find_if(
        faults, [&](const RegistryFault& fault) { return fault.id == id && fault.of_pack == of_pack; });
    return at != faults.end() ? &*at : nullptr;
}

}  // namespace

const RegistryFault* Registry::fault(std::string_view id) const { return first_fault(faults_, id, false); }

const RegistryFault* Registry::pack_fault(std::string_view id) const {
    return first_fault(faults_, id, true);
}

}  // namespace muster
