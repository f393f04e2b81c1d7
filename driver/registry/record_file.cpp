#include <algorithm>
#include <tuple>
#include <utility>

#include <muster/driver/c_table/muster_backend.h>
#include <muster/driver/elf/elf_file.hpp>
#include <muster/driver/registry/modules.hpp>
#include <muster/driver/registry/record_file.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

namespace {

template <Record T>
const T* as_current(const RecordHeader* header) {
    return header->schema == record_schema && header->size == sizeof(T) ? reinterpret_cast<const T*>(header)
                                                                        : nullptr;
}

FileRecord describe(const RecordHeader* header) {
    FileRecord record;
    record.schema = header->schema;
    record.kind = header->kind;
    record.id = reinterpret_cast<const Id*>(header + 1)->view();
    record.abi = header->abi.view();
    record.origin = header->origin.view();
    switch (header->kind) {
        case RecordKind::registration:
            if (const auto* registration = as_current<BackendRegistration>(header))
                record.tags = registration->tags.view();
            break;
        case RecordKind::precedence:
            if (const auto* precedence = as_current<BackendPrecedence>(header))
                record.rank = precedence->rank;
            break;
        case RecordKind::capability:
            // Reads the bool as a byte, because in a file it may have any value.
            if (const auto* capability = as_current<BackendCapability>(header))
                record.dispatches = *reinterpret_cast<const unsigned char*>(&capability->dispatches) == 1;
            break;
        case RecordKind::environment:
            if (const auto* environment = as_current<BackendEnvironment>(header))
                record.hides_devices = environment->hides_devices.view();
            break;
        case RecordKind::expectation:
        case RecordKind::patterns: break;
    }
    return record;
}

}  // namespace

bool FileRecord::usable_here() const {
    static constexpr AbiText ours = abi_fingerprint();
    const bool is_in_c = abi == MUSTER_BACKEND_ABI && kind != RecordKind::patterns;
    return schema == record_schema && (kind == RecordKind::expectation || is_in_c || abi == ours.view());
}

Result<std::vector<FileRecord>> read_record_file(const std::string& path) {
    std::vector<FileRecord> records;
    const auto file =
        TRY(during("reading the records of " + printable(path), read_elf_file(path, "muster_records")));
    for (const std::vector<std::byte>& section : file.sections) {
        Inventory inventory;
        scan_records(section, inventory);
        if (!inventory.damaged.empty())
            return fail(ErrorCode::io_failed,
                        "The record at byte " + std::to_string(inventory.damaged.front()) +
                            " of the inventory in " + printable(path) +
                            " states a size that doesn't fit between it and the next record.",
                        "rebuild that library; if it was edited after linking, restore it.");
        for (const RecordHeader* header : inventory.records) records.push_back(describe(header));
    }
    std::ranges::sort(records, {}, [](const FileRecord& r) { return std::tie(r.kind, r.id, r.origin); });
    return records;
}

}  // namespace muster
