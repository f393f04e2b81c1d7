// registry_builder.hpp - checks records against each other and sorts them, by the rules of
// registry.hpp. Internal to the driver.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <muster/driver/registry/registry.hpp>

namespace muster {

class RegistryBuilder {
  public:
    explicit RegistryBuilder(std::vector<Inventory> inventories, const Registry* before = nullptr);
    Registry build() &&;

  private:
    struct Submitted {
        const RecordHeader* header;
        std::string_view id;
        std::string_view module;
    };
    using Group = std::span<const Submitted>;  // records of one kind and id

    void admit(const Submitted& record);
    bool same_abi(const Submitted& record);
    bool whole(const Submitted& record, std::size_t size);
    bool well_named(const Submitted& record);
    void add_registrations(Group group);
    void add_table(const Submitted& record);
    void add_precedences(Group group);
    void add_capabilities(Group group);
    void add_environments(Group group);
    void add_patterns(Group group);
    void expect(Group group);
    void report_lost();
    bool orphaned(const Submitted& record, RegistryRule rule);
    bool repeated(Group group, RegistryRule rule, std::string_view consequence);
    RegisteredBackend* usable(std::string_view id);
    void share_backends();
    void fault(RegistryRule rule, std::string_view id, ErrorCode code, std::string message, std::string fix,
               RecordKind kind = RecordKind::registration);

    static std::string where(const Submitted& record);
    static std::string quoted(std::string_view id);
    template <class Each>
    static void for_each_id(std::vector<Submitted>& records, Each each);

    Registry registry_;
    const Registry* before_;
    std::vector<RegisteredBackend> backends_;  // sorted by id
    std::unordered_map<const RecordHeader*, const CodeRegistration*> code_;
    std::vector<std::pair<std::string, LostRecord>> lost_;  // with the modules that they are in
    std::vector<Submitted> registrations_, precedences_, capabilities_, environments_, expectations_,
        patterns_;
    std::vector<std::string_view>
        mentioned_;  // ids that any registration has, usable or not; sorted by build()
};

}  // namespace muster
