#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <muster/driver/c_table/backend.hpp>
#include <muster/driver/c_table/records.hpp>
#include <muster/driver/registry/code_registration.hpp>
#include <muster/driver/registry/registry_builder.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster {

namespace {

std::string_view id_of(const RecordHeader& header) {
    return reinterpret_cast<const Id*>(&header + 1)->view();  // there in every schema
}

std::string_view kind_name(RecordKind kind) {
    switch (kind) {
        case RecordKind::registration: return "registration";
        case RecordKind::precedence: return "precedence";
        case RecordKind::capability: return "capability";
        case RecordKind::expectation: return "expectation";
        case RecordKind::environment: return "environment";
        case RecordKind::patterns: return "pack of patterns";
    }
    return "record";
}

template <Record T>
const T& as(const RecordHeader* header) {
    return *reinterpret_cast<const T*>(header);
}

}  // namespace

RegistryBuilder::RegistryBuilder(std::vector<Inventory> inventories, const Registry* before)
    : before_(before) {
    for (Inventory& inventory : inventories)
        for (LostRecord& lost : inventory.lost) lost_.emplace_back(inventory.module, std::move(lost));
    std::erase_if(inventories, [](const Inventory& inventory) { return !inventory.lost.empty(); });
    for (Inventory& inventory : inventories) registry_.modules_.push_back(std::move(inventory.module));
    for (std::size_t i = 0; i < inventories.size(); ++i) {
        const std::string_view module = registry_.modules_[i];
        for (const CodeRegistration* code : inventories[i].code)
            code_.emplace(&code->registration.header, code);
        for (const std::size_t offset : inventories[i].damaged)
            fault(RegistryRule::damaged_record, {}, ErrorCode::invalid_argument,
                  "The record at byte " + std::to_string(offset) + " of the inventory of " +
                      printable(module) + " states a size that doesn't fit between it and the next record.",
                  "rebuild that library; if it was edited after linking, restore it.");
        for (const RecordHeader* header : inventories[i].records) {
            registry_.records_.push_back(header);
            admit({header, id_of(*header), module});
        }
    }
}

Registry RegistryBuilder::build() && {
    std::ranges::sort(mentioned_);
    report_lost();
    for_each_id(registrations_, [this](Group group) { add_registrations(group); });
    for_each_id(precedences_, [this](Group group) { add_precedences(group); });
    for_each_id(capabilities_, [this](Group group) { add_capabilities(group); });
    for_each_id(environments_, [this](Group group) { add_environments(group); });
    for_each_id(expectations_, [this](Group group) { expect(group); });
    for_each_id(patterns_, [this](Group group) { add_patterns(group); });

    share_backends();
    auto& by_precedence = registry_.by_precedence_;
    by_precedence = registry_.by_id_;
    std::ranges::sort(by_precedence, {},
                      [](const RegisteredBackend* b) { return std::tuple(b->rank, b->id); });
    std::ranges::sort(registry_.faults_, {}, [](const RegistryFault& f) {
        return std::tuple<RegistryRule, std::string_view, std::string_view>(f.rule, f.id, f.error.message);
    });
    return std::move(registry_);
}

/// Adds a record to the list of its kind, or reports why it can't be read.
void RegistryBuilder::admit(const Submitted& record) {
    const RecordHeader& header = *record.header;
    if (header.schema != record_schema) {
        fault(RegistryRule::foreign_schema, record.id, ErrorCode::invalid_argument,
              "The record of " + quoted(record.id) + " in " + where(record) + " is of schema " +
                  std::to_string(header.schema) + "; this driver reads schema " +
                  std::to_string(record_schema) + ".",
              "rebuild it against this version of muster.", header.kind);
        if (header.kind != RecordKind::patterns) mentioned_.push_back(record.id);
        return;
    }
    switch (header.kind) {
        case RecordKind::registration:
            mentioned_.push_back(record.id);
            if (same_abi(record) && whole(record, sizeof(BackendRegistration)) && well_named(record))
                registrations_.push_back(record);
            return;
        case RecordKind::precedence:
            if (same_abi(record) && whole(record, sizeof(BackendPrecedence)) && well_named(record))
                precedences_.push_back(record);
            return;
        case RecordKind::capability:
            if (same_abi(record) && whole(record, sizeof(BackendCapability)) && well_named(record))
                capabilities_.push_back(record);
            return;
        case RecordKind::environment:
            if (same_abi(record) && whole(record, sizeof(BackendEnvironment)) && well_named(record))
                environments_.push_back(record);
            return;
        case RecordKind::expectation:  // holds no functions: any ABI is accepted
            if (whole(record, sizeof(BackendExpectation)) && well_named(record))
                expectations_.push_back(record);
            return;
        case RecordKind::patterns:
            if (same_abi(record) && whole(record, sizeof(BackendPatterns)) && well_named(record))
                patterns_.push_back(record);
            return;
    }
    fault(RegistryRule::damaged_record, record.id, ErrorCode::invalid_argument,
          "The record of " + quoted(record.id) + " in " + where(record) + " is of kind " +
              std::to_string(static_cast<std::uint32_t>(header.kind)) + ", which schema " +
              std::to_string(record_schema) + " doesn't have.",
          "rebuild it against this version of muster.");
}

bool RegistryBuilder::same_abi(const Submitted& record) {
    static constexpr AbiText ours = abi_fingerprint();
    if (record.header->abi == ours || of_table(*record.header)) return true;
    fault(RegistryRule::foreign_abi, record.id, ErrorCode::invalid_argument,
          "The " + std::string(kind_name(record.header->kind)) + " of " + quoted(record.id) + " in " +
              where(record) + " is compiled against " + quoted(record.header->abi.view()) +
              "; this driver is " + quoted(ours.view()) + ".",
          "rebuild it against this muster, with the same C++ library and sanitizers.", record.header->kind);
    return false;
}

bool RegistryBuilder::whole(const Submitted& record, std::size_t size) {
    if (record.header->size == size) return true;
    fault(RegistryRule::damaged_record, record.id, ErrorCode::invalid_argument,
          "The " + std::string(kind_name(record.header->kind)) + " of " + quoted(record.id) + " in " +
              where(record) + " is " + std::to_string(record.header->size) + " bytes long instead of " +
              std::to_string(size) + ".",
          "rebuild it against this version of muster.", record.header->kind);
    return false;
}

bool RegistryBuilder::well_named(const Submitted& record) {
    if (valid_id(record.id)) return true;
    const std::string kind(kind_name(record.header->kind));
    fault(RegistryRule::invalid_id, record.id, ErrorCode::invalid_argument,
          record.id.empty() ? "A " + kind + " in " + where(record) + " has an empty id."
                            : "The " + kind + " in " + where(record) + " is called " + quoted(record.id) +
                                  ", which isn't an id.",
          "use lower case letters, digits, '-' and '_', a letter first.", record.header->kind);
    return false;
}

void RegistryBuilder::add_registrations(Group group) {
    if (repeated(group, RegistryRule::duplicate_registration, "Neither is usable.")) return;
    const Submitted& record = group.front();
    if (of_table(*record.header)) return add_table(record);
    const auto& registration = as<BackendRegistration>(record.header);
    if (registration.factory == nullptr || registration.supported_ops == nullptr) {
        const char* missing = registration.factory == nullptr ? "factory" : "supported_ops";
        fault(
            RegistryRule::incomplete_registration, record.id, ErrorCode::invalid_argument,
            "The registration of " + quoted(record.id) + " in " + where(record) + " has no " + missing + ".",
            std::string("give it a function as .") + missing + ".");
        return;
    }
    RegisteredBackend& backend = backends_.emplace_back();
    backend.id = record.id;
    backend.tags = registration.tags.view();
    backend.factory = registration.factory;
    backend.supported_ops = registration.supported_ops;
    backend.module = record.module;
    backend.origin = registration.header.origin.view();
    if (const auto in_code = code_.find(record.header); in_code != code_.end()) {
        const CodeRegistration* const code = in_code->second;
        backend.factory = [code] { return code->maker(); };
        backend.supported_ops = [code]() -> const OpSet& { return code->supported_ops; };
    }
}

/// Adds the backend of a table in C. Reads nothing of the table, whose place in a file that isn't open has another address.
void RegistryBuilder::add_table(const Submitted& record) {
    const auto& registration = *reinterpret_cast<const muster_backend_registration*>(record.header);
    const muster_backend_table* const table = registration.table;
    if (table == nullptr)
        return fault(RegistryRule::incomplete_registration, record.id, ErrorCode::invalid_argument,
                     "The registration of " + quoted(record.id) + " in " + where(record) + " has no table.",
                     "give its address to MUSTER_BACKEND_RECORDS.");
    RegisteredBackend& backend = backends_.emplace_back();
    backend.id = record.id;
    backend.tags = as<BackendRegistration>(record.header).tags.view();
    backend.factory = [table, id = record.id] { return make_table_backend(table, id); };
    backend.supported_ops = [table]() -> const OpSet& { return table_operations(table); };
    backend.module = record.module;
    backend.origin = record.header->origin.view();
}

/// Takes the backends that haven't changed from the registry before, and keeps the others.
void RegistryBuilder::share_backends() {
    for (RegisteredBackend& backend : backends_) {
        const RegisteredBackend* const old = before_ != nullptr ? before_->find(backend.id) : nullptr;
        // An id's characters are in its registration, so the same address means the same record.
        const bool is_same = old != nullptr && old->id.data() == backend.id.data() &&
                             old->rank == backend.rank && old->dispatches == backend.dispatches &&
                             old->hides_devices == backend.hides_devices && old->module == backend.module;
        if (is_same)
            registry_.by_id_.push_back(old);
        else
            registry_.by_id_.push_back(
                registry_.made_.emplace_back(std::make_unique<RegisteredBackend>(std::move(backend))).get());
    }
}

void RegistryBuilder::add_precedences(Group group) {
    if (orphaned(group.front(), RegistryRule::orphaned_precedence)) return;
    if (repeated(group, RegistryRule::duplicate_precedence, "Neither counts: the backend is unranked."))
        return;
    if (RegisteredBackend* backend = usable(group.front().id))
        backend->rank = as<BackendPrecedence>(group.front().header).rank;
}

void RegistryBuilder::add_capabilities(Group group) {
    if (orphaned(group.front(), RegistryRule::orphaned_capability)) return;
    if (repeated(group, RegistryRule::duplicate_capability, "Neither counts: the backend only emits."))
        return;
    if (RegisteredBackend* backend = usable(group.front().id))
        // As a byte: a record that no C++ compiler has made may hold any.
        backend->dispatches = *reinterpret_cast<const unsigned char*>(
                                  &as<BackendCapability>(group.front().header).dispatches) == 1;
}

void RegistryBuilder::add_environments(Group group) {
    if (orphaned(group.front(), RegistryRule::orphaned_environment)) return;
    if (repeated(group, RegistryRule::duplicate_environment, "Neither counts.")) return;
    if (RegisteredBackend* backend = usable(group.front().id))
        backend->hides_devices = as<BackendEnvironment>(group.front().header).hides_devices.view();
}

void RegistryBuilder::add_patterns(Group group) {
    if (repeated(group, RegistryRule::duplicate_patterns, "Neither is usable.")) return;
    const Submitted& record = group.front();
    const PackFunction pack = as<BackendPatterns>(record.header).pack;
    if (pack == nullptr)
        return fault(
            RegistryRule::incomplete_patterns, record.id, ErrorCode::invalid_argument,
            "The pack of patterns of " + quoted(record.id) + " in " + where(record) + " has no pack.",
            "give it a function as .pack.", RecordKind::patterns);
    registry_.packs_.push_back({record.id, pack, record.module, record.header->origin.view()});
}

void RegistryBuilder::expect(Group group) {
    const Submitted& record = group.front();
    if (std::ranges::binary_search(mentioned_, record.id)) return;
    fault(RegistryRule::dropped_by_linker, record.id, ErrorCode::not_found,
          "The backend " + quoted(record.id) + " is linked by the build of " + printable(record.module) +
              " but isn't in this process: it was dropped by the linker.",
          "link it through its CMake target, which keeps it; by hand, put a static library between "
          "-Wl,--whole-archive and -Wl,--no-whole-archive, and a shared one after -Wl,--no-as-needed.");
}

/// Reports the records that can't be reached, once for each id, except those of backends that the
/// process has from elsewhere.
void RegistryBuilder::report_lost() {
    for (const auto& [module, record] : lost_) {
        const auto mentioned = std::ranges::lower_bound(mentioned_, std::string_view(record.id));
        const auto is_reported = [&](const RegistryFault& fault) {
            return fault.rule == RegistryRule::lost_note && fault.of_pack && fault.id == printable(record.id);
        };
        if (record.is_of_pack ? std::ranges::any_of(registry_.faults_, is_reported)
                              : mentioned != mentioned_.end() && *mentioned == record.id)
            continue;
        fault(RegistryRule::lost_note, record.id, ErrorCode::not_found,
              "The records of " + quoted(record.id) + " are in " + printable(module) +
                  ", but not the note that leads to them: it was stripped.",
              "keep the section muster_note (strip --keep-section=muster_note), or link the module again.",
              record.is_of_pack ? RecordKind::patterns : RecordKind::registration);
        if (!record.is_of_pack) mentioned_.insert(mentioned, record.id);
    }
}

bool RegistryBuilder::orphaned(const Submitted& record, RegistryRule rule) {
    if (std::ranges::binary_search(mentioned_, record.id)) return false;
    fault(rule, record.id, ErrorCode::not_found,
          "The " + std::string(kind_name(record.header->kind)) + " of " + quoted(record.id) + " in " +
              where(record) + " is for a backend that nobody registers.",
          "link the backend, or correct the id.");
    return true;
}

bool RegistryBuilder::repeated(Group group, RegistryRule rule, std::string_view consequence) {
    if (group.size() == 1) return false;
    const Submitted& first = group.front();
    std::string message = std::to_string(group.size()) + " records are each the " +
                          std::string(kind_name(first.header->kind)) + " of " + quoted(first.id) + ": in ";
    for (std::size_t i = 0; i < group.size(); ++i) {
        if (i > 0) message += i + 1 == group.size() ? " and in " : ", in ";
        message += where(group[i]);
    }
    fault(rule, first.id, ErrorCode::conflict, message + ". " + std::string(consequence),
          "link or load only one of them.", first.header->kind);
    return true;
}

RegisteredBackend* RegistryBuilder::usable(std::string_view id) {
    const auto at = std::ranges::lower_bound(backends_, id, {}, &RegisteredBackend::id);
    return at != backends_.end() && at->id == id ? &*at : nullptr;
}

void RegistryBuilder::fault(RegistryRule rule, std::string_view id, ErrorCode code, std::string message,
                            std::string fix, RecordKind kind) {
    registry_.faults_.push_back({rule, printable(id), Error{code, std::move(message), std::move(fix), {}},
                                 kind == RecordKind::patterns});
}

std::string RegistryBuilder::where(const Submitted& record) {
    std::string text = printable(record.module);
    const std::string_view origin = record.header->origin.view();
    if (!origin.empty()) text += " (" + printable(origin) + ")";
    return text;
}

std::string RegistryBuilder::quoted(std::string_view id) { return "\"" + printable(id) + "\""; }

/// Calls `each` with the records of each id in turn. Ids are sorted, records of one id by module and origin.
template <class Each>
void RegistryBuilder::for_each_id(std::vector<Submitted>& records, Each each) {
    std::ranges::sort(records, [](const Submitted& a, const Submitted& b) {
        if (a.id != b.id) return a.id < b.id;  // the usual case; what follows is slower
        return std::tuple(a.module, a.header->origin.view()) < std::tuple(b.module, b.header->origin.view());
    });
    for (auto begin = records.begin(); begin != records.end();) {
        const auto end =
            std::find_if(begin, records.end(), [&](const Submitted& s) { return s.id != begin->id; });
        each(Group(begin, end));
        begin = end;
    }
}

}  // namespace muster
