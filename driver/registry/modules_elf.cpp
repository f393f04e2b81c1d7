// Finds the modules of an ELF process by the note that inventory.hpp emits in each.
#if defined(__ELF__)

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <muster/driver/registry/modules.hpp>

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

/// One loaded module; valid while dl_iterate_phdr calls back, because it can't be unloaded meanwhile.
class Module {
  public:
    explicit Module(const dl_phdr_info& info) : info_(info) {}

    Address base() const { return info_.dlpi_addr; }
    const char* loader_name() const { return info_.dlpi_name; }

    /// The record sections that its notes lead to, each once. LTO may put several notes into one module.
    std::vector<Section> sections() const {
        std::vector<Section> found;
        for (const auto& segment : segments()) {
            if (segment.p_type != PT_NOTE) continue;
            const Address begin = base() + segment.p_vaddr;
            if (!readable(begin, segment.p_memsz)) continue;
            // Steps four bytes at a time, not from note to note, because mold merges notes of different alignment into
            // one segment.
            for (Address at = begin; at + sizeof(InventoryNote) <= begin + segment.p_memsz; at += 4)
                add_section(at, found);
        }
        return found;
    }

  private:
    std::span<const ElfW(Phdr)> segments() const { return {info_.dlpi_phdr, info_.dlpi_phnum}; }

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
        // A module that includes the header and submits nothing may have no bounds: the weak symbols are zero then.
        if (start >= stop || !readable(start, stop - start)) return;
        const Section section{bytes_at<std::byte>(start), stop - start};
        if (std::ranges::none_of(found, [&](Section s) { return s.data() == section.data(); }))
            found.push_back(section);
    }

    const dl_phdr_info& info_;
};

/// Calls `visit(module, is_main)` for each module, under the loader's lock.
template <class Visit>
void for_each_module(Visit visit) {
    struct State {
        Visit& visit;
        bool is_main = true;  // the main program comes first
        std::exception_ptr failure;
    } state{visit, true, nullptr};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& s = *static_cast<State*>(data);
            try {
                s.visit(Module(*info), s.is_main);
            } catch (...) {
                s.failure = std::current_exception();
                return 1;
            }
            s.is_main = false;
            return 0;
        },
        &state);
    if (state.failure) std::rethrow_exception(state.failure);
}

std::string executable_path() {
    std::array<char, 4096> path{};
    const auto length = readlink("/proc/self/exe", path.data(), path.size());
    return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "the executable";
}

/// Keeps the library mapped until the process ends. Returns its base address, or none if it is already unloaded.
std::vector<Address> pin(const std::string& loader_name) {
    void* library = dlopen(loader_name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (library == nullptr) return {};
    const link_map* map = nullptr;
    std::vector<Address> base;
    if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0) base.push_back(map->l_addr);
    dlclose(library);
    return base;
}

}  // namespace

std::vector<Inventory> read_inventories(std::span<const std::string> except) {
    // Two walks: a library can't be pinned under the loader's lock, and mustn't be read before it is pinned.
    std::vector<std::string> libraries;
    for_each_module([&](const Module& module, bool is_main) {
        if (is_main || std::ranges::find(except, module.loader_name()) != except.end()) return;
        if (!module.sections().empty()) libraries.emplace_back(module.loader_name());
    });
    std::vector<Address> pinned;
    for (const std::string& library : libraries)
        for (const Address base : pin(library)) pinned.push_back(base);

    std::vector<Inventory> inventories;
    for_each_module([&](const Module& module, bool is_main) {
        if (!is_main && std::ranges::find(pinned, module.base()) == pinned.end()) return;
        const auto sections = module.sections();
        if (sections.empty()) return;
        Inventory& inventory = inventories.emplace_back();
        inventory.module = is_main ? executable_path() : module.loader_name();
        for (const Section section : sections) scan_records(section, inventory);
    });
    return inventories;
}

Inventory read_inventory(void* library) {
    const link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return {};
    Inventory inventory;
    inventory.module = map->l_name;
    for_each_module([&](const Module& module, bool) {
        if (module.base() != map->l_addr) return;
        for (const Section section : module.sections()) scan_records(section, inventory);
    });
    return inventory;
}

}  // namespace muster

#endif
