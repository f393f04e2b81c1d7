// Finds the modules of an ELF process by the note that inventory.hpp emits in each.
#if defined(__ELF__)

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <muster/driver/contract/inventory.hpp>  // marks the driver's own module
#include <muster/driver/registry/modules.hpp>
#include <muster/driver/support/module_of.hpp>

namespace muster {

namespace {

using Address = ElfW(Addr);

struct InventoryNote {
    std::uint32_t name_bytes, descriptor_bytes, type;
    std::array<char, 8> name;
    std::int32_t start, stop;  // each relative to its own address
};
constexpr InventoryNote expected_note{7, 8, 0x3153554d, {'m', 'u', 's', 't', 'e', 'r'}, 0, 0};
constexpr std::size_t note_fixed_bytes = offsetof(InventoryNote, start);

using Section = std::span<const std::byte>;

/// The object loaded at this address.
template <class T>
const T* bytes_at(Address address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
    return reinterpret_cast<const T*>(address);
}

constexpr std::array<char, 8> mark_magic{'M', 'U', 'S', 'T', 'E', 'R', 'd', '\x01'};

/// The driver that these bytes' mark names, by the address of its driver_identity; 0 if it names none. No
/// value: there is no mark. Not sanitized: there may be red zones between records.
__attribute__((no_sanitize_address, no_sanitize_thread)) std::optional<Address> marked_driver(
    Section section) {
    std::optional<Address> found;
    for (std::size_t at = 0; at + 2 * sizeof(std::uint64_t) <= section.size(); at += sizeof(std::uint64_t)) {
        std::array<std::uint64_t, 2> words{};
        __builtin_memcpy(words.data(), section.data() + at, sizeof(words));
        if (words[0] != __builtin_bit_cast(std::uint64_t, mark_magic)) continue;
        found = static_cast<Address>(words[1]);
        if (*found != 0) break;
    }
    return found;
}

/// One loaded module; valid while dl_iterate_phdr calls back, because it can't be unloaded meanwhile.
class Module {
  public:
    explicit Module(const dl_phdr_info& info) : info_(info) {}

    Address base() const { return info_.dlpi_addr; }
    const char* loader_name() const { return info_.dlpi_name; }
    /// False for every module of a namespace that dlmopen() made.
    bool is_program() const {
        return reinterpret_cast<Address>(info_.dlpi_phdr) == static_cast<Address>(getauxval(AT_PHDR));
    }
    std::string path() const { return is_program() ? program_name() : loader_name(); }
    bool contains(Address address) const { return readable(address, 1); }

    /// The record sections that its notes lead to, each once. LTO may put several notes into one module.
    std::vector<Section> sections() const {
        std::vector<Section> found;
        for (const auto& segment : segments()) {
            if (segment.p_type != PT_NOTE) continue;
            const Address begin = address_of(segment);
            if (!readable(begin, segment.p_memsz)) continue;
            // Steps four bytes at a time, not from note to note, because mold merges notes of different
            // alignment into one segment.
            for (Address at = begin; at + sizeof(InventoryNote) <= begin + segment.p_memsz; at += 4)
                add_section(at, found);
        }
        return found;
    }

    /// The bytes that it has in its file of the segments that it may write to: records are among them,
    /// whether a note leads to them or not.
    std::vector<Section> data() const {
        std::vector<Section> found;
        for (const auto& segment : segments()) {
            if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_W)) != (PF_R | PF_W)) continue;
            const Address begin = (base() + segment.p_vaddr + 7) / 8 * 8;
            const Address end = base() + segment.p_vaddr + segment.p_filesz;
            if (begin < end) found.emplace_back(bytes_at<std::byte>(begin), end - begin);
        }
        return found;
    }

  private:
    static std::string program_name() {
        const std::string path = program_path();
        return path.empty() ? "the executable" : path;
    }

    std::span<const ElfW(Phdr)> segments() const { return {info_.dlpi_phdr, info_.dlpi_phnum}; }

    /// The address of the segment, found by its place in the file: binutils' strip, removing other
    /// notes, leaves the address 0.
    Address address_of(const ElfW(Phdr) & wanted) const {
        for (const auto& segment : segments())
            if (segment.p_type == PT_LOAD && wanted.p_offset >= segment.p_offset &&
                wanted.p_offset - segment.p_offset < segment.p_filesz)
                return base() + segment.p_vaddr + (wanted.p_offset - segment.p_offset);
        return base() + wanted.p_vaddr;
    }

    bool readable(Address begin, std::size_t bytes) const {
        return std::ranges::any_of(segments(), [&](const auto& segment) {
            const Address low = base() + segment.p_vaddr;
            return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 && begin >= low &&
                   bytes <= segment.p_memsz && begin - low <= segment.p_memsz - bytes;
        });
    }

    void add_section(Address at, std::vector<Section>& found) const {
        const auto* note = bytes_at<InventoryNote>(at);
        if (std::memcmp(note, &expected_note, note_fixed_bytes) != 0) return;
        const Address start =
            at + offsetof(InventoryNote, start) + static_cast<Address>(std::intptr_t{note->start});
        const Address stop =
            at + offsetof(InventoryNote, stop) + static_cast<Address>(std::intptr_t{note->stop});
        // A module that includes the header and submits nothing may have no bounds: the
        // weak symbols are zero then.
        if (start >= stop || !readable(start, stop - start)) return;
        const Section section{bytes_at<std::byte>(start), stop - start};
        if (std::ranges::none_of(found, [&](Section s) { return s.data() == section.data(); }))
            found.push_back(section);
    }

    const dl_phdr_info& info_;
};

/// Calls `visit(module)` for each module, under the loader's lock.
template <class Visit>
void for_each_module(Visit visit) {
    struct State {
        Visit& visit;
        std::exception_ptr failure;
    } state{visit, nullptr};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& s = *static_cast<State*>(data);
            try {
                s.visit(Module(*info));
            } catch (...) {
                s.failure = std::current_exception();
                return 1;
            }
            return 0;
        },
        &state);
    if (state.failure) std::rethrow_exception(state.failure);
}

Address this_driver() { return reinterpret_cast<Address>(&driver_identity); }

/// The driver that the module is linked to; 0 if none. No value: these bytes of it have no mark.
std::optional<Address> driver_of(const std::vector<Section>& sections) {
    std::optional<Address> found;
    for (const Section section : sections)
        if (const auto driver = marked_driver(section); driver && found.value_or(0) == 0) found = driver;
    return found;
}

/// The driver that reads the modules that are linked to none: libmuster.so's, else the executable's, else the
/// one that was loaded first. This one, if none is marked.
Address driver_for_the_rest() {
    constexpr int of_libmuster = 0, of_program = 1, of_library = 2;
    std::optional<std::pair<int, Address>> best;
    for_each_module([&](const Module& module) {
        const Address driver = driver_of(module.sections()).value_or(0);
        if (driver == 0 || !module.contains(driver)) return;
        const int place = module.is_program()                       ? of_program
                          : is_driver_library(module.loader_name()) ? of_libmuster
                                                                    : of_library;
        if (!best || place < best->first) best = {place, driver};
    });
    return best ? best->second : this_driver();
}

/// Tells which modules are this driver's.
class Ownership {
  public:
    bool is_ours(const std::vector<Section>& sections) {
        const Address driver = driver_of(sections).value_or(0);
        if (driver != 0) return driver == this_driver();
        if (!rest_) rest_ = driver_for_the_rest();
        return *rest_ == this_driver();
    }

  private:
    std::optional<Address> rest_;
};

/// Keeps the library mapped until the process ends. Returns its base address, or none
/// if it is already unloaded.
std::vector<Address> pin(const std::string& loader_name) {
    void* library = dlopen(loader_name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (library == nullptr) return {};
    const link_map* map = nullptr;
    std::vector<Address> base;
    if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0) base.push_back(map->l_addr);
    dlclose(library);
    return base;
}

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

std::vector<Inventory> read_inventories(std::span<const std::string> except) {
    // Two walks: a library can't be pinned under the loader's lock, and mustn't be read before it is pinned.
    Ownership ownership;
    std::vector<std::string> libraries;
    for_each_module([&](const Module& module) {
        if (module.is_program() || std::ranges::find(except, module.loader_name()) != except.end()) return;
        const auto sections = module.sections();
        if (sections.empty() || !ownership.is_ours(sections)) return;
        if (has_records(read_sections({}, sections))) libraries.emplace_back(module.loader_name());
    });
    std::vector<Address> pinned;
    for (const std::string& library : libraries)
        for (const Address base : pin(library)) pinned.push_back(base);

    std::vector<Inventory> inventories;
    for_each_module([&](const Module& module) {
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
    for_each_module([&](const Module& module) {
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
    const link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return {};
    Inventory inventory;
    for_each_module([&](const Module& module) {
        if (module.base() != map->l_addr) return;
        const auto sections = module.sections();
        inventory = read_sections({}, sections);
        inventory.is_foreign = !Ownership().is_ours(sections);
    });
    inventory.module = map->l_name;
    return inventory;
}

}  // namespace muster

#endif
