#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include <muster/driver/contract/inventory.hpp>  // marks the driver's own module
#include <muster/driver/platform/module_of.hpp>
#include <muster/driver/platform/modules.hpp>
#include <muster/driver/registry/modules.hpp>

namespace muster {

const std::uint64_t driver_identity = 1;

namespace {

constexpr std::size_t step = 8;
constexpr std::size_t smallest_record = sizeof(RecordHeader) + sizeof(Id);

// True if a record's magic is at this address. Not sanitized: there may be red zones between records, and
// reading them here is harmless.
__attribute__((no_sanitize_address, no_sanitize_thread)) bool is_magic(const std::byte* at) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, at, sizeof(word));
    return word == __builtin_bit_cast(std::uint64_t, record_magic);
}

/// True if this record, which is in `rest` with all its bytes, reaches over the beginning of another one.
bool overlaps_another(std::span<const std::byte> rest, std::size_t size) {
    for (std::size_t at = step; at < size && at + step <= rest.size(); at += step)
        if (is_magic(rest.data() + at)) return true;
    return false;
}

using Section = platform::LoadedModule::Section;
constexpr std::array<char, 8> mark_magic{'M', 'U', 'S', 'T', 'E', 'R', 'd', '\x01'};

/// The driver that these bytes' mark names, by the address of its driver_identity; 0 if it names none. No
/// value: there is no mark. Not sanitized: there may be red zones between records.
__attribute__((no_sanitize_address, no_sanitize_thread)) std::optional<std::uintptr_t> marked_driver(
    Section section) {
    std::optional<std::uintptr_t> found;
    for (std::size_t at = 0; at + 2 * sizeof(std::uint64_t) <= section.size(); at += sizeof(std::uint64_t)) {
        std::array<std::uint64_t, 2> words{};
        __builtin_memcpy(words.data(), section.data() + at, sizeof(words));
        if (words[0] != __builtin_bit_cast(std::uint64_t, mark_magic)) continue;
        found = static_cast<std::uintptr_t>(words[1]);
        if (*found != 0) break;
    }
    return found;
}

std::uintptr_t this_driver() { return reinterpret_cast<std::uintptr_t>(&driver_identity); }

/// The driver that the module is linked to; 0 if none. No value: these bytes of it have no mark.
std::optional<std::uintptr_t> driver_of(const std::vector<Section>& sections) {
    std::optional<std::uintptr_t> found;
    for (const Section section : sections)
        if (const auto driver = marked_driver(section); driver && found.value_or(0) == 0) found = driver;
    return found;
}

/// The driver that reads the modules that are linked to none: libmuster.so's, else the executable's, else the
/// one that was loaded first. This one, if none is marked.
std::uintptr_t driver_for_the_rest() {
    constexpr int of_libmuster = 0, of_program = 1, of_library = 2;
    std::optional<std::pair<int, std::uintptr_t>> best;
    platform::for_each_module([&](const platform::LoadedModule& module) {
        const std::uintptr_t driver = driver_of(module.sections()).value_or(0);
        if (driver == 0 || !module.contains(driver)) return;
        const int place = module.is_program()                                 ? of_program
                          : platform::is_driver_library(module.loader_name()) ? of_libmuster
                                                                              : of_library;
        if (!best || place < best->first) best = {place, driver};
    });
    return best ? best->second : this_driver();
}

/// Tells which modules are this driver's.
class Ownership {
  public:
    bool is_ours(const std::vector<Section>& sections) {
        const std::uintptr_t driver = driver_of(sections).value_or(0);
        if (driver != 0) return driver == this_driver();
        if (!rest_) rest_ = driver_for_the_rest();
        return *rest_ == this_driver();
    }

  private:
    std::optional<std::uintptr_t> rest_;
};

bool has_records(const Inventory& inventory) {
    return !inventory.records.empty() || !inventory.damaged.empty();
}

Inventory read_sections(std::string module, const std::vector<Section>& sections) {
    Inventory inventory;
    inventory.module = std::move(module);
    for (const Section section : sections) scan_records(section, inventory);
    return inventory;
}

}  // namespace

void scan_records(std::span<const std::byte> section, Inventory& inventory) {
    std::size_t offset = 0;
    while (section.size() - offset >= smallest_record) {
        const std::byte* at = section.data() + offset;
        if (!is_magic(at)) {
            offset += step;
            continue;
        }
        const auto* header = reinterpret_cast<const RecordHeader*>(at);
        if (header->size < smallest_record || header->size > section.size() - offset ||
            overlaps_another(section.subspan(offset), header->size)) {
            inventory.damaged.push_back(offset);
            offset += step;
            continue;
        }
        inventory.records.push_back(header);
        offset += (header->size + step - 1) / step * step;
        if (offset > section.size()) break;
    }
}

std::vector<Inventory> read_inventories(std::span<const std::string> except) {
    // Two walks: a library can't be pinned under the loader's lock, and mustn't be read before it is pinned.
    Ownership ownership;
    std::vector<std::string> libraries;
    platform::for_each_module([&](const platform::LoadedModule& module) {
        if (module.is_program() || std::ranges::find(except, module.loader_name()) != except.end()) return;
        const auto sections = module.sections();
        if (sections.empty() || !ownership.is_ours(sections)) return;
        if (has_records(read_sections({}, sections))) libraries.emplace_back(module.loader_name());
    });
    std::vector<std::uintptr_t> pinned;
    for (const std::string& library : libraries)
        if (const auto base = platform::pin_module(library)) pinned.push_back(*base);

    std::vector<Inventory> inventories;
    platform::for_each_module([&](const platform::LoadedModule& module) {
        if (!module.is_program() && std::ranges::find(pinned, module.base()) == pinned.end()) return;
        const auto sections = module.sections();
        if (sections.empty() || !ownership.is_ours(sections)) return;
        Inventory inventory = read_sections(module.path(), sections);
        if (has_records(inventory)) inventories.push_back(std::move(inventory));
    });
    return inventories;
}

std::vector<Inventory> read_lost_inventories() {
    std::vector<Inventory> inventories;
    platform::for_each_module([&](const platform::LoadedModule& module) {
        if (!module.sections().empty()) return;
        const auto data = module.data();
        const auto driver = driver_of(data);
        if (!driver || (*driver != 0 && *driver != this_driver())) return;
        Inventory inventory;
        for (const RecordHeader* record : read_sections({}, data).records)
            if (record->kind == RecordKind::registration || record->kind == RecordKind::expectation ||
                record->kind == RecordKind::patterns)
                inventory.lost.push_back({std::string(reinterpret_cast<const Id*>(record + 1)->view()),
                                          record->kind == RecordKind::patterns});
        if (inventory.lost.empty()) return;
        inventory.module = module.path();
        inventories.push_back(std::move(inventory));
    });
    return inventories;
}

Inventory read_inventory(void* library) {
    const auto opened = platform::opened_module(library);
    if (!opened) return {};
    Inventory inventory;
    platform::for_each_module([&](const platform::LoadedModule& module) {
        if (module.base() != opened->base) return;
        const auto sections = module.sections();
        inventory = read_sections({}, sections);
        inventory.is_foreign = !Ownership().is_ours(sections);
    });
    inventory.module = opened->loader_name;
    return inventory;
}

}  // namespace muster
