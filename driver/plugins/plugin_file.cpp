#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/c_table/records.hpp>
#include <muster/driver/elf/elf_file.hpp>
#include <muster/driver/plugins/plugin_file.hpp>
#include <muster/driver/registry/record_file.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

// Stand-ins for a file's functions, so that the registry's rules can be applied. Never called.
Result<std::unique_ptr<Backend>> not_opened() {
    return fail(ErrorCode::internal, "A plugin that isn't opened is asked for a backend.");
}
const OpSet& no_operations() {
    static const OpSet none;
    return none;
}

constexpr muster_backend_table no_table{};  // of no size

bool is_printable(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Makes a file's bytes a record that the registry may read: sets functions and gives a bool a valid value.
void complete(const RecordHeader* header) {
    if (header->schema != record_schema) return;
    auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<RecordHeader*>(header));
    if (header->kind == RecordKind::registration && header->size == sizeof(BackendRegistration)) {
        if (of_table(*header)) {
            const muster_backend_table* const table = &no_table;
            // NOLINTNEXTLINE(bugprone-sizeof-expression): the pointer is what the record holds
            constexpr std::size_t size = sizeof(muster_backend_registration::table);
            std::memcpy(bytes + offsetof(muster_backend_registration, table),
                        static_cast<const void*>(&table), size);
            return;
        }
        const Factory factory = not_opened;
        const SupportedOps supported_ops = no_operations;
        const auto set = [&](std::size_t offset, const auto& function) {
            std::memcpy(bytes + offset, static_cast<const void*>(&function), sizeof(function));
        };
        set(offsetof(BackendRegistration, factory), factory);
        set(offsetof(BackendRegistration, supported_ops), supported_ops);
    }
    if (header->kind == RecordKind::patterns && header->size == sizeof(BackendPatterns)) {
        const Factory any = not_opened;  // stands for a function of another type: it is there
        std::memcpy(bytes + offsetof(BackendPatterns, pack), static_cast<const void*>(&any), sizeof(any));
    }
    if (header->kind == RecordKind::capability && header->size == sizeof(BackendCapability)) {
        unsigned char& dispatches = bytes[offsetof(BackendCapability, dispatches)];
        dispatches = dispatches == 1 ? 1 : 0;
    }
}

/// The id of a record of any schema.
std::string_view id_of(const RecordHeader* header) { return reinterpret_cast<const Id*>(header + 1)->view(); }

Result<ElfFile> read_library(const std::string& path) {
    ElfFile file = TRY(read_elf_file(path, "muster_records"));
    const std::uint16_t native = elf_native_machine();
    if (native != 0 && file.machine != native)
        return fail(ErrorCode::unsupported,
                    fmt::format("It is built for {}; this program runs on {}.",
                                elf_machine_name(file.machine), elf_machine_name(native)),
                    "install the plugin that is built for this machine");
    if (file.type != elf_shared_object)
        return fail(ErrorCode::unsupported, "It isn't a shared library.", "link it with -shared");
    TRY(check_loadable_elf(path));
    return file;
}

}  // namespace

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> found;
    while (!text.empty()) {
        const auto space = text.find(' ');
        if (space != 0) found.emplace_back(text.substr(0, space));
        if (space == std::string_view::npos) break;
        text.remove_prefix(space + 1);
    }
    return found;
}

namespace {

/// Appends an entry for each id of this kind that no usable record describes.
template <class Described>
void add_unusable(std::vector<Described>& described, std::span<const RecordHeader* const> records,
                  RecordKind kind) {
    for (const RecordHeader* header : records) {
        if (header->kind != kind || !valid_id(id_of(header))) continue;
        if (std::ranges::find(described, id_of(header), &Described::id) == described.end())
            described.push_back({.id = std::string(id_of(header))});
    }
    std::ranges::sort(described, {}, &Described::id);
}

}  // namespace

std::optional<Error> first_fault(Inventory inventory, PluginFile& described) {
    const std::vector<const RecordHeader*> records = inventory.records;
    std::vector<Inventory> alone;
    alone.push_back(std::move(inventory));
    const Registry registry = Registry::from(std::move(alone));
    for (const RegisteredBackend& backend : registry.by_id())
        described.backends.push_back({std::string(backend.id), backend.rank, backend.dispatches,
                                      words(backend.tags), words(backend.hides_devices),
                                      std::string(backend.origin)});
    for (const RegisteredPack& pack : registry.packs())
        described.packs.push_back({std::string(pack.id), std::string(pack.origin)});
    add_unusable(described.backends, records, RecordKind::registration);
    add_unusable(described.packs, records, RecordKind::patterns);
    for (const RegistryFault& fault : registry.faults())  // an expected backend may be elsewhere
        if (fault.rule != RegistryRule::dropped_by_linker) return fault.error;
    const auto damaged = [](std::string_view what, std::string_view id) {
        return Error{ErrorCode::invalid_argument,
                     fmt::format("{} of {} aren't text.", what, id),
                     "rebuild it: its records are damaged",
                     {}};
    };
    for (const RegisteredBackend& backend : registry.by_id())
        if (!is_printable(backend.tags) || !is_printable(backend.hides_devices) ||
            !is_printable(backend.origin))
            return damaged("The tags, the variables or the origin", backend.id);
    for (const RegisteredPack& pack : registry.packs())
        if (!is_printable(pack.origin)) return damaged("The bytes of the origin", pack.id);
    return std::nullopt;
}

namespace {

Result<void> read_into(PluginFile& plugin, const std::string& path) {
    const ElfFile file = TRY(read_library(path));
    Inventory inventory;
    inventory.module = path;
    for (const std::vector<std::byte>& section : file.sections) scan_records(section, inventory);
    for (const RecordHeader* header : inventory.records) {
        complete(header);
        const bool counts = header->kind == RecordKind::registration || header->kind == RecordKind::patterns;
        if (counts && plugin.abi.empty() && is_printable(header->abi.view())) plugin.abi = header->abi.view();
    }
    if (auto wrong = first_fault(std::move(inventory), plugin)) return std::unexpected(*std::move(wrong));
    return {};
}

}  // namespace

PluginFile read_plugin_file(const std::string& path) {
    PluginFile plugin;
    const auto read = guarded("Reading " + printable(path), [&] { return read_into(plugin, path); });
    if (!read) plugin.refused = read.error();
    return plugin;
}

}  // namespace muster
